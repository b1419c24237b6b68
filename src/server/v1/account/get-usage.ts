import { getUsage } from '../../../shared/contract/v1/account.ts';
import { readRoute } from '../../route.ts';

export const getUsageRoute = readRoute(
  getUsage,
  async ({ actor, role, reader }) => ({
    status: 200,
    value: await reader.usage.summary(
      actor.account_id,
      role === 'owner' ? undefined : actor.user_id,
    ),
  }),
  { flushesUsage: true },
);
