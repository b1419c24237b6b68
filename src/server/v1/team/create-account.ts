import { createAccount } from '../../../shared/contract/v1/team.ts';
import { requireConfirmed } from '../../auth/confirmed.ts';
import { Refusal } from '../../errors.ts';
import { writeRoute } from '../../route.ts';

/**
 * Of one person: more teams than anybody works in, and fewer than would be a burden to the server.
 */
const MOST_ACCOUNTS = 50;

export const createAccountRoute = writeRoute(
  createAccount,
  async ({ actor, body, deps, writer, ...call }) => {
    if (deps.home !== 'hosted')
      throw new Refusal('conflict', {
        message: 'Only a hosted server has several accounts: this studio is for one person.',
      });
    if (deps.operatorOnly.accounts)
      throw new Refusal('operator_only', {
        message: 'On this server accounts are opened by whoever runs it: ask them for one.',
      });
    await requireConfirmed(writer, call, actor.user_id);
    if ((await writer.team.accountsOf(actor.user_id)).length >= MOST_ACCOUNTS)
      throw new Refusal('conflict', {
        message: `Nobody is in more than ${MOST_ACCOUNTS} accounts.`,
      });
    const value = await writer.teamWrites.createAccount(body.name, actor.user_id);
    writer.audit.add({
      action: 'account.created',
      object: value.account_id,
      detail: { name: value.name },
      account_id: value.account_id,
    });
    return { status: 201, value, location: '/account' };
  },
  { acrossAccounts: 'every' },
);
