import { z } from 'zod';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import type { ErrorDetail } from '../../shared/contract/errors.ts';

/** What came back of a call. A refusal, an unreadable answer and no answer at all call for different actions, so they stay apart. */
export type CallResult<T> =
  | { kind: 'ok'; status: number; body: T; headers: Headers }
  | Refusal
  | { kind: 'unreadable'; status: number; reason: string }
  | { kind: 'no_answer'; reason: 'network' | 'timeout' | 'aborted' };

/** The server answered with an error envelope. */
export interface Refusal {
  kind: 'refused';
  status: number;
  /** One of shared/contract/errors.ts, or a code of a newer server. */
  code: string;
  message: string;
  details: readonly ErrorDetail[];
  requestId: string | null;
  /** Seconds the server asked to wait, at most an hour. */
  retryAfter: number | null;
}
export type Failure<T = unknown> = Exclude<CallResult<T>, { kind: 'ok' }>;

/** What an operation is called with, in the types that its schemas take. Parts without fields may be left out. */
export interface CallInput<E extends Endpoint> {
  params?: z.input<E['params']>;
  query?: z.input<E['query']>;
  body?: z.input<NonNullable<E['body']>>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  timeoutMs?: number;
}

export interface Client {
  call<E extends Endpoint>(endpoint: E, input?: CallInput<E>): Promise<CallResult<z.output<E['response']>>>;
}

/** Thrown by `unwrap`: a failed call where no caller is there to tell the kinds apart. */
export class CallError extends Error {
  override name = 'CallError';
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failureText(failure));
    this.failure = failure;
  }
}

/** A failure in words for a person. */
export function failureText(failure: Failure): string {
  switch (failure.kind) {
    case 'refused':
      return failure.message;
    case 'unreadable':
      return 'The answer was not readable. Something between this window and the server may have replaced it.';
    case 'no_answer':
      return failure.reason === 'timeout' ? 'The server did not answer in time.' : 'The server could not be reached.';
  }
}

/** The body of a successful call; throws CallError otherwise. */
export function unwrap<T>(result: CallResult<T>): T {
  if (result.kind === 'ok') return result.body;
  throw new CallError(result);
}

const DEFAULT_TIMEOUT = 30_000;
const MAX_RETRY_AFTER = 3_600;
const Envelope = z.looseObject({
  error: z.string(),
  message: z.string().catch(''),
  details: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })).catch([]),
  request_id: z.string().nullable().catch(null),
});

/** Fills the path's `{names}` and appends the query. Relative on purpose: the window's origin is the only server there is. */
export function urlOf(endpoint: Endpoint, params: Record<string, string> = {}, query: Record<string, string | undefined> = {}): string {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value);
  return search.size > 0 ? `${path}?${search}` : path;
}

function retryAfter(headers: Headers): number | null {
  const text = headers.get('retry-after');
  return text !== null && /^\d{1,9}$/.test(text) ? Math.min(Number(text), MAX_RETRY_AFTER) : null;
}

async function readJson(response: Response): Promise<{ value: unknown } | { reason: string }> {
  if (!(response.headers.get('content-type') ?? '').includes('json')) return { reason: 'not JSON' };
  try {
    return { value: await response.json() };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : 'cut short' };
  }
}

/** Typed calls of the API's operations. It never retries and never throws on an answer. */
export function createClient(fetch: typeof globalThis.fetch): Client {
  async function call(endpoint: Endpoint, input: { params?: unknown; query?: unknown; body?: unknown; headers?: Record<string, string>; signal?: AbortSignal; timeoutMs?: number } = {}): Promise<CallResult<unknown>> {
    const timeout = AbortSignal.timeout(input.timeoutMs ?? DEFAULT_TIMEOUT);
    const signal = input.signal === undefined ? timeout : AbortSignal.any([timeout, input.signal]);
    const headers: Record<string, string> = { accept: 'application/json', ...input.headers };
    if (endpoint.method === 'POST') headers['content-type'] = 'application/json';
    let response: Response;
    let read: Awaited<ReturnType<typeof readJson>>;
    try {
      response = await fetch(urlOf(endpoint, input.params as Record<string, string>, input.query as Record<string, string>), {
        method: endpoint.method,
        headers,
        credentials: 'same-origin',
        redirect: 'error',
        cache: 'no-store',
        signal,
        ...(endpoint.method === 'POST' ? { body: JSON.stringify(input.body ?? {}) } : {}),
      });
      read = await readJson(response);
    } catch {
      return { kind: 'no_answer', reason: input.signal?.aborted === true ? 'aborted' : timeout.aborted ? 'timeout' : 'network' };
    }
    const { status } = response;
    if ('reason' in read) return { kind: 'unreadable', status, reason: read.reason };
    if (!response.ok) {
      const envelope = Envelope.safeParse(read.value);
      if (!envelope.success) return { kind: 'unreadable', status, reason: 'no error envelope' };
      const { error, message, details, request_id } = envelope.data;
      return { kind: 'refused', status, code: error, message: message === '' ? error : message, details, requestId: request_id, retryAfter: retryAfter(response.headers) };
    }
    const parsed = endpoint.response.safeParse(read.value);
    if (!parsed.success) return { kind: 'unreadable', status, reason: z.prettifyError(parsed.error).slice(0, 500) };
    return { kind: 'ok', status, body: parsed.data, headers: response.headers };
  }
  return { call: call as Client['call'] };
}
