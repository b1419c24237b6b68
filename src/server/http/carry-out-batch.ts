import { checkCall } from '../auth/access.ts';
import { confirmPrincipal } from '../auth/authenticate.ts';
import { BATCH_LIMITS, type BatchBody, type BatchPart } from '../../shared/contract/sync-batch.ts';
import type { AdmittedCall, Performed, PerformedPart } from '../context/call.ts';
import { ApiError, toAnswer } from '../context/errors.ts';
import { StoreError } from '../storage/db/errors.ts';
import { JSON_TYPE } from './headers.ts';
import { parseWith } from './issues.ts';
import { readWitness } from './preconditions.ts';
import type { BatchRoute, HandlerDeps, ReadRoute, Result, WriteRoute } from './route.ts';
import { checkBody, patienceOf, render, toRead, toWrite } from './stored-call.ts';

/** Of the store as a whole: no part would fare better alone. */
const STORE_WIDE: ReadonlySet<string> = new Set(['unavailable', 'read_only', 'storage_full']);
const isStoreWide = (error: unknown): boolean =>
  error instanceof StoreError && STORE_WIDE.has(error.code);

/** A part whose credentials and input were checked, as those of its request alone would be. */
interface AdmittedPart<R extends ReadRoute | WriteRoute = ReadRoute | WriteRoute> {
  at: number;
  stream: string;
  route: R;
  call: Omit<AdmittedCall, 'received'>;
  body: unknown;
}
/** The text of a part's answer, and what is counted of it. */
type PartAnswer = PerformedPart & { text: string };

function admit(
  { operations }: BatchRoute,
  { operation, stream, witness, query, body }: BatchPart,
  at: number,
  asked: AdmittedCall,
): AdmittedPart {
  const route = operations.get(operation);
  if (route === undefined) throw new ApiError('invalid_request');
  const { endpoint } = route;
  checkCall(asked.principal, endpoint);
  const name = (path: string): string => path.slice(1);
  const params = parseWith(endpoint.params, { caseUid: stream }, 'invalid_uid', name);
  const parsed = parseWith(endpoint.query, query ?? {}, 'invalid_query', name);
  if (endpoint.body === undefined && body !== undefined)
    throw new ApiError('invalid_request', { message: 'This operation takes no body.' });
  return {
    at,
    stream,
    route,
    call: { ...asked, params, query: parsed, witness: readWitness(witness), held: undefined },
    body: checkBody(endpoint, body),
  };
}

/** Some of the parts, as far as they were carried out. */
type DoneParts = readonly (readonly [part: AdmittedPart, answer: PartAnswer])[];

function answered({ endpoint }: ReadRoute | WriteRoute, result: Result<unknown>): PartAnswer {
  const { status, body } = render(result);
  return {
    action: endpoint.id,
    status,
    counted: result.counted ?? {},
    text: `{"status":${status},"body":${String(body)}}`,
  };
}

function refused(action: string, error: unknown, requestId: string | null): PartAnswer {
  const { status, code, headers, body } = toAnswer(error, requestId ?? '');
  const wait = headers['Retry-After'];
  return {
    action,
    status,
    counted: {},
    text: `{"status":${status},${wait === undefined ? '' : `"retry_after":${wait},`}"body":${body}}`,
    ...(code === 'internal_error' && { fault: error }),
  };
}

/** The answers of a batch as they come, and whether another part may be begun. */
class Answers {
  readonly #parts = new Map<number, PartAnswer>();
  readonly #end = performance.now() + BATCH_LIMITS.ms;
  #bytes = 0;

  put(at: number, answer: PartAnswer): void {
    this.#parts.set(at, answer);
    this.#bytes += answer.text.length;
  }
  /** `more`: what is to be added to the answers that are here. */
  isFull(more: DoneParts = []): boolean {
    if (this.#parts.size + more.length === 0) return false;
    const bytes = more.reduce((sum, [, { text }]) => sum + text.length, this.#bytes);
    return bytes >= BATCH_LIMITS.bytes || performance.now() >= this.#end;
  }
  of(parts: number): Performed {
    const all = Array.from({ length: parts }, (_, at) => this.#parts.get(at));
    return {
      answer: {
        status: 200,
        headers: { 'Content-Type': JSON_TYPE },
        body: `{"parts":[${all.map((part) => part?.text ?? 'null').join(',')}]}`,
      },
      counted: {},
      parts: [...this.#parts.values()].map(({ text: _, ...part }) => part),
    };
  }
}

/** Carries out the parts of one batch for one caller. */
class BatchWork {
  readonly #asked: AdmittedCall;
  readonly #deps: HandlerDeps;
  readonly #answers = new Answers();

  constructor(asked: AdmittedCall, deps: HandlerDeps) {
    this.#asked = asked;
    this.#deps = deps;
  }

  async run(route: BatchRoute, parts: readonly BatchPart[]): Promise<Performed> {
    const reading: AdmittedPart<ReadRoute>[] = [];
    const writing: AdmittedPart<WriteRoute>[] = [];
    for (const [at, part] of parts.entries()) {
      try {
        const admitted = admit(route, part, at, this.#asked);
        if (isOf('write', admitted)) writing.push(admitted);
        else if (isOf('read', admitted)) reading.push(admitted);
      } catch (error) {
        this.#refuse(at, route.operations.get(part.operation)?.endpoint.id ?? '', error);
      }
    }
    // Whoever locks several logs does so in one order.
    writing.sort((a, b) => (a.stream < b.stream ? -1 : 1));
    await this.#each(writing, (some) => this.#write(some));
    await this.#each(reading, (some) => this.#read(some));
    return this.#answers.of(parts.length);
  }

  #refuse(at: number, action: string, error: unknown): void {
    this.#answers.put(at, refused(action, error, this.#asked.origin.request_id));
  }

  /**
   * All of them in one transaction; where that fails, each in its own, so that a refusal is that of
   * one part.
   */
  async #each<P extends AdmittedPart>(
    parts: readonly P[],
    carryOut: (parts: readonly P[]) => Promise<DoneParts>,
  ): Promise<void> {
    if (parts.length > 1 && !this.#answers.isFull()) {
      const failed = await this.#try(parts, carryOut);
      if (failed === undefined) return;
    }
    for (const part of parts) {
      if (this.#answers.isFull()) return;
      const failed = await this.#try([part], carryOut);
      if (failed !== undefined) this.#refuse(part.at, part.route.endpoint.id, failed.thrown);
    }
  }

  async #try<P extends AdmittedPart>(
    parts: readonly P[],
    carryOut: (parts: readonly P[]) => Promise<DoneParts>,
  ): Promise<{ thrown: unknown } | undefined> {
    try {
      for (const [{ at }, answer] of await carryOut(parts)) this.#answers.put(at, answer);
      return undefined;
    } catch (thrown) {
      if (isStoreWide(thrown)) throw thrown;
      return { thrown };
    }
  }

  #write(parts: readonly AdmittedPart<WriteRoute>[]): Promise<DoneParts> {
    const { principal, origin } = this.#asked;
    return this.#deps.store.transact(
      async (writer) => {
        writer.audit.by(origin);
        writer.serve(principal);
        const done: [AdmittedPart, PartAnswer][] = [];
        for (const part of parts) {
          if (this.#answers.isFull(done)) break;
          const { route, call, body } = part;
          const result = await route.handle(toWrite(call, this.#deps, { body, text: '', writer }));
          done.push([part, answered(route, result)]);
        }
        for (const { endpoint } of new Set(parts.map(({ route }) => route)))
          writer.beforeCommit(() => confirmPrincipal(principal, endpoint, writer));
        return done;
      },
      principal.actor.account_id,
      patienceOf(this.#asked),
    );
  }

  #read(parts: readonly AdmittedPart<ReadRoute>[]): Promise<DoneParts> {
    const { principal } = this.#asked;
    return this.#deps.store.read(
      async (reader) => {
        const done: [AdmittedPart, PartAnswer][] = [];
        for (const part of parts) {
          if (this.#answers.isFull(done)) break;
          const { route, call, body } = part;
          const result = await route.handle(toRead(call, this.#deps, { body, reader }));
          done.push([part, answered(route, result)]);
        }
        return done;
      },
      principal.actor.account_id,
      principal,
      patienceOf(this.#asked),
    );
  }
}

const isOf = <K extends 'read' | 'write'>(
  kind: K,
  part: AdmittedPart,
): part is AdmittedPart<Extract<ReadRoute | WriteRoute, { kind: K }>> => part.route.kind === kind;

/** Carries out a batch: each part as its request alone would be, as many as there is time for. */
export const carryOutBatch = (
  route: BatchRoute,
  { parts }: BatchBody,
  asked: AdmittedCall,
  deps: HandlerDeps,
): Promise<Performed> => new BatchWork(asked, deps).run(route, parts);
