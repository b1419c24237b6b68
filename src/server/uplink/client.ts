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
import { zip } from '../network/gzip.ts';
import { createPace } from './request-rate.ts';

/** `weight`: as how many requests it counts; 1 if nothing is said. */
export type HostedInput<E extends Endpoint> = CallInput<E, AbortSignal> & { weight?: number };

export interface HostedClient extends ApiClient<AbortSignal> {
  call<E extends Endpoint>(
    endpoint: E,
    input?: HostedInput<E>,
  ): Promise<CallResult<z.output<E['response']>>>;
  /** A read that is answered with `unchanged` while the answer of this `etag` still holds. */
  callTagged<E extends Endpoint>(
    endpoint: E,
    input: CallInput<E, AbortSignal>,
    etag: string | null,
  ): Promise<
    | { kind: 'unchanged' }
    | { kind: 'answered'; result: CallResult<z.output<E['response']>>; etag: string | null }
  >;
  /**
   * Opens the stream of hints; rejects where that fails. `open`: the cases that are open here,
   * joined by commas, which a server that does not know of them is not told.
   */
  events(signal: AbortSignal, open: string): Promise<ReadableStream<Uint8Array>>;
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

/** An AbortSignal that fires after a silence; `received` starts the time again. */
function silence(ms: number): { signal: AbortSignal; received(): void; end(): void } {
  const abort = new AbortController();
  let timer = setTimeout(() => abort.abort(), ms);
  return {
    signal: abort.signal,
    received() {
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(), SILENCE_MS);
    },
    end: () => clearTimeout(timer),
  };
}

async function readText(
  response: Response,
  received: () => void,
  traffic: Traffic,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    received();
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

interface Answered {
  /** The server says that the tagged answer still holds. */
  unchanged: boolean;
  result: CallResult<unknown>;
  etag: string | null;
}
const answered = (result: CallResult<unknown>, etag: string | null = null): Answered => ({
  unchanged: false,
  result,
  etag,
});

interface EncodedBody {
  bytes: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
}

/** Requests to one hosted server with a key of that server. */
class Requests {
  readonly #target: HostedTarget;
  readonly #ports: HostedPorts;
  readonly #own: { authorization: string };
  readonly #pace = createPace();

  constructor(target: HostedTarget, ports: HostedPorts) {
    this.#target = target;
    this.#ports = ports;
    this.#own = { authorization: `Bearer ${target.key}` };
  }

  async #bodyOf(endpoint: Endpoint, body: unknown): Promise<EncodedBody | undefined> {
    if (!takesBody(endpoint)) return undefined;
    const bytes = Buffer.from(JSON.stringify(body ?? {}));
    const headers = { 'content-type': 'application/json' };
    return this.#target.gzip && bytes.length > GZIP_ABOVE
      ? {
          bytes: await zip(bytes),
          headers: { ...headers, 'content-encoding': 'gzip' },
        }
      : { bytes, headers };
  }

  #fetch(
    endpoint: Endpoint,
    input: CallInput<Endpoint, AbortSignal>,
    etag: string | null,
    body: EncodedBody | undefined,
    quiet: AbortSignal,
  ): Promise<Response> {
    const path = pathOf(
      endpoint,
      input.params as Record<string, string>,
      input.query as Record<string, string>,
    );
    return this.#ports.fetch(this.#target.origin + path, {
      method: endpoint.method,
      headers: {
        accept: 'application/json',
        ...this.#own,
        ...body?.headers,
        ...(etag !== null && { 'if-none-match': etag }),
        ...input.headers,
      },
      redirect: 'manual',
      signal: input.signal === undefined ? quiet : AbortSignal.any([quiet, input.signal]),
      ...(body !== undefined && { body: body.bytes }),
    });
  }

  async #request(
    endpoint: Endpoint,
    input: HostedInput<Endpoint>,
    etag: string | null,
  ): Promise<Answered> {
    const { traffic } = this.#ports;
    const body = await this.#bodyOf(endpoint, input.body);
    await this.#pace(endpoint.method !== 'GET', input.signal, input.weight);
    const quiet = silence(SILENCE_MS + (body?.bytes.length ?? 0) / BYTES_A_MS);
    traffic.sent += 1;
    traffic.bytes_out += body?.bytes.length ?? 0;
    try {
      const response = await this.#fetch(endpoint, input, etag, body, quiet.signal);
      quiet.received();
      return understood(
        endpoint,
        response,
        await readText(response, quiet.received, traffic),
        etag,
      );
    } catch (error) {
      if (error instanceof TooLargeError)
        return answered({ kind: 'unreadable', status: 200, reason: 'too large' });
      const aborted = input.signal?.aborted === true;
      return answered({
        kind: 'no_answer',
        reason: aborted ? 'aborted' : quiet.signal.aborted ? 'timeout' : reasonOf(error),
      });
    } finally {
      quiet.end();
    }
  }

  /** One request, counted where it failed. */
  async send(
    endpoint: Endpoint,
    input: HostedInput<Endpoint>,
    etag: string | null,
  ): Promise<Answered> {
    const answer = await this.#request(endpoint, input, etag);
    const { result } = answer;
    const wasCalledOff = result.kind === 'no_answer' && result.reason === 'aborted';
    if (!answer.unchanged && result.kind !== 'ok' && !wasCalledOff) this.#ports.traffic.failed += 1;
    return answer;
  }

  async events(signal: AbortSignal, open: string): Promise<ReadableStream<Uint8Array>> {
    const query = open === '' ? '' : `?open=${encodeURIComponent(open)}`;
    const response = await this.#ports.fetch(this.#target.origin + SYNC_EVENTS_PATH + query, {
      headers: { accept: 'text/event-stream', ...this.#own },
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
    if (response.status === 400 && query !== '') return this.events(signal, '');
    throw new TypeError('The server opened no stream of events.');
  }
}

/** What a response says, whose body was read to the end. */
function understood(
  endpoint: Endpoint,
  response: Response,
  text: string,
  etag: string | null,
): Answered {
  const { status, headers } = response;
  if (status === 304 && etag !== null)
    return {
      unchanged: true,
      result: { kind: 'unreadable', status, reason: 'unchanged' },
      etag,
    };
  const read = parse(response, text);
  if ('reason' in read) return answered({ kind: 'unreadable', status, reason: read.reason });
  const retryAfter = parseRetryAfter({
    header: headers.get('retry-after'),
    date: headers.get('date'),
  });
  return answered(
    readAnswer(endpoint, { status, value: read.value, retryAfter }),
    headers.get('etag'),
  );
}

/** Typed calls of one hosted server with a key of that server. */
export function createHostedClient(target: HostedTarget, ports: HostedPorts): HostedClient {
  const requests = new Requests(target, ports);
  return {
    call: (async (endpoint: Endpoint, input: HostedInput<Endpoint> = {}) =>
      (await requests.send(endpoint, input, null)).result) as HostedClient['call'],
    callTagged: (async (
      endpoint: Endpoint,
      input: CallInput<Endpoint, AbortSignal>,
      etag: string | null,
    ) => {
      const answer = await requests.send(endpoint, input, etag);
      return answer.unchanged
        ? { kind: 'unchanged' }
        : { kind: 'answered', result: answer.result, etag: answer.etag };
    }) as HostedClient['callTagged'],
    events: (signal, open) => requests.events(signal, open),
  };
}
