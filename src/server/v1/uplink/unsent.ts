import { listUnsent } from '../../../shared/contract/v1/uplink.ts';
import { serviceRoute } from '../../route.ts';
import { needUplink } from './running.ts';

export const listUnsentRoute = serviceRoute(
  listUnsent,
  async ({ deps, query, actor: { account_id } }) => {
    needUplink(deps);
    return {
      status: 200,
      value: await deps.store.read(
        (reader) => reader.uplink.unsent(account_id, query.after),
        account_id,
      ),
    };
  },
);
