import { StoreError } from '../storage/db/errors.ts';
import type { StoredKey } from '../storage/accounts/keys.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';
import type { UsageEvent } from '../storage/accounts/usage.ts';
import type { SignedIn, StoredSession } from '../storage/accounts/sessions.ts';
import type { Principal } from '../context/principal.ts';
import type { Deps } from '../context/deps.ts';
import { ApiError } from '../context/errors.ts';
import type { RequestContext } from '../context/request.ts';

/**
 * Most counts kept in memory: on a full disk, usage counts are worth less than the server's memory.
 */
const MAX_WAITING = 10_000;
/** How often the use of a key is noted: often enough to tell within a minute that one is in use. */
const KEY_NOTED = 30_000;
/**
 * How often the use of a session is noted: much more often than the time after which an unused
 * session ends.
 */
const SESSION_NOTED = 600_000;

/**
 * Counts requests and last use of keys in memory and writes them together, so that a read never
 * waits for the disk.
 */
export function createUsage(deps: Pick<Deps, 'store' | 'logger' | 'requestQuota'>) {
  let waiting: UsageEvent[] = [];
  let keys = new Map<string, string>();
  /** When each key's last use was last written. */
  const keysWritten = new Map<string, number>();
  let sessions = new Map<string, SignedIn & { at: string }>();
  const noted = new Map<string, number>();
  /** Requests of each account in its latest month, as of the last write. */
  const months = new Map<string, { month: string; requests: number }>();
  let flushing: Promise<void> = Promise.resolve();
  /**
   * A flush that has not begun: it writes for all who ask until then, so that none pile up before a
   * database that does not answer.
   */
  let queued: Promise<void> | undefined;

  async function write(): Promise<void> {
    if (waiting.length === 0 && keys.size === 0 && sessions.size === 0) return;
    if (!deps.store.health().ok) return;
    const events = waiting;
    const used = keys;
    const seen = sessions;
    waiting = [];
    keys = new Map();
    sessions = new Map();
    try {
      const written = await deps.store.transact(async (writer) => {
        const totals = events.length > 0 ? await writer.usageWrites.add(events) : [];
        for (const [keyId, at] of used) await writer.keyWrites.used(keyId, at);
        for (const [hash, { at, ...person }] of seen)
          await writer.sessionWrites.used(hash, person, at);
        return totals;
      }, EVERY_ACCOUNT);
      for (const { account_id, month, requests } of written) {
        months.delete(account_id);
        months.set(account_id, { month, requests });
        if (months.size > MAX_WAITING) months.delete(months.keys().next().value!);
      }
    } catch (error) {
      // Written with what is counted next, unless it can never be written. Where a commit's answer
      // was lost it may be counted twice: rather that than not at all.
      if (error instanceof StoreError) {
        waiting = [...events, ...waiting].slice(0, MAX_WAITING);
        keys = new Map([...used, ...keys]);
        sessions = new Map([...seen, ...sessions]);
      }
      deps.logger.warn(
        { error: error instanceof Error ? error.name : 'unknown', events: events.length },
        'usage was not written',
      );
    }
  }

  return {
    add(event: UsageEvent): void {
      if (waiting.length < MAX_WAITING) waiting.push(event);
    },
    /**
     * Throws where the account's keys have used up this month's requests. Noticed up to a second
     * late, since counts are written in batches.
     */
    checkQuota({ now }: RequestContext, { actor, door }: Principal): void {
      const quota = deps.requestQuota;
      if (quota === undefined || door !== 'key') return;
      const last = months.get(actor.account_id);
      const isUsedUp =
        last !== undefined &&
        last.requests >= quota &&
        last.month === new Date(now).toISOString().slice(0, 7);
      if (isUsedUp)
        throw new ApiError('quota_exceeded', {
          message: `This account may make ${quota} requests with keys in a month, and has made them.`,
        });
    },
    /** Notes the use of a key, every so often, and without making its request wait. */
    keyUsed(key: StoredKey, now: number): void {
      const last =
        keysWritten.get(key.key_id) ??
        (key.last_used_at === null ? 0 : Date.parse(key.last_used_at));
      if (Math.abs(now - last) < KEY_NOTED) return;
      keysWritten.set(key.key_id, now);
      if (keysWritten.size > MAX_WAITING) keysWritten.delete(keysWritten.keys().next().value!);
      keys.set(key.key_id, new Date(now).toISOString());
    },
    sessionUsed(
      hash: string,
      { account_id, user_id, last_seen_at }: StoredSession,
      now: number,
    ): void {
      if (Math.abs(now - (noted.get(hash) ?? Date.parse(last_seen_at))) < SESSION_NOTED) return;
      noted.set(hash, now);
      if (noted.size > MAX_WAITING) noted.delete(noted.keys().next().value!);
      sessions.set(hash, { account_id, user_id, at: new Date(now).toISOString() });
    },
    /** Resolves when everything counted so far is stored, or could not be. */
    flush(): Promise<void> {
      queued ??= flushing = flushing.then(() => {
        queued = undefined;
        return write();
      });
      return queued;
    },
  };
}
export type UsageMeter = ReturnType<typeof createUsage>;
