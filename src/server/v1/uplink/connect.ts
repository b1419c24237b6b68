import { connectUplink } from '../../../shared/contract/v1/uplink.ts';
import { serviceRoute } from '../../route.ts';
import { needUplink } from './running.ts';

export const connectUplinkRoute = serviceRoute(connectUplink, async ({ deps, body, origin }) => ({
  status: 200,
  value: await needUplink(deps).connect(body, origin),
}));
