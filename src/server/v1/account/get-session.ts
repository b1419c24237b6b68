import { getSession } from '../../../shared/contract/v1/account.ts';
import { readRoute } from '../../route.ts';

export const getSessionRoute = readRoute(getSession, async ({ actor, role, deps, reader }) => {
  const { store } = deps;
  const { read_only } = store.health();
  const account =
    actor.account_id === store.local.account_id
      ? { account_id: store.local.account_id, name: store.local.account_name }
      : (await reader.usage.summary(actor.account_id)).account;
  return {
    status: 200,
    value: {
      account,
      user: { user_id: actor.user_id, name: actor.user_name, role },
      home: deps.home,
      server: {
        version: deps.version,
        url: deps.url,
        instance_id: deps.instanceId,
        store: store.storeId,
        read_only: read_only !== null,
        read_only_reason: read_only,
        backups: read_only === null ? [] : deps.backups(),
      },
    },
  };
});
