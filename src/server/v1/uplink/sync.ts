import { syncUplink } from '../../../shared/contract/v1/uplink.ts';
import { serviceRoute } from '../../route.ts';
import { needUplink } from './running.ts';

export const syncUplinkRoute = serviceRoute(syncUplink, async ({ deps }) => ({
  status: 200,
  value: await needUplink(deps).sync(),
}));
