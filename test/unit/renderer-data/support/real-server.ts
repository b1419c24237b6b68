import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { createDataLayer, type DataLayer } from '../../../../src/renderer/data/data-layer.ts';
import { testHasher } from '../../../support/hasher.ts';
import type { TestServer } from '../../../support/server.ts';

/** `fetch` as the desktop's window has it: into the server of the same process, without a key. */
export function windowFetch(server: TestServer): typeof fetch {
  return (input, init = {}) =>
    new Promise<Response>((resolve, reject) => {
      const body = typeof init.body === 'string' ? init.body : undefined;
      const headers = {
        host: 'studio',
        ...Object.fromEntries(new Headers(init.headers)),
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      };
      const request = http.request(
        {
          method: init.method ?? 'GET',
          path: input instanceof Request ? input.url : input.toString(),
          createConnection: () => server.server.connectInProcess(),
          headers,
        },
        (answer) => {
          const parts: Buffer[] = [];
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.on('end', () =>
            resolve(
              new Response(Buffer.concat(parts), {
                status: answer.statusCode ?? 0,
                headers: { 'content-type': answer.headers['content-type'] ?? '' },
              }),
            ),
          );
          answer.on('error', reject);
        },
      );
      request.once('error', (error) => reject(new TypeError('fetch failed', { cause: error })));
      request.end(body);
    });
}

export function windowOn(
  server: TestServer,
  factory: IDBFactory,
  fetch: typeof globalThis.fetch = windowFetch(server),
): Promise<DataLayer> {
  return createDataLayer({
    fetch,
    now: () => Date.now(),
    elapsed: () => performance.now(),
    hasher: testHasher,
    indexedDB: factory,
    version: 'test',
    randomBytes: (length) => new Uint8Array(randomBytes(length)),
  });
}

/** Waits for something to become true. */
export async function until(isTrue: () => boolean, what: () => unknown = () => ''): Promise<void> {
  const end = performance.now() + 60_000;
  while (performance.now() < end) {
    if (isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`It did not happen: ${JSON.stringify(what())}`);
}
