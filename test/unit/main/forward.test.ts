import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { createForwarder } from '../../../src/main/forward.ts';

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.closeAllConnections()));

/** A server that is reached as the embedded one is: over a pair of streams, without a port. */
function forwardTo(listener: RequestListener): (request: Request) => Promise<Response> {
  const server = createServer(listener);
  servers.push(server);
  return createForwarder(() => {
    const [near, far] = duplexPair();
    server.emit('connection', far);
    return near;
  });
}
const closed = (stream: IncomingMessage | ServerResponse): Promise<void> =>
  new Promise((resolve) => stream.once('close', () => resolve()));

describe('requests of the window, handed to the server in this process', () => {
  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
    it(`${method} keeps method, path, query and body`, async () => {
      const forward = forwardTo(async (req, res) =>
        res.end(`${req.method} ${req.url} ${await text(req)}`),
      );
      const body =
        method === 'GET'
          ? {}
          : { body: '{"a":1}', headers: { 'content-type': 'application/json' } };
      const response = await forward(
        new Request('app://studio/api/v1/x/chr1:1:A%3EG?limit=5&cursor=a%2Fb', { method, ...body }),
      );
      expect(await response.text()).toBe(
        `${method} /api/v1/x/chr1:1:A%3EG?limit=5&cursor=a%2Fb ${method === 'GET' ? '' : '{"a":1}'}`,
      );
    });
  }

  it('is addressed to the host studio, once, and carries no credentials and no connection headers', async () => {
    const forward = forwardTo((req, res) =>
      res.end(JSON.stringify(req.rawHeaders.map((entry) => entry.toLowerCase()))),
    );
    const request = new Request('app://studio/api/v1/x', {
      headers: {
        authorization: 'Bearer evs_x',
        'x-kept': '1',
        'idempotency-key': 'k',
        'sync-witness': 'e;1;c',
      },
    });
    for (const [name, value] of [
      ['host', 'evil'],
      ['cookie', 'a=b'],
      ['connection', 'x-kept'],
      ['te', 'trailers'],
      ['upgrade', 'websocket'],
      ['keep-alive', '1'],
      ['referer', 'app://studio/studio/cases/secret'],
    ] as const)
      request.headers.append(name, value);
    const headers = (await (await forward(request)).json()) as string[];
    expect(headers.filter((entry) => entry === 'host')).toHaveLength(1);
    expect(headers[headers.indexOf('host') + 1]).toBe('studio');
    for (const name of ['authorization', 'cookie', 'te', 'upgrade', 'referer'])
      expect(headers).not.toContain(name);
    for (const name of ['x-kept', 'idempotency-key', 'sync-witness'])
      expect(headers).toContain(name);
  });

  it('an answer keeps status and headers but those of the connection', async () => {
    const forward = forwardTo((_req, res) => {
      res.writeHead(412, {
        etag: '"v3"',
        'x-request-id': 'req_1',
        'set-cookie': 'a=b',
        connection: 'close',
        'content-type': 'application/json',
      });
      res.end('{}');
    });
    const response = await forward(new Request('app://studio/api/v1/x'));
    expect(response.status).toBe(412);
    expect(response.headers.get('etag')).toBe('"v3"');
    expect(response.headers.get('x-request-id')).toBe('req_1');
    for (const name of ['set-cookie', 'connection', 'keep-alive', 'transfer-encoding'])
      expect(response.headers.has(name)).toBe(false);
  });

  for (const [status, method] of [
    [204, 'DELETE'],
    [304, 'GET'],
    [200, 'HEAD'],
  ] as const) {
    it(`${status} to ${method} has no body`, async () => {
      const forward = forwardTo((_req, res) => void res.writeHead(status).end());
      const response = await forward(new Request('app://studio/api/v1/x', { method }));
      expect(response.status).toBe(status);
      expect(response.body).toBeNull();
    });
  }

  it('server-sent events arrive one by one, while the answer is still open', async () => {
    let send: (line: string) => void = () => undefined;
    const forward = forwardTo((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      send = (line) => res.write(line);
      send('data: 1\n\n');
    });
    const reader = (
      await forward(new Request('app://studio/api/v1/sync/events'))
    ).body?.getReader();
    const next = async (): Promise<string> =>
      Buffer.from((await reader?.read())?.value ?? []).toString();
    expect(await next()).toBe('data: 1\n\n');
    send('data: 2\n\n');
    expect(await next()).toBe('data: 2\n\n');
    await reader?.cancel();
  });

  it('a page that stops reading ends the stream at the server', async () => {
    let gone: Promise<void> | undefined;
    const forward = forwardTo((_req, res) => {
      gone = closed(res);
      res.writeHead(200).write('x');
    });
    const reader = (
      await forward(new Request('app://studio/api/v1/sync/events'))
    ).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await gone;
  });

  it('a request given up before the answer ends at the server, and is a network error in the page', async () => {
    const arrived = Promise.withResolvers<ServerResponse>();
    const forward = forwardTo((_req, res) => arrived.resolve(res));
    const abort = new AbortController();
    const answer = forward(new Request('app://studio/api/v1/x', { signal: abort.signal }));
    const gone = closed(await arrived.promise);
    abort.abort();
    await gone;
    expect((await answer).type).toBe('error');
  });

  it('a request that is already given up is not sent', async () => {
    const forward = forwardTo((_req, res) => res.end());
    expect(
      (await forward(new Request('app://studio/api/v1/x', { signal: AbortSignal.abort() }))).type,
    ).toBe('error');
  });

  it('a large body arrives whole, in both directions, no faster than it is taken', async () => {
    const forward = forwardTo(async (req, res) => {
      for await (const chunk of req)
        if (!res.write(chunk)) await new Promise((resolve) => res.once('drain', resolve));
      res.end();
    });
    const body = 'abcdefgh'.repeat(1_000_000);
    const response = await forward(
      new Request('app://studio/api/v1/evidence', { method: 'POST', body }),
    );
    expect((await response.text()) === body).toBe(true);
  });

  it('a server that breaks off in the middle of an answer is an error, not a short answer', async () => {
    const forward = forwardTo((_req, res) => {
      res.writeHead(200, { 'content-length': '100' });
      res.write('half');
      setImmediate(() => res.destroy());
    });
    await expect((await forward(new Request('app://studio/api/v1/x'))).text()).rejects.toThrow();
  });

  it('a server that gives no answer is a network error', async () => {
    const forward = forwardTo((req) => req.socket.destroy());
    expect((await forward(new Request('app://studio/api/v1/x'))).type).toBe('error');
  });
});
