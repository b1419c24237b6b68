import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestContext } from '../context/request.ts';

/** An import would load the client of `fetch` with it. */
const { request: ask } = process.getBuiltinModule('node:http');

export interface RequestWithin {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}
export interface AnswerWithin {
  status: number;
  text: string;
  header(name: string): string | null;
}
/** Sends a request to this very server on behalf of another request. */
export type SendWithin = (from: RequestContext, request: RequestWithin) => Promise<AnswerWithin>;

/** `connect` opens a connection that counts as one of the other request's client. */
export function createRequestsWithin(
  server: () => Server,
  host: () => string,
  connect: (server: Server, from: RequestContext) => Duplex,
): SendWithin {
  return (from, { method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const request = ask(
        {
          method,
          path,
          headers: { ...headers, ...length, host: host(), connection: 'close' },
          createConnection: () => connect(server(), from),
        },
        (response) => {
          const pieces: Buffer[] = [];
          response.on('data', (piece: Buffer) => pieces.push(piece));
          response.once('error', reject);
          response.once('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              text: Buffer.concat(pieces).toString('utf8'),
              header: (name) => {
                const value = response.headers[name];
                return typeof value === 'string' ? value : null;
              },
            }),
          );
        },
      );
      request.once('error', reject);
      request.end(body);
    });
}
