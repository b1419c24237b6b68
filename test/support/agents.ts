import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Journal } from './journal.ts';
import { call } from './served.ts';

export const AGENTS_PROFILE = 'general_claim_evidence';
/** No answer takes so long, or it is given up. */
const LONGEST_MS = 90_000;
const PATIENCE_MS = 30_000;
const RAWS = ['TRUE', 'FALSE', 'NA'] as const;

export interface AgentsWork {
  url: string;
  key: string;
  caseUid: string;
  rules: readonly string[];
  journal: Journal;
  /** How many there are. */
  count: number;
}

/**
 * Agents that write and read what they wrote, each its own item, until told to stop. What is not
 * answered is sent again under the same key.
 */
export class Agents {
  readonly wrong: string[] = [];
  /** Between what an agent does, ms. */
  pause: number;
  acknowledged = 0;
  again = 0;
  /** Answers that nobody knows whether it is stored. */
  unknown = 0;
  #gap = 0;
  #slowest = 0;
  #last = performance.now();
  #stopped = false;
  /** When they ask no more, ms. */
  #end = Infinity;
  readonly #work: AgentsWork;
  readonly #waiting: { at: number; go: () => void }[] = [];
  readonly #agents: Promise<void>[];

  constructor(name: string, work: AgentsWork, pause = 0) {
    this.#work = work;
    this.pause = pause;
    this.#agents = Array.from({ length: work.count }, (_, n) => this.#write(`${name}-${n}`));
  }

  /** Nobody waits for more of those who were told wrong. */
  #fail(what: string): void {
    this.wrong.push(what);
    this.#stopped = true;
    for (const { go } of this.#waiting) go();
  }

  #judge(method: string, address: string, { status, headers }: Response, answer: any): void {
    const said = `${method} ${address}: ${status} ${JSON.stringify(answer)}`;
    if (status === 503) {
      // An instance that stops, or one whose database does not answer.
      if (!(Number(headers.get('retry-after')) > 0)) this.#fail(`No Retry-After. ${said}`);
      if (String(answer.message).includes('not known')) this.unknown += 1;
    }
    // The same request is still at work in another instance.
    else if (answer.error !== 'idempotency_in_progress') this.#fail(said);
  }

  async #ask(method: string, address: string, body?: unknown): Promise<any> {
    const { url, key } = this.#work;
    const idempotency = randomUUID();
    while (this.wrong.length === 0 && performance.now() < this.#end) {
      const asked = performance.now();
      try {
        const response = await fetch(url + address, {
          method,
          signal: AbortSignal.timeout(LONGEST_MS),
          headers: {
            authorization: `Bearer ${key}`,
            ...(body === undefined
              ? {}
              : { 'content-type': 'application/json', 'idempotency-key': idempotency }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const answer: any = await response.json();
        if (response.status === 200) return answer;
        this.#judge(method, address, response, answer);
      } catch {
        // Cut off: nobody knows whether it was done.
      } finally {
        this.#slowest = Math.max(this.#slowest, performance.now() - asked);
      }
      this.again += 1;
      // One that is told to come later does not ask as fast as it can.
      await delay(Math.max(50, this.pause));
    }
    return undefined;
  }

  async #write(item: string): Promise<void> {
    const { caseUid, rules, journal, count } = this.#work;
    for (let n = 0; !this.#stopped; n += 1) {
      const token = journal.token();
      const [rule_uid, raw_outcome] = [rules[n % rules.length]!, RAWS[n % 3]!];
      const written = await this.#ask('POST', `/api/v1/cases/${caseUid}/evidence`, {
        profile_uid: AGENTS_PROFILE,
        items: [{ item_uid: item }],
        outcomes: [{ item_uid: item, rule_uid, raw_outcome, source_value: token }],
      });
      if (written === undefined) return;
      journal.acknowledged(token);
      if (written.outcomes_written !== 1) this.#fail(`${token}: ${JSON.stringify(written)}`);
      this.#acknowledge();
      // Whichever instance answers, it has what was acknowledged.
      const page = await this.#ask(
        'GET',
        `/api/v1/cases/${caseUid}/evidence?profile_uid=${AGENTS_PROFILE}&limit=${3 * count}`,
      );
      const cell = page?.items
        .find((one: any) => one.item_uid === item)
        ?.evidence.find((one: any) => one.rule_uid === rule_uid);
      if (page === undefined) return;
      if (cell?.raw_outcome !== raw_outcome || cell.source_value !== token)
        this.#fail(`${token} reads ${JSON.stringify(cell)}`);
      for (const { at, go } of this.#waiting) if (this.acknowledged >= at) go();
      await delay(this.pause);
    }
  }

  #acknowledge(): void {
    this.acknowledged += 1;
    const now = performance.now();
    this.#gap = Math.max(this.#gap, now - this.#last);
    this.#last = now;
  }

  /** What has been seen since the last time that somebody asked, in ms. */
  times(): { withoutService: number; slowestAnswer: number } {
    const times = { withoutService: this.#gap, slowestAnswer: this.#slowest };
    this.#gap = 0;
    this.#slowest = 0;
    return times;
  }

  /** Resolves when so many more writes were acknowledged. */
  more(writes: number): Promise<void> {
    if (this.wrong.length > 0) return Promise.resolve();
    return new Promise((go) => this.#waiting.push({ at: this.acknowledged + writes, go }));
  }
  /** What is under way is finished, unless nobody answers. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#end = performance.now() + PATIENCE_MS;
    await Promise.all(this.#agents);
  }
}

/** How often each of the journal's tokens stands in the log of a case. */
export async function tokensOfLog({
  url,
  key,
  caseUid,
}: Pick<AgentsWork, 'url' | 'key' | 'caseUid'>): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (let after = 0, more = true; more;) {
    const page = await call(
      url,
      key,
      'GET',
      `/api/v1/sync/cases/${caseUid}/changes?after=${after}`,
    );
    if (page.status !== 200) throw new Error(`${page.status} ${JSON.stringify(page.body)}`);
    for (const { change } of page.body.changes)
      for (const [token] of String(change).matchAll(/w\d+\./g))
        times.set(token, (times.get(token) ?? 0) + 1);
    ({ to: after, more } = page.body);
  }
  return times;
}
