import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../config/binding.ts';
import type { Readiness } from '../instance/readiness.ts';
import { isLoopback } from '../config/network.ts';
import { localSite, urlHost } from '../http/guards.ts';

/** As in `http/node-server.ts`. */
const { createServer } = process.getBuiltinModule('node:http');

const TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface MetricsOptions {
  host: string;
  port: number;
  /**
   * Token that a reader sends as `Authorization: Bearer`; required wherever other computers can
   * connect.
   */
  token: string | undefined;
  text(): Promise<string>;
  readiness: Readiness;
}

export interface MetricsListener {
  url: string;
  close(): Promise<void>;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

type MetricsAnswer = readonly [status: number, body: string];

/** Answers a request; `isHost` says whether it names this address. */
function createAnswers(
  { token, text, readiness }: Pick<MetricsOptions, 'token' | 'text' | 'readiness'>,
  isHost: (host: string) => boolean,
): (req: IncomingMessage) => Promise<MetricsAnswer> {
  const expected = token === undefined ? undefined : digest(`Bearer ${token}`);
  return async ({ method, url, headers }) => {
    // Without a token, the Host check stops a page in this computer's browser from reading it under
    // another name (DNS rebinding).
    if (expected === undefined && !isHost(headers.host?.toLowerCase() ?? ''))
      return [403, 'host not allowed'];
    if (method !== 'GET' && method !== 'HEAD') return [405, 'method not allowed'];
    switch (url) {
      case '/healthz':
        return [200, 'ok'];
      case '/readyz': {
        const notReady = await readiness();
        return notReady === undefined ? [200, 'ready'] : [503, `not ready: ${notReady.message}`];
      }
      case '/metrics':
        if (
          expected !== undefined &&
          !timingSafeEqual(digest(headers.authorization ?? ''), expected)
        )
          return [401, 'not allowed'];
        return [200, await text()];
      default:
        return [404, 'not found'];
    }
  };
}

function createListener(answer: (req: IncomingMessage) => Promise<MetricsAnswer>): Server {
  const limits = {
    maxHeaderSize: 8 * 1024,
    headersTimeout: 5_000,
    requestTimeout: 5_000,
    keepAliveTimeout: 5_000,
  };
  const server = createServer(limits, (req: IncomingMessage, res: ServerResponse) => {
    answer(req).then(
      ([status, body]) =>
        res
          .writeHead(status, {
            'Content-Type': TYPE,
            'Cache-Control': 'no-store',
            'X-Content-Type-Options': 'nosniff',
            ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
          })
          .end(req.method === 'HEAD' ? '' : body),
      () => res.destroy(),
    );
  });
  server.maxConnections = 32;
  return server;
}

/**
 * A second port for operators: metrics, and whether this very instance is alive and ready. It is
 * separate from the public address, so that no proxy rule can expose it and each of several
 * instances can be asked by itself.
 */
export function listenForMetrics(options: MetricsOptions): Promise<MetricsListener> {
  const { host, port } = options;
  let hosts: ReadonlySet<string> | undefined;
  const server = createListener(createAnswers(options, (name) => hosts?.has(name) === true));
  return new Promise((resolve, reject) => {
    server.once('error', (error: Error & { code?: string }) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new ConfigError(
              `EVIDENCE_STUDIO_METRICS: port ${port} on ${host} is in use by another program.`,
            )
          : error,
      ),
    );
    server.listen({ host, port, exclusive: true }, () => {
      const bound = (server.address() as AddressInfo).port;
      if (isLoopback(host)) hosts = localSite(host, bound).hosts;
      resolve({
        url: `http://${urlHost(host)}:${bound}`,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            server.closeAllConnections();
          }),
      });
    });
  });
}
