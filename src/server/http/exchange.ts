import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorCode } from '../../shared/contract/errors.ts';
import type { Caller } from '../auth/caller.ts';

/** One request and its answer, with what the layers have learned about it so far. */
export interface Exchange {
  /** `req_...`, in the answer, in `X-Request-Id` and in the log. */
  readonly id: string;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** GET for HEAD too. */
  readonly method: string;
  /** Path as sent (still encoded), and query without its question mark. */
  readonly path: string;
  readonly search: string;
  /** On a connection from inside this process: the person at the window. */
  readonly inProcess: boolean;
  /** Client address for limits; never trusted for access. */
  readonly address: string;
  /** Milliseconds since 1970, by the server's clock. */
  readonly now: number;
  /** What the log names: the operation's path template, never the path, which may hold identifiers of a case. */
  label: string;
  caller: Caller | undefined;
  code: ErrorCode | undefined;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

export function send({ req, res }: Exchange, answer: Answer): void {
  if (res.headersSent || res.destroyed) return;
  for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value);
  res.statusCode = answer.status;
  if (answer.status !== 204 && answer.status !== 304) res.setHeader('Content-Length', Buffer.byteLength(answer.body));
  res.end(req.method === 'HEAD' || answer.status === 204 || answer.status === 304 ? undefined : answer.body);
}
