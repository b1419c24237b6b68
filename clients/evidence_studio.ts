/**
 * Evidence Studio from TypeScript: one file, no dependencies, for Node.js 22.18 or later, Deno and
 * Bun.
 *
 *     import { EvidenceStudio } from './evidence_studio.ts';
 *
 *     const studio = new EvidenceStudio('http://127.0.0.1:4178', 'evs_...');
 *     const project = await studio.post<{ project_id: string }>('projects', { name: 'Review' });
 *
 * An outcome is "TRUE" (problem found), "FALSE" (evidence present), "NA" (not available) or null
 * (not recorded). A result states evidence sufficiency under one profile, never truth.
 */

export type Outcome = 'TRUE' | 'FALSE' | 'NA';

/** One cell to record. */
export interface Recording {
  item_uid: string;
  rule_uid: string;
  raw_outcome: Outcome | null;
  source_value?: string;
  notes?: string;
  provenance?: unknown;
  /** Only if the cell still has this revision; 0: only where it is unrecorded. */
  if_revision?: number;
}

/** One suggestion for a cell; an outcome of null withdraws it. */
export interface Suggestion extends Omit<Recording, 'notes'> {
  quote?: string;
  locator?: string;
  confidence?: number;
  model?: { name: string; version: string };
}

/** What a person decided about a suggestion. */
export interface Decided {
  item_uid: string;
  rule_uid: string;
  raw_outcome: Outcome | null;
  verdict: 'accepted' | 'refused';
  reason: string | null;
  by: string;
}

/** What is there to judge. `after` goes into the next call, which can wait for more. */
export interface ToJudge {
  cells: { item_uid: string; rule_uid: string; revision: number }[];
  stale: { item_uid: string; rule_uid: string }[];
  decided: Decided[];
  after: number;
  next_cursor: string | null;
}

interface Place {
  path: string;
  code: string;
  message: string;
}

/** A request that the server refused. `code` is stable, `details` name the places. */
export class Refused extends Error {
  override name = 'Refused';
  readonly status: number;
  readonly code: string;
  readonly details: readonly Place[];

  constructor(
    status: number,
    { error = 'unknown', message = '', details = [] }: Partial<Refusal> = {},
  ) {
    const places = details.map((place) => `${place.path}: ${place.message}`).join('; ');
    super(`${error}: ${message} ${places}`.trim());
    this.status = status;
    this.code = error;
    this.details = details;
  }
}
interface Refusal {
  error: string;
  message: string;
  details: Place[];
}

type Query = Record<string, string | number | undefined>;

/** Statuses that are worth repeating, after the seconds that the server names. */
const AGAIN = new Set([429, 503]);
const TRIES = 5;
const LONGEST_WAIT = 30;
const ENTRIES_A_REQUEST = 10_000;

const pause = (seconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, seconds * 1_000);
  });

/** Calls the API of one server with one key. */
export class EvidenceStudio {
  readonly #base: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#base = `${url.replace(/\/+$/, '')}/api/v1/`;
    this.#key = key;
  }

  /** The answer of a read. `path` is below /api/v1, its parts percent-encoded. */
  get<T>(path: string, query: Query = {}): Promise<T> {
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const search = new URLSearchParams(given).toString();
    return this.#call<T>('GET', search === '' ? path : `${path}?${search}`);
  }

  /** The answer of a write. Repeats after a lost answer write nothing a second time. */
  post<T>(path: string, body: unknown, idempotencyKey: string = crypto.randomUUID()): Promise<T> {
    return this.#call<T>('POST', path, JSON.stringify(body), idempotencyKey);
  }

  /** Every entry of a list, page by page. */
  async *pages<T>(path: string, query: Query = {}): AsyncGenerator<T> {
    let cursor: string | null = null;
    do {
      const page: { data: T[]; next_cursor: string | null } = await this.get(path, {
        ...query,
        ...(cursor !== null && { cursor }),
      });
      yield* page.data;
      cursor = page.next_cursor;
    } while (cursor !== null);
  }

  /** Records cells, 10,000 in a request; each request is written whole or not at all. */
  record(caseUid: string, profileUid: string, cells: readonly Recording[]): Promise<unknown[]> {
    return this.#inParts(cells, (outcomes) => {
      const items = [...new Set(outcomes.map(({ item_uid }) => item_uid))];
      return this.post(`cases/${encodeURIComponent(caseUid)}/evidence`, {
        profile_uid: profileUid,
        items: items.map((item_uid) => ({ item_uid })),
        outcomes,
      });
    });
  }

  /** Suggests outcomes for a person to decide; cells that changed meanwhile are skipped. */
  suggest(caseUid: string, profileUid: string, cells: readonly Suggestion[]): Promise<unknown[]> {
    return this.#inParts(cells, (suggestions) =>
      this.post(`cases/${encodeURIComponent(caseUid)}/suggestions`, {
        profile_uid: profileUid,
        suggestions,
        on_conflict: 'skip',
      }),
    );
  }

  /** The cells that this key has yet to judge; `wait` and `after` wait for more. */
  toJudge(
    caseUid: string,
    profileUid: string,
    query: { after?: number; wait?: number; cursor?: string; limit?: number } = {},
  ): Promise<ToJudge> {
    const path = `cases/${encodeURIComponent(caseUid)}/to-judge`;
    return this.get<ToJudge>(path, { profile_uid: profileUid, ...query });
  }

  async #inParts<T>(
    entries: readonly T[],
    send: (part: readonly T[]) => Promise<unknown>,
  ): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (let at = 0; at < entries.length; at += ENTRIES_A_REQUEST)
      answers.push(await send(entries.slice(at, at + ENTRIES_A_REQUEST)));
    return answers;
  }

  async #call<T>(method: string, path: string, body?: string, once?: string): Promise<T> {
    for (let left = TRIES - 1; ; left -= 1) {
      const answer = await this.#send(method, path, body, once).catch((error: unknown) => {
        if (left === 0) throw error;
        return undefined;
      });
      if (answer?.ok === true) return (await answer.json()) as T;
      if (answer !== undefined && (left === 0 || !AGAIN.has(answer.status)))
        throw new Refused(answer.status, (await answer.json().catch(() => ({}))) as Refusal);
      const wait = Number(answer?.headers.get('retry-after') ?? 1);
      await pause(Math.min(LONGEST_WAIT, Number.isFinite(wait) ? wait : 1));
    }
  }

  #send(method: string, path: string, body?: string, once?: string): Promise<Response> {
    return fetch(this.#base + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(once !== undefined && { 'idempotency-key': once }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    });
  }
}
