import { Refusal } from '../errors.ts';
import type { Reader } from '../storage/port.ts';

/** How long the password counts as just given, ms. */
export const CONFIRMED = 15 * 60_000;

/** Throws where the person has a password and gave it too long ago. Nobody has one on a desktop, and a window needs none. */
export async function requireConfirmed(reader: Reader, { session, now }: { session: string | null; now: number }, userId: string): Promise<void> {
  if (session === null) return;
  const stored = await reader.sessions.byHash(session);
  if (stored !== undefined && Date.parse(stored.confirmed_at) + CONFIRMED > now) return;
  if ((await reader.team.person(userId))?.password) throw new Refusal('password_needed');
}
