/** What stands before several instances of a server: each request goes to the next one, and to another where the connection is refused, as load balancers do it. */
import http, { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RoundRobin extends AsyncDisposable {
  readonly url: string;
  /** Addresses of the instances, which may come and go. */
  targets: string[];
  /** How many requests each answered. */
  readonly answered: Map<string, number>;
  close(): Promise<void>;
}

export async function startRoundRobin(targets: readonly string[]): Promise<RoundRobin> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  let turn = 0;

  function pass(request: IncomingMessage, body: Buffer, response: ServerResponse, left: number): void {
    turn += 1;
    const target = proxy.targets[turn % proxy.targets.length];
    if (target === undefined) return void response.destroy();
    const { host, hostname, port } = new URL(target);
    const headers = { ...request.headers, host };
    const onward = http.request({ agent, host: hostname, port, method: request.method, path: request.url, headers }, (answer) => {
      proxy.answered.set(target, (proxy.answered.get(target) ?? 0) + 1);
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
      answer.once('error', () => response.destroy());
      answer.once('aborted', () => response.destroy());
    });
    onward.once('error', (error: NodeJS.ErrnoException) => {
      // Nothing has reached a server that refuses the connection. What broke later may have been done: only the client knows whether to ask again.
      if (error.code === 'ECONNREFUSED' && left > 0) pass(request, body, response, left - 1);
      else response.destroy();
    });
    response.once('close', () => onward.destroy());
    onward.end(body);
  }

  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.once('end', () => pass(request, Buffer.concat(parts), response, proxy.targets.length));
    request.once('error', () => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const proxy: RoundRobin = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets: [...targets],
    answered: new Map(),
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
    [Symbol.asyncDispose]: () => proxy.close(),
  };
  return proxy;
}
