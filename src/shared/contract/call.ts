import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import type { ErrorDetail } from './errors.ts';

/**
 * The outcome of a call. A refusal, an unreadable answer and no answer at all require different
 * reactions, so they are kept apart.
 */
export type CallResult<T> =
  | { kind: 'ok'; status: number; body: T }
  | RefusedCall
  | { kind: 'unreadable'; status: number; reason: string }
  | { kind: 'no_answer'; reason: NoAnswer };

/** `certificate_…`: the other side could not be trusted to be who it says. */
export type NoAnswer =
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'proxy'
  | 'certificate_untrusted'
  | 'certificate_expired'
  | 'certificate_of_another';

/** The server answered with an error envelope. */
export interface RefusedCall {
  kind: 'refused';
  status: number;
  /** One of contract/errors.ts, or a code of a newer server. */
  code: string;
  message: string;
  details: readonly ErrorDetail[];
  requestId: string | null;
  /** Seconds the server asked to wait, at most an hour. */
  retryAfter: number | null;
}
export type Failure<T = unknown> = Exclude<CallResult<T>, { kind: 'ok' }>;

/**
 * The input of an operation, in the types that its schemas accept. Parts without fields may be left
 * out. `Signal` is the platform's AbortSignal.
 */
export interface CallInput<E extends Endpoint, Signal> {
  params?: z.input<E['params']>;
  query?: z.input<E['query']>;
  body?: z.input<NonNullable<E['body']>>;
  headers?: Record<string, string>;
  signal?: Signal;
  timeoutMs?: number;
}

/** Typed calls of the API's operations. Never retries, and never throws because of an answer. */
export interface ApiClient<Signal> {
  call<E extends Endpoint>(
    endpoint: E,
    input?: CallInput<E, Signal>,
  ): Promise<CallResult<z.output<E['response']>>>;
}

/** A failure in words for a person. */
export function failureText(failure: Failure): string {
  switch (failure.kind) {
    case 'refused':
      return failure.message;
    case 'unreadable':
      return 'The answer was not readable. Something on the way to the server may have replaced it.';
    case 'no_answer':
      return failure.reason === 'timeout'
        ? 'The server did not answer in time.'
        : 'The server could not be reached.';
  }
}

/** Fills the path's `{names}` and appends the query. */
export function pathOf(
  endpoint: Endpoint,
  params: Record<string, string> = {},
  query: Record<string, string | undefined> = {},
): string {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const search = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return search.length > 0 ? `${path}?${search.join('&')}` : path;
}

/** Whether the operation has a request body. */
export function takesBody(endpoint: Endpoint): boolean {
  return endpoint.method === 'POST' || endpoint.method === 'PUT';
}

const Envelope = z.strictObject({
  error: z.string(),
  message: z.string().catch(''),
  details: z
    .array(z.strictObject({ path: z.string(), code: z.string(), message: z.string() }))
    .catch([]),
  request_id: z.string().nullable().catch(null),
});

/** The result of a call whose answer has arrived and was parsed as JSON. */
export function readAnswer(
  endpoint: Endpoint,
  { status, value, retryAfter }: { status: number; value: unknown; retryAfter: number | null },
): CallResult<unknown> {
  if (status < 200 || status > 299) {
    const envelope = parseAdditive(Envelope, value);
    if (!envelope.success) return { kind: 'unreadable', status, reason: 'no error envelope' };
    const { error, message, details, request_id } = envelope.data;
    return {
      kind: 'refused',
      status,
      code: error,
      message: message === '' ? error : message,
      details,
      requestId: request_id,
      retryAfter,
    };
  }
  const parsed = parseAdditive(endpoint.response, value);
  return parsed.success
    ? { kind: 'ok', status, body: parsed.data }
    : { kind: 'unreadable', status, reason: z.prettifyError(parsed.error).slice(0, 500) };
}

/**
 * Parses an answer. A newer server may add members, which are ignored; any other difference is an
 * error.
 */
export function parseAdditive<T>(schema: z.ZodType<T>, value: unknown): z.ZodSafeParseResult<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success || parsed.error.issues.some((issue) => issue.code !== 'unrecognized_keys'))
    return parsed;
  for (const issue of parsed.error.issues) {
    const holder = issue.path.reduce<unknown>(
      (at, key) => (at as Record<PropertyKey, unknown>)[key],
      value,
    );
    if (issue.code === 'unrecognized_keys')
      for (const key of issue.keys) delete (holder as Record<string, unknown>)[key];
  }
  return schema.safeParse(value);
}

const MAX_RETRY_AFTER = 3_600;

/**
 * Seconds of a Retry-After header, which may be a number or a date by the server's own clock
 * (`Date`); null where it says nothing.
 */
export function parseRetryAfter({
  header,
  date,
}: {
  header: string | null;
  date: string | null;
}): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header)
    ? Number(header)
    : (Date.parse(header) - Date.parse(date ?? '')) / 1_000;
  return Number.isNaN(seconds) ? null : Math.min(Math.max(0, Math.ceil(seconds)), MAX_RETRY_AFTER);
}
