import http from 'node:http';
import type { Served } from '../../support/served.ts';
import { type Desk, PUBLIC_URL } from './seed.ts';

export interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
}

interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  ms: number;
}

/** Sends one request with the key of a desk; what the answer says is thrown away. */
export function send(
  { url }: Pick<Served, 'url'>,
  { key }: Pick<Desk, 'key'>,
  agent: http.Agent,
  { method, path, headers, body }: Sent,
): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.request(url + path, {
      method,
      agent,
      headers: {
        host: new URL(PUBLIC_URL).host,
        authorization: `Bearer ${key}`,
        ...(text !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        }),
        ...headers,
      },
    });
    request.once('error', reject).once('response', (response) => {
      response.resume().once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          ms: performance.now() - began,
        }),
      );
    });
    request.end(text);
  });
}
