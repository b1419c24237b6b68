import type { z } from 'zod';
import {
  type CallInput,
  type CallResult,
  type Failure,
  readAnswer,
} from '../../shared/contract/call.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import type { StreamName } from '../../shared/contract/ids.ts';
import { SYNC_LIMITS } from '../../shared/contract/sync.ts';
import { batch, BATCHED, type Batched, batchWeight } from '../../shared/contract/sync-batch.ts';
import { type AnswerKind, answerOf } from '../../sync/answers.ts';
import type { HostedClient } from './client.ts';

/**
 * How long a request about one log waits for those about others, ms: for each link that is being
 * served, and at most. It does not wait where all of these have asked.
 */
const GATHER_MS = { each: 2, most: 100 } as const;
/** Most requests under way: what is asked meanwhile goes together when one has been answered. */
const AT_ONCE = 3;

/** Failures of a request that are not about one of its parts: about the sender, or the moment. */
const ABOUT_ALL: ReadonlySet<AnswerKind> = new Set([
  'signed_out',
  'read_only',
  'other_user',
  'too_old',
  'busy',
  'unable',
  'silent',
  'aborted',
]);
/** Those that a server that is not there may have caused as well. */
const DOUBTFUL: ReadonlySet<AnswerKind> = new Set(['fault', 'foreign']);

type LogInput<E extends Endpoint> = Pick<CallInput<E, AbortSignal>, 'query' | 'body'>;

/** A request about one log that is still to be sent. */
interface Waiting {
  operation: Batched;
  stream: StreamName;
  witness: string | undefined;
  input: LogInput<Endpoint>;
  bytes: number;
  /** 0 where another request of its link goes with it, else 1. */
  links: 0 | 1;
  answer(result: CallResult<unknown>): void;
  fail(error: unknown): void;
}

const linksOf = (some: readonly Waiting[]): number =>
  some.reduce((sum, { links }) => sum + links, 0);

export interface LogRequestPorts {
  client: HostedClient;
  signal: AbortSignal;
  /** Most parts of a batch that the other side takes; 1 where it takes none. */
  parts(): number;
  /** How many links are being served: each asks one thing at a time, or some things together. */
  served(): number;
  /** Whether the other side answers another question at this moment. */
  answers(): Promise<boolean>;
}

/** Bytes of a request about one log, about. */
function bytesOf({ body }: LogInput<Endpoint>): number {
  let bytes = 200;
  const lists = Object.values((body ?? {}) as Record<string, unknown>).filter(Array.isArray);
  for (const one of lists.flat() as unknown[])
    bytes += 80 + (one instanceof Object && 'change' in one ? String(one.change).length : 0);
  return bytes;
}

/**
 * Requests about logs. Those that several links make at the same time go in one, where the other
 * side takes that; each gets its own answer, as if it had been sent alone.
 */
export class LogRequests {
  readonly #ports: LogRequestPorts;
  readonly #waiting: Waiting[] = [];
  /** How many links wait for an answer, and to how many requests. */
  readonly #underWay = { links: 0, requests: 0 };
  /** More is being asked that goes with what waits. */
  #isHeld = false;
  #timer: NodeJS.Timeout | undefined;
  /** A server of an earlier version has taken the place of the one that was asked what it takes. */
  #isAlone = false;

  constructor(ports: LogRequestPorts) {
    this.#ports = ports;
  }

  /** Whether several requests may go in one. */
  get isGathering(): boolean {
    return !this.#isAlone && this.#ports.parts() > 1;
  }

  /** The other side has said again what it takes. */
  met(): void {
    this.#isAlone = false;
  }

  /** What a link asks for in `ask` goes in one request, where the other side takes that. */
  together<T>(ask: () => T): T {
    this.#isHeld = true;
    try {
      return ask();
    } finally {
      this.#isHeld = false;
      if (this.#waiting.length > 0) this.#gather();
    }
  }

  call<O extends Batched>(
    operation: O,
    stream: StreamName,
    witness: string | undefined,
    input: LogInput<(typeof BATCHED)[O]>,
  ): Promise<CallResult<z.output<(typeof BATCHED)[O]['response']>>> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        operation,
        stream,
        witness,
        input,
        bytes: bytesOf(input),
        links: this.#isHeld && this.#waiting.some((one) => one.stream === stream) ? 0 : 1,
        answer: (result) => {
          this.#underWay.links -= waiting.links;
          (resolve as Waiting['answer'])(result);
        },
        fail: reject,
      };
      if (!this.isGathering) {
        this.#underWay.links += waiting.links;
        this.#sendAlone(waiting).catch(reject);
        return;
      }
      this.#waiting.push(waiting);
      if (!this.#isHeld) this.#gather();
    });
  }

  get #isFull(): boolean {
    return (
      this.#waiting.length >= this.#ports.parts() ||
      this.#waiting.reduce((sum, one) => sum + one.bytes, 0) >= SYNC_LIMITS.bytes
    );
  }

  #gather(): void {
    // Nobody else is left who might ask.
    const isAll = linksOf(this.#waiting) + this.#underWay.links >= this.#ports.served();
    if (isAll) this.#flush();
    else {
      this.#flush(() => this.#isFull);
      const { each, most } = GATHER_MS;
      this.#timer ??= setTimeout(
        () => {
          this.#timer = undefined;
          this.#flush();
        },
        Math.min(most, each * this.#ports.served()),
      );
    }
  }

  /** Sends what waits, as long as `goesOn` says so. */
  #flush(goesOn = (): boolean => true): void {
    while (this.#waiting.length > 0 && this.#underWay.requests < AT_ONCE && goesOn()) {
      const some = this.#waiting.splice(0, this.#fitting());
      this.#underWay.links += linksOf(some);
      this.#underWay.requests += 1;
      void this.#send(some)
        .catch((error: unknown) => some.forEach(({ fail }) => fail(error)))
        .finally(() => {
          this.#underWay.requests -= 1;
          if (this.#waiting.length > 0) this.#gather();
        });
    }
    if (this.#waiting.length > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** How many of those that wait go in one request. */
  #fitting(): number {
    let bytes = 0;
    const most = this.#waiting.findIndex((one, at) => {
      bytes += one.bytes;
      return at >= this.#ports.parts() || (at > 0 && bytes > SYNC_LIMITS.bytes);
    });
    return most < 0 ? this.#waiting.length : most;
  }

  async #sendAlone({ operation, stream, witness, input, answer }: Waiting): Promise<void> {
    const { client, signal } = this.#ports;
    answer(
      await client.call<Endpoint>(BATCHED[operation], {
        params: { caseUid: stream },
        ...(witness !== undefined && { headers: { 'sync-witness': witness } }),
        ...input,
        signal,
      }),
    );
  }

  /** Answers each of them, as often as it takes. */
  async #send(some: readonly Waiting[]): Promise<void> {
    const [first] = some;
    if (first === undefined) return;
    if (some.length === 1) return this.#sendAlone(first);
    if (!this.isGathering) return void (await Promise.all(some.map((one) => this.#sendAlone(one))));
    const { client, signal } = this.#ports;
    const result = await client.call(batch, {
      body: {
        parts: some.map(({ operation, stream, witness, input: { query, body } }) => ({
          operation,
          stream,
          ...(witness !== undefined && { witness }),
          ...(query !== undefined && { query }),
          ...(body !== undefined && { body }),
        })),
      },
      signal,
      weight: batchWeight(some.length),
    });
    if (result.kind !== 'ok') return this.#failed(some, result);
    const { parts } = result.body;
    if (parts.length !== some.length || parts.every((part) => part === null))
      return this.#failed(some, { kind: 'unreadable', status: 200, reason: 'other parts' });
    const left: Waiting[] = [];
    for (const [at, one] of some.entries()) {
      const part = parts[at] ?? null;
      if (part === null) left.push(one);
      else
        one.answer(
          readAnswer(BATCHED[one.operation], {
            status: part.status,
            value: part.body,
            retryAfter: part.retry_after ?? null,
          }),
        );
    }
    return this.#send(left);
  }

  /**
   * What the whole request was refused for is no part's fault unless that part is refused alone: so
   * they are sent in halves, unless it is about the sender or the moment.
   */
  async #failed(some: readonly Waiting[], failure: Failure<never>): Promise<void> {
    const kind = answerOf(failure);
    if (failure.kind === 'refused' && (failure.status === 404 || failure.status === 405))
      this.#isAlone = true;
    if (ABOUT_ALL.has(kind) || (DOUBTFUL.has(kind) && !(await this.#ports.answers()))) {
      for (const { answer } of some) answer(failure);
      return;
    }
    const half = Math.ceil(some.length / 2);
    await this.#send(some.slice(0, half));
    await this.#send(some.slice(half));
  }
}
