import type { Principal } from '../context/principal.ts';
import type { Deps } from '../context/deps.ts';
import { ApiError } from '../context/errors.ts';
import type { RequestContext } from '../context/request.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';
import type { Store } from '../storage/store.ts';
import type { StoredKey } from '../storage/accounts/keys.ts';
import { StoreError } from '../storage/db/errors.ts';
import type { Writer } from '../storage/repositories.ts';
import type { SignedIn, StoredSession } from '../storage/accounts/sessions.ts';
import type { UsageEvent } from '../storage/accounts/usage.ts';
import type { KeyId } from '../../shared/contract/ids.ts';

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

/** Adds to a map that holds at most MAX_WAITING entries; the oldest make room. */
function setBounded<K, V>(map: Map<K, V>, key: K, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MAX_WAITING) map.delete(map.keys().next().value!);
}

/** Counts that are not written yet. */
interface UnwrittenCounts {
  events: UsageEvent[];
  /** When each key was last used. */
  keys: Map<KeyId, string>;
  sessions: Map<string, SignedIn & { at: string }>;
}
const noCounts = (): UnwrittenCounts => ({ events: [], keys: new Map(), sessions: new Map() });

type Totals = Awaited<ReturnType<Writer['usageWrites']['add']>>;

function writeCounts(store: Store, { events, keys, sessions }: UnwrittenCounts): Promise<Totals> {
  return store.transact(async (writer) => {
    const totals = events.length > 0 ? await writer.usageWrites.add(events) : [];
    for (const [keyId, at] of keys) await writer.keyWrites.used(keyId, at);
    for (const [hash, { at, ...person }] of sessions)
      await writer.sessionWrites.used(hash, person, at);
    return totals;
  }, EVERY_ACCOUNT);
}

/** Requests of each account in its latest month, as of the last write, and what it may make. */
function createQuota(quota: number | undefined) {
  const months = new Map<string, { month: string; requests: number }>();
  return {
    note(totals: Totals): void {
      for (const { account_id, month, requests } of totals)
        setBounded(months, account_id, { month, requests });
    },
    /**
     * Throws where the account's keys have used up this month's requests. Noticed up to a second
     * late, since counts are written in batches.
     */
    check({ now }: RequestContext, { actor, authMethod }: Principal): void {
      if (quota === undefined || authMethod !== 'key') return;
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
  };
}

/** Whether a use at `now` is to be noted, so long after the last that was. Both in ms. */
function createNoting(every: number): (name: string, last: number, now: number) => boolean {
  const noted = new Map<string, number>();
  return (name, last, now) => {
    if (Math.abs(now - (noted.get(name) ?? last)) < every) return false;
    noted.set(name, now);
    if (noted.size > MAX_WAITING) noted.delete(noted.keys().next().value!);
    return true;
  };
}

/** Writes counts, one write after the other. */
function createFlush(write: () => Promise<void>): () => Promise<void> {
  let flushing: Promise<void> = Promise.resolve();
  /**
   * A flush that has not begun: it writes for all who ask until then, so that none pile up before a
   * database that does not answer.
   */
  let queued: Promise<void> | undefined;
  return () => {
    queued ??= flushing = flushing.then(() => {
      queued = undefined;
      return write();
    });
    return queued;
  };
}

/**
 * Counts requests and last use of keys in memory and writes them together, so that a read never
 * waits for the disk.
 */
export function createUsage({
  store,
  logger,
  requestQuota,
}: Pick<Deps, 'store' | 'logger' | 'requestQuota'>) {
  let waiting = noCounts();
  const quota = createQuota(requestQuota);
  const isKeyNoted = createNoting(KEY_NOTED);
  const isSessionNoted = createNoting(SESSION_NOTED);

  async function write(): Promise<void> {
    if (waiting.events.length === 0 && waiting.keys.size === 0 && waiting.sessions.size === 0)
      return;
    if (!store.health().ok) return;
    const written = waiting;
    waiting = noCounts();
    try {
      quota.note(await writeCounts(store, written));
    } catch (error) {
      // Written with what is counted next, unless it can never be written. Where a commit's answer
      // was lost it may be counted twice: rather that than not at all.
      if (error instanceof StoreError)
        waiting = {
          events: [...written.events, ...waiting.events].slice(0, MAX_WAITING),
          keys: new Map([...written.keys, ...waiting.keys]),
          sessions: new Map([...written.sessions, ...waiting.sessions]),
        };
      logger.warn(
        { error: error instanceof Error ? error.name : 'unknown', events: written.events.length },
        'usage was not written',
      );
    }
  }

  return {
    add(event: UsageEvent): void {
      if (waiting.events.length < MAX_WAITING) waiting.events.push(event);
    },
    checkQuota: quota.check,
    /** Notes the use of a key, every so often, and without making its request wait. */
    keyUsed({ key_id, last_used_at }: StoredKey, now: number): void {
      const last = last_used_at === null ? 0 : Date.parse(last_used_at);
      if (isKeyNoted(key_id, last, now)) waiting.keys.set(key_id, new Date(now).toISOString());
    },
    sessionUsed(
      hash: string,
      { account_id, user_id, last_seen_at }: StoredSession,
      now: number,
    ): void {
      if (isSessionNoted(hash, Date.parse(last_seen_at), now))
        waiting.sessions.set(hash, { account_id, user_id, at: new Date(now).toISOString() });
    },
    /** Resolves when everything counted so far is stored, or could not be. */
    flush: createFlush(write),
  };
}
export type UsageMeter = ReturnType<typeof createUsage>;
