import type { z } from 'zod';
import type { CallResult } from '../../../shared/contract/call.ts';
import { changes, type WireChange } from '../../../shared/contract/sync.ts';
import { isCurrent, type LinkRow, pullAnswer, stampOf } from '../../../sync/link.ts';
import type { MatrixRow } from '../store/db.ts';
import { headersOf, type Link, movedTo } from './link.ts';

type PageAnswer = CallResult<z.output<typeof changes.response>>;

/**
 * A page, and the check of those of its changes that are not applied here: begun when it came, or
 * on being asked for.
 */
export interface LogPage {
  answer: PageAnswer;
  check(): Promise<void>;
}

interface Ahead {
  /** The row that the page is of. */
  row: LinkRow;
  life: number;
  page: Promise<LogPage>;
  /**
   * The row that storing the page will leave; null where nothing is read beyond it. Undefined until
   * it has come.
   */
  after?: LinkRow | null;
}

/** Pages that have come, or are on their way, beyond the one that is being stored. */
const DEPTH = 2;

/**
 * Whether a change brings back what somebody recorded, or accepts what was suggested: whose word
 * that is takes a request.
 */
export const bringsBack = ({ change }: WireChange): boolean =>
  change.includes('"restores":') || change.includes('{"from":[');

/**
 * The pages of the log in one cycle of a link. While a page is checked and stored, the next ones
 * are asked for, one at a time, each from the row that storing those before it will leave. What
 * comes is used from that row alone (R3): nothing moves by what was only read ahead.
 */
export class Pages {
  readonly #link: Link;
  #ahead: Ahead[] = [];
  #abort = new AbortController();

  constructor(link: Link) {
    this.#link = link;
  }

  /** The page that follows the link's row. */
  async next(): Promise<LogPage> {
    const ahead = this.#ahead.shift();
    if (ahead !== undefined && this.#fits(ahead)) {
      const page = await ahead.page;
      if (this.#fits(ahead)) return page;
    }
    this.end();
    const { row, signal } = this.#link;
    const answer = await this.#ask(row, signal);
    return { answer, check: () => this.#check(answer) };
  }
  /**
   * Whether the row is the one that the request was made from, and its answer is for who is signed
   * in.
   */
  #fits({ row, life }: Ahead): boolean {
    return life === this.#link.life && isCurrent(this.#link.row, row) && !this.#link.silent;
  }

  /** Called with the row that storing the page at hand will leave: asks for what follows it. */
  readAhead(to: LinkRow): void {
    const last = this.#ahead.at(-1);
    const from = last === undefined ? to : last.after;
    if (from === undefined || from === null || this.#ahead.length >= DEPTH) return;
    const { row, life, signal } = this.#link;
    const ahead: Ahead = {
      row: from,
      life,
      page: this.#read({ ...row, ...movedTo(from) }, AbortSignal.any([signal, this.#abort.signal])),
    };
    this.#ahead.push(ahead);
    void ahead.page.then(({ answer }) => {
      ahead.after = this.#rowAfter(from, answer);
      if (this.#ahead.includes(ahead)) this.readAhead(to);
    });
  }
  async #read(row: MatrixRow, signal: AbortSignal): Promise<LogPage> {
    const answer = await this.#ask(row, signal);
    const failure = this.#check(answer).then(
      () => null,
      (error: unknown) => ({ error }),
    );
    return {
      answer,
      check: async () => {
        const failed = await failure;
        if (failed !== null) throw failed.error;
      },
    };
  }
  #rowAfter(from: LinkRow, answer: PageAnswer): LinkRow | null {
    if (answer.kind !== 'ok' || !answer.body.more || answer.body.changes.some(bringsBack))
      return null;
    const checked = pullAnswer(
      from,
      { ...stampOf(from), from: from.pull_seq },
      answer.body,
      this.#link.hasher,
    );
    return checked.kind === 'use' ? checked.row : null;
  }

  /** Drops what was read ahead. */
  end(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#ahead = [];
  }

  #ask(row: MatrixRow, signal: AbortSignal): Promise<PageAnswer> {
    return this.#link.client.call(changes, {
      params: { caseUid: row.case_uid },
      query: { after: String(row.pull_seq) },
      headers: headersOf(row),
      signal,
    });
  }
  #check(answer: PageAnswer): Promise<void> {
    const { changeIds } = this.#link.state;
    const news =
      answer.kind === 'ok' ? answer.body.changes.filter(({ id }) => !changeIds.isApplied(id)) : [];
    return this.#link.check(news.map(({ id, change }) => ({ id, change })));
  }
}
