import type { z } from 'zod';
import type { CallResult, Failure } from '../../../shared/contract/call.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { CallError, type Client } from './client.ts';
import type { Database } from '../store/db.ts';

/** An answer, and whether it is a stored copy because the server could not be asked. */
export interface Kept<T> {
  data: T;
  stale: boolean;
  /** When the copy was made, ms since 1970. */
  at: number;
  /** Of a list: there may be more than was read here. */
  isPartial?: true;
}

/** What an endpoint that lists hands out. */
export type ElementOf<E extends Endpoint> =
  z.output<E['response']> extends { data: (infer T)[] } ? T : never;

const MAX_PAGES = 500;
const LIMIT = '200';
/** How long a page waits for the server before it shows the stored copy. Milliseconds. */
const PATIENCE_MS = 8_000;

type QueryParts = Record<string, string | undefined>;
type FetchedAnswer<T> = { kind: 'ok'; body: T } | Failure;

export const keyOf = (name: string, parts: readonly (string | undefined)[]): string =>
  [name, ...parts.map((part) => part ?? '')].join('/');

const elementsOf = <E extends Endpoint>(endpoint: E): z.ZodType<ElementOf<E>[]> =>
  (endpoint.response as unknown as z.ZodObject<{ data: z.ZodType<ElementOf<E>[]> }>).shape.data;

/** Whether the server could not be asked, rather than refusing. */
const isAway = (failure: Failure): boolean =>
  failure.kind !== 'refused' || failure.status >= 500 || failure.status === 429;

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

  /** The stored copy alone, unparsed. */
  async copy(key: string): Promise<Kept<unknown> | undefined> {
    const row = await this.#db.lists.get(key);
    return row === undefined ? undefined : { data: row.data, stale: true, at: row.at };
  }

  /**
   * The elements of all pages of a list; without the server and a copy of it, the records that were
   * read by themselves.
   */
  async listOrRecords<E extends Endpoint>(
    endpoint: E,
    name: string,
    filter: QueryParts,
    recordName: string,
    isMeant: (element: ElementOf<E>) => boolean,
  ): Promise<Kept<ElementOf<E>[]>> {
    try {
      return await this.list(endpoint, name, filter);
    } catch (error) {
      if (!(error instanceof CallError) || !isAway(error.failure)) throw error;
      const schema = elementsOf(endpoint);
      const found = (await this.#db.lists.toArray()).flatMap(({ key, data, at }) =>
        key.startsWith(recordName)
          ? (schema.safeParse([data]).data ?? [])
              .filter(isMeant)
              .map((element) => ({ element, at }))
          : [],
      );
      if (found.length === 0) throw error;
      return {
        data: found.map(({ element }) => element),
        stale: true,
        at: Math.min(...found.map(({ at }) => at)),
        isPartial: true,
      };
    }
  }

  /** The elements of all pages of a list. */
  list<E extends Endpoint>(
    endpoint: E,
    name: string,
    filter: QueryParts,
  ): Promise<Kept<ElementOf<E>[]>> {
    const schema = elementsOf(endpoint);
    return this.#answer<ElementOf<E>[]>(
      keyOf(name, Object.values(filter)),
      schema,
      (patience) =>
        this.#pages(endpoint, filter, patience) as Promise<FetchedAnswer<ElementOf<E>[]>>,
    );
  }

  one<T>(
    endpoint: Endpoint,
    key: string,
    params: Record<string, string>,
    query: QueryParts = {},
    mayKeep?: (body: T) => boolean,
  ): Promise<Kept<T>> {
    return this.#answer<T>(
      key,
      endpoint.response as z.ZodType<T>,
      (patience) => this.#call(endpoint, params, query, patience) as Promise<FetchedAnswer<T>>,
      mayKeep,
    );
  }

  /** One record; without the server and a copy of its own, as a stored list of `name` has it. */
  async record<T>(
    endpoint: Endpoint,
    key: string,
    params: Record<string, string>,
    name: string,
    isMeant: (element: T) => boolean,
  ): Promise<Kept<T>> {
    try {
      return await this.one<T>(endpoint, key, params);
    } catch (error) {
      if (!(error instanceof CallError) || !isAway(error.failure)) throw error;
      const listed = await this.#listed(name, endpoint.response as z.ZodType<T>, isMeant);
      if (listed === undefined) throw error;
      return listed;
    }
  }

  async #listed<T>(
    name: string,
    schema: z.ZodType<T>,
    isMeant: (element: T) => boolean,
  ): Promise<Kept<T> | undefined> {
    // Keys may be encrypted, and then have no order.
    for (const { key, data, at } of await this.#db.lists.toArray()) {
      if (!key.startsWith(name)) continue;
      const found = (Array.isArray(data) ? data : [])
        .map((element) => schema.safeParse(element))
        .find((parsed) => parsed.success && isMeant(parsed.data));
      if (found?.success === true) return { data: found.data, stale: true, at };
    }
    return undefined;
  }

  async #answer<T>(
    key: string,
    schema: z.ZodType<T>,
    fetch: (patience: number | undefined) => Promise<FetchedAnswer<T>>,
    mayKeep: (body: T) => boolean = () => true,
  ): Promise<Kept<T>> {
    const stored = await this.copy(key);
    const parsed = stored === undefined ? undefined : schema.safeParse(stored.data);
    const usable =
      stored !== undefined && parsed?.success === true
        ? { ...stored, data: parsed.data }
        : undefined;
    const result = await fetch(usable === undefined ? undefined : PATIENCE_MS);
    if (result.kind === 'ok') {
      const at = this.#now();
      // The copy is a convenience: a full disk must not hide the server's answer.
      if (mayKeep(result.body))
        await this.#db.lists.put({ key, at, data: result.body }).catch(() => undefined);
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
