import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ErrorCode } from '../../shared/contract/errors.ts';
import type { ELN_TYPE } from '../../shared/domain/run-crate.ts';
import type { Principal } from './principal.ts';

/**
 * Receives a body of at most `limit` bytes. Memory is shared fairly among the values of `sender`.
 */
export interface BodyReceiver {
  receive(
    req: IncomingMessage,
    res: ServerResponse,
    limit: number,
    sender: string,
  ): Promise<Buffer>;
}

/** One request and its answer, together with what the layers have learned about it so far. */
export interface RequestContext {
  /** `req_...`, in the answer, in `X-Request-Id` and in the log. */
  readonly id: string;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** GET for a HEAD request too. */
  readonly method: string;
  /** Path as sent (still encoded), and query without its question mark. */
  readonly path: string;
  readonly search: string;
  /** On a connection from inside this process: the person at the window. */
  readonly inProcess: boolean;
  /** Client address for limits; never trusted for access. */
  readonly address: string;
  /** The label by which a trusted proxy chose this instance (see auth/shard.ts). */
  readonly shard: string | undefined;
  /** The bodies on their way to this server. */
  readonly bodies: BodyReceiver;
  /** Milliseconds since 1970, by the server's clock. */
  readonly now: number;
  /** When it came, in milliseconds that only grow: for how long it took. */
  readonly began: number;
  /**
   * Named in the log: the operation's path template. The path itself may hold identifiers of a case
   * and is never logged.
   */
  label: string;
  principal: Principal | undefined;
  code: ErrorCode | undefined;
  /** The answer is a stream that lasts as long as its reader wants. */
  streams: boolean;
}

/** Path and query as sent. */
export const addressOf = ({ path, search }: Pick<RequestContext, 'path' | 'search'>): string =>
  search === '' ? path : `${path}?${search}`;

export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
  /** Values of Set-Cookie, each a header of its own, beside the one among the headers. */
  cookies?: readonly string[];
  /** A body that may be long: its pieces are made as the reader takes them. */
  pieces?: AsyncIterable<string | Uint8Array>;
}

/** An answer that is sent piece by piece, to be saved as a file. */
export interface FileAnswer {
  type: 'application/json' | 'text/csv' | typeof ELN_TYPE;
  name: string;
  pieces: AsyncIterable<string | Uint8Array>;
}

/** A reader that takes nothing for this long is disconnected, ms. */
const STALLED_MS = 30_000;

/** After the first piece was sent, a failure can only be shown by breaking off. */
function sendPieces(
  { req, res }: Pick<RequestContext, 'req' | 'res'>,
  pieces: AsyncIterable<string | Uint8Array>,
): void {
  if (req.method === 'HEAD') return void res.end();
  res.setTimeout(STALLED_MS, () => void res.destroy());
  pipeline(Readable.from(pieces), res).catch(() => void res.destroy());
}

/**
 * What these say of content means nothing without any, and an idle studio is answered "unchanged"
 * once a minute.
 */
const CONTENT_HEADERS = [
  'Content-Type',
  'Content-Security-Policy',
  'Referrer-Policy',
  'X-Content-Type-Options',
];

export function send({ req, res }: RequestContext, answer: HttpAnswer): void {
  if (res.headersSent || res.destroyed) return;
  const { status, body, pieces } = answer;
  for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value);
  for (const cookie of answer.cookies ?? []) res.appendHeader('Set-Cookie', cookie);
  res.statusCode = status;
  if (pieces !== undefined) return sendPieces({ req, res }, pieces);
  const isBare = status === 204 || status === 304;
  const bytes = isBare ? 0 : Buffer.byteLength(body);
  if (isBare) for (const name of CONTENT_HEADERS) res.removeHeader(name);
  else res.setHeader('Content-Length', bytes);
  if (isBare || req.method === 'HEAD') res.end();
  // As many bytes as characters means plain ASCII, which is the same in Latin-1, and Node writes
  // Latin-1 several times faster.
  else if (typeof body === 'string') res.end(body, bytes === body.length ? 'latin1' : 'utf8');
  else res.end(body);
}
