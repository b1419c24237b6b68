import {
  type ApiClient,
  type CallInput,
  type CallResult,
  type Failure,
  failureText,
  parseRetryAfter,
  pathOf,
  readAnswer,
  takesBody,
} from '../../../shared/contract/call.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { tOf } from '../../text/t.ts';

/** A file as the server names it. */
export interface NamedBlob {
  name: string;
  blob: Blob;
}

export interface Client extends ApiClient<AbortSignal> {
  /** The answer of an endpoint that hands out files, as it is. */
  file(
    endpoint: Endpoint,
    input?: CallInput<Endpoint, AbortSignal>,
  ): Promise<CallResult<NamedBlob>>;
}

/** Thrown by `unwrap` for a failed call, where the caller treats all kinds of failure alike. */
export class CallError extends Error {
  override name = 'CallError';
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(tOf(failureText(failure)));
    this.failure = failure;
  }
}

/** The body of a successful call; throws CallError otherwise. */
export function unwrap<T>(result: CallResult<T>): T {
  if (result.kind === 'ok') return result.body;
  throw new CallError(result);
}

const DEFAULT_TIMEOUT = 30_000;
const FILE_TIMEOUT = 600_000;

async function readJson(response: Response): Promise<{ value: unknown } | { reason: string }> {
  if (!(response.headers.get('content-type') ?? '').includes('json')) return { reason: 'not JSON' };
  try {
    return { value: await response.json() };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : 'cut short' };
  }
}

/** The path that tells who is signed in and in which account: it is asked before that is known. */
const SESSION = '/api/v1/session';

/**
 * The user whose window sends the request, so that nothing reaches another account than the one on
 * screen. `doubt` is called where an answer says that it is not the one who is signed in.
 */
interface Asker {
  owner(): string | undefined;
  doubt(): void;
}
const NOBODY: Asker = { owner: () => undefined, doubt: () => undefined };

type EndpointInput = CallInput<Endpoint, AbortSignal>;
type Unanswered = Extract<CallResult<never>, { kind: 'no_answer' }>;

/**
 * Where a connection breaks before an answer came, a browser sends the request again by itself: by
 * this key the server does it once. The log of changes names each of its own.
 */
const isDoneOnce = ({ method, path }: Endpoint): boolean =>
  method === 'POST' && !path.startsWith('/api/v1/sync/');

const requestOf = (
  endpoint: Endpoint,
  input: EndpointInput,
  owner: string | undefined,
  once: string | undefined,
  signal: AbortSignal,
): RequestInit => ({
  method: endpoint.method,
  headers: {
    accept: 'application/json',
    ...(takesBody(endpoint) && { 'content-type': 'application/json' }),
    ...(owner !== undefined && { 'sync-user': owner }),
    ...(once !== undefined && { 'idempotency-key': once }),
    ...input.headers,
  },
  credentials: 'same-origin',
  redirect: 'error',
  cache: 'no-store',
  signal,
  ...(takesBody(endpoint) && { body: JSON.stringify(input.body ?? {}) }),
});

const unanswered = ({ signal }: EndpointInput, timeout: AbortSignal): Unanswered => ({
  kind: 'no_answer',
  reason: signal?.aborted === true ? 'aborted' : timeout.aborted ? 'timeout' : 'network',
});

/** Whether the server says that nobody, or somebody else, is signed in. */
const doubtsUser = (result: CallResult<unknown>): boolean =>
  result.kind === 'refused' && (result.status === 401 || result.code === 'other_user');

function resultOf(
  endpoint: Endpoint,
  response: Response,
  read: Awaited<ReturnType<typeof readJson>>,
): CallResult<unknown> {
  if ('reason' in read) return { kind: 'unreadable', status: response.status, reason: read.reason };
  return readAnswer(endpoint, {
    status: response.status,
    value: read.value,
    retryAfter: parseRetryAfter({
      header: response.headers.get('retry-after'),
      date: response.headers.get('date'),
    }),
  });
}

const fileNameOf = (response: Response): string =>
  /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'file';

/**
 * Paths are relative on purpose: the page's own origin is the only server that is called. `newKey`
 * makes the keys by which a request that was sent twice is done once.
 */
export function createClient(
  fetch: typeof globalThis.fetch,
  asker: Asker = NOBODY,
  newKey?: () => string,
): Client {
  /** Sends a request and reads what comes back, within its time. */
  async function ask<T>(
    endpoint: Endpoint,
    input: EndpointInput,
    read: (response: Response) => Promise<T>,
  ): Promise<{ response: Response; read: T } | Unanswered> {
    const timeout = AbortSignal.timeout(input.timeoutMs ?? DEFAULT_TIMEOUT);
    const signal = input.signal === undefined ? timeout : AbortSignal.any([timeout, input.signal]);
    const owner = endpoint.path === SESSION ? undefined : asker.owner();
    try {
      const response = await fetch(
        pathOf(
          endpoint,
          input.params as Record<string, string>,
          input.query as Record<string, string>,
        ),
        requestOf(endpoint, input, owner, isDoneOnce(endpoint) ? newKey?.() : undefined, signal),
      );
      return { response, read: await read(response) };
    } catch {
      return unanswered(input, timeout);
    }
  }

  function toResult(...answer: Parameters<typeof resultOf>): CallResult<unknown> {
    const result = resultOf(...answer);
    if (answer[0].path !== SESSION && doubtsUser(result)) asker.doubt();
    return result;
  }

  async function call(endpoint: Endpoint, input: EndpointInput = {}): Promise<CallResult<unknown>> {
    const asked = await ask(endpoint, input, readJson);
    return 'kind' in asked ? asked : toResult(endpoint, asked.response, asked.read);
  }

  async function file(
    endpoint: Endpoint,
    input: EndpointInput = {},
  ): Promise<CallResult<NamedBlob>> {
    const asked = await ask(
      endpoint,
      { timeoutMs: FILE_TIMEOUT, ...input },
      async (response): Promise<Blob | Awaited<ReturnType<typeof readJson>>> =>
        response.ok ? response.blob() : readJson(response),
    );
    if ('kind' in asked) return asked;
    const { response, read } = asked;
    return read instanceof Blob
      ? {
          kind: 'ok',
          status: response.status,
          body: { name: fileNameOf(response), blob: read },
        }
      : (toResult(endpoint, response, read) as CallResult<NamedBlob>);
  }
  return { call: call as Client['call'], file };
}
