import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { z } from 'zod';
import {
  type ApiClient,
  type CallInput,
  type CallResult,
  type NoAnswer,
  parseRetryAfter,
  pathOf,
  readAnswer,
  takesBody,
} from '../../shared/contract/call.ts';
import { BULK_BODY_LIMIT, type Endpoint } from '../../shared/contract/endpoint.ts';
import { SYNC_EVENTS_PATH } from '../../shared/contract/sync.ts';

export interface HostedClient extends ApiClient<AbortSignal> {
  /** A read that is answered with `unchanged` while the answer of this `etag` still holds. */
  callTagged<E extends Endpoint>(
    endpoint: E,
    input: CallInput<E, AbortSignal>,
    etag: string | null,
  ): Promise<
    | { kind: 'unchanged' }
    | { kind: 'answered'; result: CallResult<z.output<E['response']>>; etag: string | null }
  >;
  /** Opens the stream of hints; rejects where that fails. */
  events(signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
}

/**
 * A request is given up after this long without a byte. Sending a body gets more time by its
 * length: 10 KB/s are enough.
 */
const SILENCE_MS = 30_000;
const BYTES_A_MS = 10;
const MAX_ANSWER = 4 * BULK_BODY_LIMIT;
/** Bodies larger than this are compressed. */
const GZIP_ABOVE = 512;
const zip = promisify(gzip);

/** Bytes exchanged since the studio started, as transmitted. */
export interface Traffic {
  sent: number;
  failed: number;
  bytes_out: number;
  bytes_in: number;
}

export interface HostedTarget {
  /** Scheme, host and port of the only server that is ever called. */
  origin: string;
  key: string;
  /** Whether the server accepts compressed bodies. */
  gzip: boolean;
}

/** What `fetch` is asked for besides the target's own headers. */
export interface HostedPorts {
  fetch: typeof globalThis.fetch;
  traffic: Traffic;
}

/**
 * A hosted server allows 60 requests and 20 writes a second for each key. Staying below that, this
 * client never has to be told to wait.
 */
const RATES = { all: { perSecond: 50, burst: 50 }, writes: { perSecond: 15, burst: 15 } } as const;

/** Limits the rate of requests: each waits for its turn. */
function createPace(): (writes: boolean, signal: AbortSignal | undefined) => Promise<void> {
  const next = { all: 0, writes: 0 };
  /**
   * When the next request of this kind may go. The burst is how far that time may lie in the past.
   */
  const claim = (kind: keyof typeof RATES, now: number): number => {
    const { perSecond, burst } = RATES[kind];
    const step = 1_000 / perSecond;
    next[kind] = Math.max(next[kind], now - burst * step) + step;
    return next[kind] - now;
  };
  return async (writes, signal) => {
    const now = performance.now();
    const wait = Math.max(claim('all', now), writes ? claim('writes', now) : 0);
    if (wait > 0)
      await sleep(wait, undefined, { ref: false, ...(signal !== undefined && { signal }) }).catch(
        () => undefined,
      );
  };
}

const REASONS: readonly [RegExp, NoAnswer][] = [
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|ERR_CERT_DATE_INVALID/, 'certificate_expired'],
  [
    /ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH|ERR_CERT_COMMON_NAME_INVALID/,
    'certificate_of_another',
  ],
  [/UNABLE_TO_|SELF_SIGNED_CERT|ERR_CERT_|CERT_/, 'certificate_untrusted'],
  [/ERR_PROXY|ERR_TUNNEL|ERR_NO_SUPPORTED_PROXIES/, 'proxy'],
];

/**
 * Why a request failed, by the code that Node gives its cause, or the one in Chromium's message.
 */
function reasonOf(error: unknown): NoAnswer {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code =
    cause instanceof Error ? `${'code' in cause ? String(cause.code) : ''} ${cause.message}` : '';
  return REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? 'network';
}

class TooLargeError extends Error {}

/** An AbortSignal that fires after a silence; `heard` starts the time again. */
function silence(ms: number): { signal: AbortSignal; heard(): void; end(): void } {
  const abort = new AbortController();
  let timer = setTimeout(() => abort.abort(), ms);
  return {
    signal: abort.signal,
    heard() {
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(), SILENCE_MS);
    },
    end: () => clearTimeout(timer),
  };
}

async function readText(response: Response, heard: () => void, traffic: Traffic): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    heard();
    bytes += chunk.length;
    if (bytes > MAX_ANSWER) throw new TooLargeError();
    text += decoder.decode(chunk, { stream: true });
  }
  traffic.bytes_in += Number(response.headers.get('content-length') ?? bytes);
  return text + decoder.decode();
}

function parse(response: Response, text: string): { value: unknown } | { reason: string } {
  // Redirects are not followed: the key was made for one host only.
  if (response.status >= 300 && response.status < 400) return { reason: 'redirected' };
  if (!(response.headers.get('content-type') ?? '').includes('json')) return { reason: 'not JSON' };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { reason: 'cut short' };
  }
}

/** Typed calls of one hosted server with a key of that server. */
export function createHostedClient(
  target: HostedTarget,
  { fetch, traffic }: HostedPorts,
): HostedClient {
  async function bodyOf(
    endpoint: Endpoint,
    body: unknown,
  ): Promise<{ bytes: Uint8Array<ArrayBuffer>; headers: Record<string, string> } | undefined> {
    if (!takesBody(endpoint)) return undefined;
    const bytes = Buffer.from(JSON.stringify(body ?? {}));
    const headers = { 'content-type': 'application/json' };
    return target.gzip && bytes.length > GZIP_ABOVE
      ? {
          bytes: await zip(bytes, { level: 3 }),
          headers: { ...headers, 'content-encoding': 'gzip' },
        }
      : { bytes, headers };
  }

  const own = { authorization: `Bearer ${target.key}` };
  const pace = createPace();

  /** One request; `unchanged` where the server says that the tagged answer still holds. */
  async function request(
    endpoint: Endpoint,
    input: CallInput<Endpoint, AbortSignal>,
    etag: string | null,
  ): Promise<{ unchanged: boolean; result: CallResult<unknown>; etag: string | null }> {
    const answered = (
      result: CallResult<unknown>,
      tag: string | null = null,
    ): Awaited<ReturnType<typeof request>> => ({ unchanged: false, result, etag: tag });
    const body = await bodyOf(endpoint, input.body);
    await pace(endpoint.method !== 'GET', input.signal);
    const quiet = silence(SILENCE_MS + (body?.bytes.length ?? 0) / BYTES_A_MS);
    traffic.sent += 1;
    traffic.bytes_out += body?.bytes.length ?? 0;
    try {
      const response = await fetch(
        target.origin +
          pathOf(
            endpoint,
            input.params as Record<string, string>,
            input.query as Record<string, string>,
          ),
        {
          method: endpoint.method,
          headers: {
            accept: 'application/json',
            ...own,
            ...body?.headers,
            ...(etag !== null && { 'if-none-match': etag }),
            ...input.headers,
          },
          redirect: 'manual',
          signal:
            input.signal === undefined
              ? quiet.signal
              : AbortSignal.any([quiet.signal, input.signal]),
          ...(body !== undefined && { body: body.bytes }),
        },
      );
      quiet.heard();
      const text = await readText(response, quiet.heard, traffic);
      const { status, headers } = response;
      if (status === 304 && etag !== null)
        return {
          unchanged: true,
          result: { kind: 'unreadable', status, reason: 'unchanged' },
          etag,
        };
      const read = parse(response, text);
      if ('reason' in read) return answered({ kind: 'unreadable', status, reason: read.reason });
      return answered(
        readAnswer(endpoint, {
          status,
          value: read.value,
          retryAfter: parseRetryAfter({
            header: headers.get('retry-after'),
            date: headers.get('date'),
          }),
        }),
        headers.get('etag'),
      );
    } catch (error) {
      if (error instanceof TooLargeError)
        return answered({ kind: 'unreadable', status: 200, reason: 'too large' });
      return answered({
        kind: 'no_answer',
        reason:
          input.signal?.aborted === true
            ? 'aborted'
            : quiet.signal.aborted
              ? 'timeout'
              : reasonOf(error),
      });
    } finally {
      quiet.end();
    }
  }

  async function counted(
    endpoint: Endpoint,
    input: CallInput<Endpoint, AbortSignal>,
    etag: string | null,
  ): ReturnType<typeof request> {
    const answer = await request(endpoint, input, etag);
    const { result } = answer;
    const wasCalledOff = result.kind === 'no_answer' && result.reason === 'aborted';
    if (!answer.unchanged && result.kind !== 'ok' && !wasCalledOff) traffic.failed += 1;
    return answer;
  }

  return {
    call: (async (endpoint: Endpoint, input: CallInput<Endpoint, AbortSignal> = {}) =>
      (await counted(endpoint, input, null)).result) as HostedClient['call'],
    callTagged: (async (
      endpoint: Endpoint,
      input: CallInput<Endpoint, AbortSignal>,
      etag: string | null,
    ) => {
      const answer = await counted(endpoint, input, etag);
      return answer.unchanged
        ? { kind: 'unchanged' }
        : { kind: 'answered', result: answer.result, etag: answer.etag };
    }) as HostedClient['callTagged'],
    async events(signal) {
      const response = await fetch(target.origin + SYNC_EVENTS_PATH, {
        headers: { accept: 'text/event-stream', ...own },
        redirect: 'manual',
        signal,
      });
      if (
        response.ok &&
        response.body !== null &&
        response.headers.get('content-type')?.startsWith('text/event-stream') === true
      )
        return response.body;
      await response.body?.cancel();
      throw new TypeError('The server opened no stream of events.');
    },
  };
}
