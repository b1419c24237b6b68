import { disconnectUplink } from '../../../shared/contract/v1/uplink.ts';
import { serviceRoute } from '../../route.ts';
import { needUplink } from './running.ts';

export const disconnectUplinkRoute = serviceRoute(disconnectUplink, async ({ deps, origin }) => ({
  status: 200,
  value: await needUplink(deps).disconnect(origin),
}));
