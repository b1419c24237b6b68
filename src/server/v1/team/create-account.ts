import { createAccount } from '../../../shared/contract/v1/team.ts';
import { requireConfirmed } from '../../auth/confirmed.ts';
import { Refusal } from '../../errors.ts';
import { serviceRoute } from '../../route.ts';

/** Of one person: more teams than anybody works in, and fewer than would be a burden to the server. */
const MOST_ACCOUNTS = 50;

/** In a transaction across accounts: the one that it makes is not the caller's. */
export const createAccountRoute = serviceRoute(createAccount, async ({ actor, body, deps, transact, ...call }) => {
  if (deps.home !== 'hosted') throw new Refusal('conflict', { message: 'Only a hosted server has several accounts: this studio is for one person.' });
  const value = await transact(async (writer) => {
    await requireConfirmed(writer, call, actor.user_id);
    if ((await writer.team.accountsOf(actor.user_id)).length >= MOST_ACCOUNTS) throw new Refusal('conflict', { message: `Nobody is in more than ${MOST_ACCOUNTS} accounts.` });
    const account = await writer.teamWrites.createAccount(body.name, actor.user_id);
    writer.audit.add({ action: 'account.created', object: account.account_id, detail: { name: account.name }, account_id: account.account_id });
    return account;
  });
  return { status: 201, value, location: '/account' };
});
