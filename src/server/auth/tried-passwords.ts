import type { UserId } from '../../shared/contract/ids.ts';
import { createHash } from 'node:crypto';
import type { Deps } from '../context/deps.ts';
import { subjectOf } from './address.ts';
import { StoreError } from '../storage/db/errors.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';
import type { Tried } from '../storage/accounts/tried-passwords.ts';

/** How long it is kept for a person who does not sign in, ms. */
export const TRIED_KEPT = 90 * 24 * 3_600_000;
/**
 * Most pairs of person and address counted between two writes; tries beyond them are not counted.
 */
const MAX_COUNTED = 5_000;

/**
 * Counts wrong passwords of a person in browsers that they never signed in with, for the notice at
 * the next sign-in. Addresses are stored as hashes: the person learns how many there were.
 */
export function createTriedPasswords(deps: Pick<Deps, 'store' | 'clock' | 'logger'>) {
  const counts = new Map<string, Tried>();
  let flushing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    if (counts.size === 0 || !deps.store.health().ok) return;
    const due = [...counts];
    counts.clear();
    try {
      await deps.store.transact(
        (writer) => writer.signInLimits.countTried(due.map(([, tried]) => tried)),
        EVERY_ACCOUNT,
      );
    } catch (error) {
      if (error instanceof StoreError)
        for (const [name, tried] of due) if (!counts.has(name)) counts.set(name, tried);
      deps.logger.warn(
        { error: error instanceof Error ? error.name : 'unknown', entries: due.length },
        'tried passwords were not counted',
      );
    }
  }

  return {
    /** `refused`: it was not compared, because there had been too many. */
    note({
      user_id,
      address,
      refused,
    }: {
      user_id: UserId;
      address: string;
      refused: boolean;
    }): void {
      const subject = createHash('sha256')
        .update(`tried ${subjectOf(address)}`)
        .digest('hex');
      const name = `${user_id} ${subject}`;
      const at = new Date(deps.clock.now()).toISOString();
      const known = counts.get(name);
      if (known === undefined && counts.size >= MAX_COUNTED) return;
      const { wrong, refused: unread, first_at } = known ?? { wrong: 0, refused: 0, first_at: at };
      counts.set(name, {
        user_id,
        subject,
        wrong: wrong + (refused ? 0 : 1),
        refused: unread + (refused ? 1 : 0),
        first_at,
        last_at: at,
      });
    },
    flush: (): Promise<void> => (flushing = flushing.then(write)),
  };
}
export type TriedCounter = ReturnType<typeof createTriedPasswords>;
