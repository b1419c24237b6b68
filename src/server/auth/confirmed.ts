import type { UserId } from '../../shared/contract/ids.ts';
import type { Reader } from '../storage/repositories.ts';
import { ApiError } from '../context/errors.ts';

/** How long after giving the password a person may make keys and change members, ms. */
export const CONFIRMED = 15 * 60_000;

/**
 * Throws where the person has a password and gave it too long ago. On a desktop nobody has one, so
 * nothing is asked there.
 */
export async function requireConfirmed(
  reader: Reader,
  { session, now }: { session: string | null; now: number },
  userId: UserId,
): Promise<void> {
  if (session === null) return;
  const stored = await reader.sessions.byHash(session);
  // A time that lies ahead was noted by a clock that ran ahead.
  if (stored !== undefined && Math.abs(now - Date.parse(stored.confirmed_at)) < CONFIRMED) return;
  if ((await reader.team.person(userId))?.password) throw new ApiError('password_needed');
}
