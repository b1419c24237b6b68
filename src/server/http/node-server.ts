import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError } from '../config/binding.ts';
import type { Logger } from 'pino';
import { answerClientError } from './client-error.ts';
import { type ConnectionLimits, limitConnections } from './connections.ts';
import { MAX_HEADERS } from './guards.ts';

/** An import would load the client of `fetch` with it: a seventh of a start. */
const { createServer } = process.getBuiltinModule('node:http');

const GRACE_MS = 5_000;
const SWEEP_MS = 50;
const SILENCE_MS = 120_000;
const LIMITS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  requireHostHeader: false,
  insecureHTTPParser: false,
} as const;

/** Other limits than the built-in ones, ms; for tests. */
export interface SocketLimits {
  headersTimeout?: number;
  requestTimeout?: number;
  connectionsCheckingInterval?: number;
  keepAliveTimeout?: number;
  graceTimeout?: number;
}

interface NodeServerParts {
  app(req: IncomingMessage, res: ServerResponse): void;
  /** Looks at each request before it is handled. */
  notice(req: IncomingMessage): void;
  clientOf(req: IncomingMessage): string;
  newRequestId(): string;
  logger: Logger;
  connections: ConnectionLimits;
  limits: SocketLimits | undefined;
}

function answerUnreadable(
  server: Server,
  answering: WeakMap<object, ServerResponse>,
  { newRequestId, logger }: Pick<NodeServerParts, 'newRequestId' | 'logger'>,
): void {
  server.on('clientError', (error, socket) => {
    const current = answering.get(socket);
    if (current !== undefined && !current.writableFinished) {
      // Garbage behind a complete request: that request still gets its own answer, and the
      // connection ends after it. Once the answer has begun, nothing more can be said.
      if (current.headersSent) return void socket.destroy();
      if (current.req.complete) return void current.setHeader('Connection', 'close');
    }
    if (!socket.writable) return void socket.destroy();
    const request_id = newRequestId();
    const code = answerClientError(error, socket, request_id);
    logger.info({ request_id, code }, 'request that could not be read');
  });
}

/** Node's server with our limits of time, size and number; it does not listen yet. */
export function createNodeServer(parts: NodeServerParts): { server: Server; count: () => number } {
  const { app, notice, clientOf, limits } = parts;
  const answering = new WeakMap<object, ServerResponse>();
  const onRequest = (req: IncomingMessage, res: ServerResponse): void => {
    notice(req);
    answering.set(req.socket, res);
    connections.asks(req.socket, req, res, clientOf(req));
    app(req, res);
  };
  const server = createServer({ ...LIMITS, ...limits }, onRequest);
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
  answerUnreadable(server, answering, parts);
  const connections = limitConnections(server, parts.connections);
  server.maxHeadersCount = MAX_HEADERS + 1;
  server.maxRequestsPerSocket = 1_000;
  // An answer that nobody reads is given up after a while. A stream of events writes more often
  // than that.
  server.timeout = SILENCE_MS;
  return { server, count: connections.count };
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Listens on the port or, with `fallback`, on a free one where it is taken. */
export async function listenSomewhere(
  server: Server,
  host: string,
  { port, fallback }: { port: number; fallback?: boolean },
): Promise<number> {
  try {
    return await listen(server, host, port);
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (taken && fallback === true) return listen(server, host, 0);
    if (taken) throw new ConfigError(`Port ${port} on ${host} is in use by another program.`);
    throw error;
  }
}

/** Lets running requests end for a while, and then closes every connection. */
export async function closeSockets(server: Server, graceMs = GRACE_MS): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  const late = new AbortController();
  // `close` ends only the connections that are idle now; without this, a connection whose last
  // answer comes later would stay open until its time-out.
  const sweeping = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  await Promise.race([ended, wait(graceMs, undefined, { signal: late.signal }).catch(() => {})]);
  late.abort();
  clearInterval(sweeping);
  server.closeAllConnections();
  await ended;
}
