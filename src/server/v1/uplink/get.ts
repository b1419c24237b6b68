import { getUplink } from '../../../shared/contract/v1/uplink.ts';
import { serviceRoute } from '../../route.ts';
import { statusWithout } from '../../uplink/status.ts';

export const getUplinkRoute = serviceRoute(getUplink, async ({ deps, actor }) => {
  const { account_id } = actor;
  return {
    status: 200,
    value:
      (await deps.uplink?.status()) ??
      (await deps.store.read((reader) => statusWithout(reader, account_id), account_id)),
  };
});
