import { ApiError } from '../context/errors.ts';
import type { ServiceCall } from '../http/route.ts';

/**
 * Compares the caller's password with the one they have; false where they have none, as on one's
 * own computer. Throws wrong_password, or rate_limited after several of them, and notes it.
 */
export async function checkPassword(
  { actor, origin, deps }: Pick<ServiceCall, 'actor' | 'origin' | 'deps'>,
  given: string,
): Promise<boolean> {
  const { password = null } =
    (await deps.store.read((reader) => reader.team.person(actor.user_id))) ?? {};
  if (password === null) return false;
  const people = await deps.people();
  if (await deps.signInLimits.confirm(actor.user_id, () => people.isRight(actor.user_id, given)))
    return true;
  deps.refusals.note({
    action: 'sign_in.failed',
    account_id: actor.account_id,
    object: actor.user_id,
    address: origin.address,
    reason: 'wrong_password',
  });
  throw new ApiError('wrong_password');
}
