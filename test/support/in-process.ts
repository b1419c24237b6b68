import http from 'node:http';
import type { EvidenceServer } from '../../src/server/server.ts';
import type { Json } from './json.ts';

/** A call over a connection from inside the process, as the window makes it. */
export function callInProcess(
  server: EvidenceServer,
  method: string,
  path: string,
  options: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<{ status: number; body: Json }> {
  return new Promise((resolve, reject) => {
    const text = options.body === undefined ? undefined : JSON.stringify(options.body);
    const request = http.request(
      {
        method,
        path,
        createConnection: () => server.connectInProcess(),
        headers: {
          host: 'studio',
          ...(text !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
          }),
          ...options.headers,
        },
      },
      (response) => {
        let received = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: received.startsWith('{') ? (JSON.parse(received) as Json) : received,
          }),
        );
      },
    );
    request.once('error', reject);
    request.end(text);
  });
}
