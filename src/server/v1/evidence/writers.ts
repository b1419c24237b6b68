import { listWriters } from '../../../shared/contract/v1/evidence.ts';
import { readRoute } from '../../route.ts';
import { shownTo } from './key-ids.ts';

export const listWritersRoute = readRoute(
  listWriters,
  async ({ actor, role, params, body, reader }) => ({
    status: 200,
    value: {
      writers: (await reader.evidence.writers(actor.account_id, params.caseUid, body.entries)).map(
        (writer) => shownTo(role, writer),
      ),
    },
    counted: { resource: params.caseUid },
  }),
);
