import type { Deps } from './deps.ts';
import { EVERY_ACCOUNT, type StoredKey } from './storage/port.ts';
import type { SignedIn, StoredSession } from './storage/team-port.ts';
import type { UsageEvent } from './storage/usage-port.ts';

/** What waits to be written is bounded: usage is worth less than the memory of a server whose disk is full. */
const MAX_WAITING = 10_000;
const HOUR = 3_600_000;
/** A session that is in use is noted so often: a small part of the time after which an unused one ends. */
const SESSION_NOTED = 600_000;

/** Counts requests and last use of keys in memory and writes them together, so that a read never waits for the disk. */
export function createUsage(deps: Pick<Deps, 'store' | 'logger'>) {
  let waiting: UsageEvent[] = [];
  let keys = new Map<string, string>();
  /** When each key's last use was last written. */
  const written = new Map<string, number>();
  let sessions = new Map<string, SignedIn & { at: string }>();
  const noted = new Map<string, number>();
  let flushing: Promise<void> = Promise.resolve();

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
      await deps.store.transact(async (writer) => {
        if (events.length > 0) await writer.usageWrites.add(events);
        for (const [keyId, at] of used) await writer.keyWrites.used(keyId, at);
        for (const [hash, { at, ...person }] of seen) await writer.sessionWrites.used(hash, person, at);
      }, EVERY_ACCOUNT);
    } catch (error) {
      deps.logger.warn({ error: error instanceof Error ? error.name : 'unknown', events: events.length }, 'usage was not written');
    }
  }

  return {
    add(event: UsageEvent): void {
      if (waiting.length < MAX_WAITING) waiting.push(event);
    },
    /** At most hourly a key, and never at the price of its request. */
    keyUsed(key: StoredKey, now: number): void {
      const last = written.get(key.key_id) ?? (key.last_used_at === null ? 0 : Date.parse(key.last_used_at));
      if (now - last < HOUR) return;
      written.set(key.key_id, now);
      if (written.size > MAX_WAITING) written.delete(written.keys().next().value!);
      keys.set(key.key_id, new Date(now).toISOString());
    },
    sessionUsed(hash: string, { account_id, user_id, last_seen_at }: StoredSession, now: number): void {
      if (now - (noted.get(hash) ?? Date.parse(last_seen_at)) < SESSION_NOTED) return;
      noted.set(hash, now);
      if (noted.size > MAX_WAITING) noted.delete(noted.keys().next().value!);
      sessions.set(hash, { account_id, user_id, at: new Date(now).toISOString() });
    },
    /** Resolves when everything counted so far is stored, or could not be. */
    flush(): Promise<void> {
      flushing = flushing.then(write);
      return flushing;
    },
  };
}
export type UsageMeter = ReturnType<typeof createUsage>;
