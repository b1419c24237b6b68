import { shareProject } from '../../../shared/contract/v1/uplink.ts';
import { serviceRoute } from '../../route.ts';
import { needUplink } from './running.ts';

export const shareProjectRoute = serviceRoute(
  shareProject,
  async ({ deps, params, body, origin }) => ({
    status: 200,
    value: await needUplink(deps).share(params.projectId, body.shared, origin),
    counted: { resource: params.projectId },
  }),
);
