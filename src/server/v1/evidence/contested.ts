import { listContested } from '../../../shared/contract/v1/evidence.ts';
import { toPage } from '../../http/page.ts';
import { readRoute } from '../../route.ts';
import { shownTo } from './key-ids.ts';

export const listContestedRoute = readRoute(
  listContested,
  async ({ actor, role, params, query, reader }) => {
    const { profile_uid, profile_version } = query;
    const { data, next_cursor } = await reader.evidence.contested(
      actor.account_id,
      { case_uid: params.caseUid, profile_uid, profile_version },
      toPage(query),
    );
    return {
      status: 200,
      value: {
        data: data.map((one) => ({ ...one, heads: one.heads.map((head) => shownTo(role, head)) })),
        next_cursor,
      },
      counted: { resource: params.caseUid },
    };
  },
);
