import type { TrailOwner } from '../storage/db/schema/account-tables.ts';
import { serverOrigin } from '../audit/entries.ts';
import { StoreError } from '../storage/db/errors.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';
import type { AuditEntry } from '../storage/db/audit-entry.ts';
import type { Deps } from '../context/deps.ts';

const MINUTE = 60_000;
/** Different refusals counted separately in one minute; any others are counted together. */
const MAX_KINDS = 1_000;

/** A refused sign-in: whose account it was, as far as that is known, and why. */
export interface RefusedEntry {
  action: 'sign_in.failed' | 'sign_in.limited' | 'key.refused';
  /** Empty where the account is not known. */
  account_id: TrailOwner;
  /** The user or key that was named, if there is one. */
  object: string | null;
  address: string | null;
  reason: string;
}

interface CountedRefusal extends RefusedEntry {
  minute: number;
  count: number;
}

function entryOf({
  action,
  account_id,
  object,
  address,
  reason,
  minute,
  count,
}: CountedRefusal): AuditEntry {
  return {
    action,
    account_id,
    object,
    detail: { count, reason, address, minute: new Date(minute * MINUTE).toISOString() },
  };
}

/**
 * Counts refused sign-ins and writes them to the audit trail once a minute, not one by one: a
 * stranger must not be able to make the trail grow.
 */
export function createRefusals(deps: Pick<Deps, 'store' | 'clock' | 'logger'>) {
  const counts = new Map<string, CountedRefusal>();
  let flushing: Promise<void> = Promise.resolve();
  /** A flush that has not begun, and whether it is to write everything. */
  let queued: Promise<void> | undefined;
  let everything = false;

  async function write(except: number | undefined): Promise<void> {
    const due = [...counts].filter(([, entry]) => entry.minute !== except);
    if (due.length === 0 || !deps.store.health().ok) return;
    for (const [key] of due) counts.delete(key);
    try {
      await deps.store.transact(async (writer) => {
        writer.audit.by(serverOrigin(''));
        for (const [, entry] of due) writer.audit.add(entryOf(entry));
      }, EVERY_ACCOUNT);
    } catch (error) {
      if (error instanceof StoreError)
        for (const [name, entry] of due)
          counts.set(name, { ...entry, count: entry.count + (counts.get(name)?.count ?? 0) });
      deps.logger.warn(
        { error: error instanceof Error ? error.name : 'unknown', entries: due.length },
        'refused sign-ins were not written to the audit trail',
      );
    }
  }

  return {
    note(refused: RefusedEntry): void {
      const minute = Math.floor(deps.clock.now() / MINUTE);
      const nameOf = (entry: RefusedEntry): string =>
        JSON.stringify([
          minute,
          entry.action,
          entry.account_id,
          entry.object,
          entry.address,
          entry.reason,
        ]);
      const fits = counts.size < MAX_KINDS || counts.has(nameOf(refused));
      const entry: RefusedEntry = fits
        ? refused
        : { action: refused.action, account_id: '', object: null, address: null, reason: 'others' };
      const known = counts.get(nameOf(entry));
      if (known === undefined) counts.set(nameOf(entry), { ...entry, minute, count: 1 });
      else known.count += 1;
    },
    /**
     * Writes the counts of all minutes but the present one, or of all: one that a clock ran ahead
     * to is over as well.
     */
    flush(all = false): Promise<void> {
      everything ||= all;
      queued ??= flushing = flushing.then(() => {
        const except = everything ? undefined : Math.floor(deps.clock.now() / MINUTE);
        [queued, everything] = [undefined, false];
        return write(except);
      });
      return queued;
    },
  };
}
export type Refusals = ReturnType<typeof createRefusals>;
