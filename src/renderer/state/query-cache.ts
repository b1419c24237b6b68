import type { CachedAnswer } from '../data/api/library.ts';
import { describeFailure, type ShownFailure } from './failure.ts';

export interface QueryState {
  data: unknown;
  /**
   * When the copy shown was made, ms since 1970, if the server could not be asked; undefined for a
   * fresh answer.
   */
  keptAt: number | undefined;
  /** The copy shown is of a list that may have more. */
  isPartial: boolean;
  failure: ShownFailure | undefined;
  loading: boolean;
}

interface CacheEntry {
  state: QueryState;
  listeners: Set<() => void>;
  load: (() => Promise<CachedAnswer<unknown>>) | null;
  /** Number of the latest request: an answer to an older one is dropped. */
  request: number;
  /** Of the latest request; ends also where it fails. */
  reading: Promise<void>;
}

/**
 * Answers kept in memory by key: a page seen before is drawn at once and refreshed in the
 * background.
 */
export interface QueryCache {
  read(key: string): QueryState;
  subscribe(key: string, listener: () => void): () => void;
  /** Loads, and remembers `load` for refreshing. */
  load(key: string, load: () => Promise<CachedAnswer<unknown>>): Promise<void>;
  write(key: string, data: unknown): void;
  /** Of the keys with this prefix, loads those on screen again and forgets the others. */
  invalidate(prefix: string): void;
  /** The same; ends once those on screen have been read after this call, or could not be. */
  refresh(prefix: string): Promise<void>;
}

const EMPTY: QueryState = {
  data: undefined,
  keptAt: undefined,
  isPartial: false,
  failure: undefined,
  loading: true,
};
const MAX_UNUSED = 30;

function show(entry: CacheEntry, state: QueryState): void {
  entry.state = state;
  for (const listener of entry.listeners) listener();
}

async function answer(
  entry: CacheEntry,
  load: () => Promise<CachedAnswer<unknown>>,
): Promise<void> {
  entry.request += 1;
  const { request } = entry;
  if (!entry.state.loading) show(entry, { ...entry.state, loading: true });
  try {
    const { data, stale, at, isPartial = false } = await load();
    if (request === entry.request)
      show(entry, {
        data,
        keptAt: stale ? at : undefined,
        isPartial,
        failure: undefined,
        loading: false,
      });
  } catch (error) {
    if (request === entry.request)
      show(entry, { ...entry.state, failure: describeFailure(error), loading: false });
  }
}

/** Ends once the latest request has ended, this one or one that took its place meanwhile. */
async function run(entry: CacheEntry): Promise<void> {
  if (entry.load === null) return;
  entry.reading = answer(entry, entry.load);
  let ended: Promise<void> | undefined;
  while (ended !== entry.reading) {
    ended = entry.reading;
    await ended;
  }
}

export function createQueryCache(): QueryCache {
  const entries = new Map<string, CacheEntry>();

  const entryOf = (key: string): CacheEntry => {
    const known = entries.get(key);
    if (known !== undefined) return known;
    const entry: CacheEntry = {
      state: EMPTY,
      listeners: new Set(),
      load: null,
      request: 0,
      reading: Promise.resolve(),
    };
    entries.set(key, entry);
    return entry;
  };
  const dropUnused = () => {
    const unused = [...entries].filter(([, entry]) => entry.listeners.size === 0);
    for (const [key] of unused.slice(0, Math.max(0, unused.length - MAX_UNUSED)))
      entries.delete(key);
  };

  const refresh = async (prefix: string): Promise<void> => {
    const reads: Promise<void>[] = [];
    for (const [key, entry] of entries) {
      if (!key.startsWith(prefix)) continue;
      if (entry.listeners.size > 0) reads.push(run(entry));
      else entries.delete(key);
    }
    await Promise.all(reads);
  };

  return {
    read: (key) => entries.get(key)?.state ?? EMPTY,
    subscribe(key, listener) {
      const entry = entryOf(key);
      entry.listeners.add(listener);
      return () => {
        entry.listeners.delete(listener);
        dropUnused();
      };
    },
    load(key, load) {
      const entry = entryOf(key);
      entry.load = load;
      return run(entry);
    },
    write(key, data) {
      const entry = entryOf(key);
      entry.request += 1;
      show(entry, {
        data,
        keptAt: undefined,
        isPartial: false,
        failure: undefined,
        loading: false,
      });
    },
    invalidate: (prefix) => void refresh(prefix),
    refresh,
  };
}
