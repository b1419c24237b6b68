import { dismissTriedPasswords } from '../../../shared/contract/v1/team.ts';
import { writeRoute } from '../../route.ts';

export const dismissTriedPasswordsRoute = writeRoute(
  dismissTriedPasswords,
  async ({ actor, writer }) => ({
    status: 200,
    value: { dismissed: await writer.signInLimits.forgetTried(actor.user_id) },
  }),
  { acrossAccounts: true },
);
