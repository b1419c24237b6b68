import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import { HOST } from './origin.ts';

/**
 * Headers of a single connection (RFC 9110 7.6.1), and those that say who asks. Both are removed: a
 * request of the window always acts as the local person, whatever it carries.
 */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'origin',
  'referer',
  'cookie',
  'authorization',
  'accept-encoding',
  'content-length',
  'expect',
]);
const NOT_RETURNED: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'set-cookie',
]);
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

function requestHeaders({ headers, body }: Request): Record<string, string> {
  const kept: Record<string, string> = {
    host: HOST,
    ...(body === null ? {} : { 'transfer-encoding': 'chunked' }),
  };
  for (const [name, value] of headers)
    if (!NOT_FORWARDED.has(name) && !name.startsWith('sec-')) kept[name] = value;
  return kept;
}

function responseHeaders(message: IncomingMessage): Headers {
  const headers = new Headers();
  for (let i = 0; i + 1 < message.rawHeaders.length; i += 2) {
    const name = message.rawHeaders[i] ?? '';
    if (!NOT_RETURNED.has(name.toLowerCase()))
      headers.append(name, message.rawHeaders[i + 1] ?? '');
  }
  return headers;
}

/**
 * Destroying one end of the pair with this error also destroys the other end, which would otherwise
 * wait for more data.
 */
class GivenUp extends Error {
  override name = 'GivenUp';
}

/**
 * The answer's body as a stream. It is read no faster than the page takes it, and aborted when the
 * page goes away.
 */
function streamBody(message: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        message.on('data', (chunk: Uint8Array) => {
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) message.pause();
        });
        message.on('end', () => controller.close());
        message.on('error', (error) => controller.error(error));
      },
      pull: () => void message.resume(),
      cancel: () => void message.destroy(new GivenUp()),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 64 * 1024 }),
  );
}

async function sendBody(body: ReadableStream<Uint8Array>, outgoing: ClientRequest): Promise<void> {
  const reader = body.getReader();
  outgoing.once('close', () => void reader.cancel().catch(() => undefined));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || outgoing.destroyed) break;
    if (!outgoing.write(value))
      await new Promise((resolve) => outgoing.once('drain', resolve).once('close', resolve));
  }
  outgoing.end();
}

/**
 * Passes requests of the window to the server in this process. If the server does not answer, the
 * page sees a network error, as over a real network.
 */
export function createForwarder(connect: () => Duplex): (request: Request) => Promise<Response> {
  return (request) =>
    new Promise((resolve) => {
      const url = new URL(request.url);
      const outgoing = httpRequest({
        method: request.method,
        path: `${url.pathname}${url.search}`,
        headers: requestHeaders(request),
        createConnection: connect,
      });
      const abort = (): void => void outgoing.destroy(new GivenUp());
      request.signal.addEventListener('abort', abort, { once: true });
      outgoing.once('close', () => request.signal.removeEventListener('abort', abort));
      outgoing.once('error', () => resolve(Response.error()));
      outgoing.once('response', (message) => {
        const status = message.statusCode ?? 500;
        const empty = NO_BODY.has(status) || request.method === 'HEAD';
        if (empty) message.resume();
        resolve(
          new Response(empty ? null : streamBody(message), {
            status,
            statusText: message.statusMessage ?? '',
            headers: responseHeaders(message),
          }),
        );
      });
      if (request.signal.aborted) abort();
      else if (request.body === null) outgoing.end();
      else sendBody(request.body, outgoing).catch(abort);
    });
}
