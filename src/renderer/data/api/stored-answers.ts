import type { z } from 'zod';
import type { CallResult, Failure } from '../../../shared/contract/call.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { CallError, type Client } from './client.ts';
import type { Database } from '../store/db.ts';
import type { ListPage, ListPlace, StoredList } from './list-page.ts';

/** An answer, and whether it is a stored copy because the server could not be asked. */
export interface CachedAnswer<T> {
  data: T;
  stale: boolean;
  /** When the copy was made, ms since 1970. */
  at: number;
  /** Of a list: the server may have more entries than are stored here. */
  isPartial?: true;
}

/** What an endpoint that lists hands out. */
export type ElementOf<E extends Endpoint> =
  z.output<E['response']> extends { data: (infer T)[] } ? T : never;

const MAX_PAGES = 500;
const LIMIT = '200';
const PAGE = 50;
/** Most records of a kind that are stored; beyond that, those read longest ago are deleted. */
const MAX_RECORDS = 2_000;
/** How many more are stored before any are deleted. */
const MARGIN = 200;
/** The next page of a list that is read from here. */
const STORED = 'stored';
/** How long a page waits for the server before it shows the stored copy. Milliseconds. */
const PATIENCE_MS = 8_000;

type QueryParts = Record<string, string | undefined>;
type FetchedAnswer<T> = { kind: 'ok'; body: T } | Failure;

export const keyOf = (name: string, parts: readonly (string | undefined)[]): string =>
  [name, ...parts.map((part) => part ?? '')].join('/');

const elementsOf = <E extends Endpoint>(endpoint: E): z.ZodType<ElementOf<E>[]> =>
  (endpoint.response as z.ZodType as z.ZodObject<{ data: z.ZodType<ElementOf<E>[]> }>).shape.data;

/** Whether the server could not be asked, rather than refusing. */
const isAway = (failure: Failure): boolean =>
  failure.kind !== 'refused' || failure.status >= 500 || failure.status === 429;

const isGone = (failure: Failure): boolean => failure.kind === 'refused' && failure.status === 404;

/** Key of the note that a list was read to its end on one page, so it has no other entries. */
const wholeKey = (kind: string, { search: _, sort: __, order: ___, ...filter }: QueryParts) =>
  keyOf(
    `whole-${kind}`,
    Object.entries(filter)
      .map(([name, value]) => `${name}=${value}`)
      .sort(),
  );

/**
 * Answers of the server, each stored under a key for use without it. A refusal by the server is
 * thrown as CallError, since showing a copy would hide it.
 */
export class StoredAnswers {
  readonly #client: Client;
  readonly #db: Database;
  readonly #now: () => number;

  constructor(client: Client, db: Database, now: () => number) {
    this.#client = client;
    this.#db = db;
    this.#now = now;
  }

  /**
   * One page of a list. Its entries are stored one by one, each as if it had been read by itself;
   * without the server the page is made of what is stored.
   */
  async page<E extends Endpoint>(
    endpoint: E,
    filter: QueryParts,
    { cursor, offset = 0, limit = PAGE }: ListPlace,
    stored: StoredList<ElementOf<E>>,
  ): Promise<CachedAnswer<ListPage<ElementOf<E>>>> {
    const here = async (): Promise<CachedAnswer<ListPage<ElementOf<E>>> | undefined> =>
      this.#storedPage(endpoint, filter, { offset, limit }, stored);
    if (cursor === STORED) {
      const found = await here();
      if (found !== undefined) return found;
    }
    const isAny = (await this.#db.lists.where('kind').equals(stored.kind).count()) > 0;
    const query = Object.fromEntries(
      Object.entries({ ...filter, cursor }).filter(([, value]) => value !== undefined),
    );
    const result = await this.#call(
      endpoint,
      {},
      { ...query, limit: String(limit) },
      isAny ? PATIENCE_MS : undefined,
    );
    if (result.kind !== 'ok') {
      const found = isAway(result) ? await here() : undefined;
      if (found !== undefined) return found;
      throw new CallError(result);
    }
    const { data, next_cursor: next } = result.body as {
      data: ElementOf<E>[];
      next_cursor: string | null;
    };
    const isWhole = cursor === undefined && next === null && filter['search'] === undefined;
    await this.#storePage(stored, filter, data, isWhole).catch(() => undefined);
    return { data: { entries: data, next }, stale: false, at: this.#now() };
  }

  /**
   * Stores the entries of a page; if that is the whole list, deletes stored entries that are not in
   * it.
   */
  async #storePage<T>(
    { kind, keyOf: recordKey, isMeant }: StoredList<T>,
    filter: QueryParts,
    entries: readonly T[],
    isWhole: boolean,
  ): Promise<void> {
    const { lists } = this.#db;
    const at = this.#now();
    const rows = entries.map((data) => ({ key: recordKey(data), kind, at, data }));
    const whole = wholeKey(kind, filter);
    if (isWhole) {
      const read = new Set(rows.map(({ key }) => key));
      const before = await lists.where('kind').equals(kind).toArray();
      await lists.bulkDelete(
        before
          .filter(({ key, data }) => !read.has(key) && isMeant(data as T))
          .map(({ key }) => key),
      );
      await lists.put({ key: whole, at, data: true });
    } else await lists.delete(whole);
    await lists.bulkPut(rows);
    if ((await lists.where('kind').equals(kind).count()) <= MAX_RECORDS + MARGIN) return;
    const all = await lists.where('kind').equals(kind).toArray();
    const oldest = all.sort((a, b) => a.at - b.at).slice(0, all.length - MAX_RECORDS);
    await lists.bulkDelete(oldest.map(({ key }) => key));
  }

  async #storedPage<E extends Endpoint>(
    endpoint: E,
    filter: QueryParts,
    { offset, limit }: { offset: number; limit: number },
    { kind, isMeant, compare }: StoredList<ElementOf<E>>,
  ): Promise<CachedAnswer<ListPage<ElementOf<E>>> | undefined> {
    const schema = elementsOf(endpoint);
    const rows = await this.#db.lists.where('kind').equals(kind).toArray();
    const found = rows
      .flatMap(({ data, at }) =>
        (schema.safeParse([data]).data ?? []).map((entry) => ({ entry, at })),
      )
      .filter(({ entry }) => isMeant(entry))
      .sort((a, b) => compare(a.entry, b.entry));
    const whole = await this.#db.lists.get(wholeKey(kind, filter));
    if (found.length === 0 && whole === undefined) return undefined;
    const shown = found.slice(offset, offset + limit);
    return {
      data: {
        entries: shown.map(({ entry }) => entry),
        next: offset + limit < found.length ? STORED : null,
      },
      stale: true,
      at: Math.min(...shown.map(({ at }) => at), whole?.at ?? Infinity),
      ...(whole === undefined && { isPartial: true as const }),
    };
  }

  /** The elements of all pages of a list. */
  list<E extends Endpoint>(
    endpoint: E,
    name: string,
    filter: QueryParts,
  ): Promise<CachedAnswer<ElementOf<E>[]>> {
    const schema = elementsOf(endpoint);
    return this.#answer<ElementOf<E>[]>(
      keyOf(name, Object.values(filter)),
      schema,
      (patience) =>
        this.#pages(endpoint, filter, patience) as Promise<FetchedAnswer<ElementOf<E>[]>>,
    );
  }

  /** The same for several filters, without a copy. */
  async unstored<E extends Endpoint>(
    endpoint: E,
    filters: readonly QueryParts[],
  ): Promise<CachedAnswer<ElementOf<E>[]>> {
    const all: ElementOf<E>[] = [];
    for (const filter of filters) {
      const result = await this.#pages(endpoint, filter, undefined);
      if (result.kind !== 'ok') throw new CallError(result);
      all.push(...(result.body as ElementOf<E>[]));
    }
    return { data: all, stale: false, at: this.#now() };
  }

  one<T>(
    endpoint: Endpoint,
    key: string,
    params: Record<string, string>,
    query: QueryParts = {},
    {
      mayKeep,
      kind,
      patienceMs,
    }: {
      mayKeep?: (body: T) => boolean;
      kind?: string;
      patienceMs?: number | undefined;
    } = {},
  ): Promise<CachedAnswer<T>> {
    return this.#answer<T>(
      key,
      endpoint.response as z.ZodType<T>,
      (patience) =>
        this.#call(endpoint, params, query, patience && (patienceMs ?? patience)) as Promise<
          FetchedAnswer<T>
        >,
      mayKeep,
      kind,
    );
  }

  /**
   * One record of a list; its stored copy is deleted where the server answers that there is none.
   */
  async record<T>(
    endpoint: Endpoint,
    kind: string,
    key: string,
    params: Record<string, string>,
    patienceMs?: number,
  ): Promise<CachedAnswer<T>> {
    try {
      return await this.one<T>(endpoint, key, params, {}, { kind, patienceMs });
    } catch (error) {
      if (error instanceof CallError && isGone(error.failure))
        await this.#db.lists.delete(key).catch(() => undefined);
      throw error;
    }
  }

  async #answer<T>(
    key: string,
    schema: z.ZodType<T>,
    fetch: (patience: number | undefined) => Promise<FetchedAnswer<T>>,
    mayKeep: (body: T) => boolean = () => true,
    kind?: string,
  ): Promise<CachedAnswer<T>> {
    const stored = await this.#db.lists.get(key);
    const parsed = stored === undefined ? undefined : schema.safeParse(stored.data);
    const usable =
      stored !== undefined && parsed?.success === true
        ? { data: parsed.data, at: stored.at, stale: true }
        : undefined;
    const result = await fetch(usable === undefined ? undefined : PATIENCE_MS);
    if (result.kind === 'ok') {
      const at = this.#now();
      // The copy is a convenience: a full disk must not hide the server's answer.
      if (mayKeep(result.body))
        await this.#db.lists
          .put({ key, at, data: result.body, ...(kind !== undefined && { kind }) })
          .catch(() => undefined);
      return { data: result.body, stale: false, at };
    }
    if (isAway(result) && usable !== undefined) return usable;
    throw new CallError(result);
  }

  async #pages(
    endpoint: Endpoint,
    filter: QueryParts,
    patience: number | undefined,
  ): Promise<FetchedAnswer<unknown[]>> {
    const query = Object.fromEntries(
      Object.entries(filter).filter(([, value]) => value !== undefined),
    );
    const all: unknown[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const result = await this.#call(
        endpoint,
        {},
        { ...query, limit: LIMIT, ...(cursor === null ? {} : { cursor }) },
        patience,
      );
      if (result.kind !== 'ok') return result;
      const body = result.body as { data: unknown[]; next_cursor: string | null };
      all.push(...body.data);
      cursor = body.next_cursor;
      if (cursor === null) break;
    }
    return { kind: 'ok', body: all };
  }

  #call(
    endpoint: Endpoint,
    params: Record<string, string>,
    query: QueryParts,
    patience: number | undefined,
  ): Promise<CallResult<unknown>> {
    // Types of a generic endpoint's input cannot be computed; what goes in here is strings only.
    const call = this.#client.call as (
      endpoint: Endpoint,
      input: { params: Record<string, string>; query: QueryParts; timeoutMs?: number },
    ) => Promise<CallResult<unknown>>;
    return call(endpoint, {
      params,
      query,
      ...(patience === undefined ? {} : { timeoutMs: patience }),
    });
  }
}
