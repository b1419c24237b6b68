/**
 * What stands before several instances of a hosted server, which all are told its address as
 * theirs.
 */
import http, { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as listenForConnections,
  type Socket,
} from 'node:net';

export interface RoundRobin extends AsyncDisposable {
  readonly url: string;
  /** Addresses of the instances, which may come and go. */
  targets: string[];
  /** How many requests each answered. */
  readonly answered: Map<string, number>;
  /** Until one has been handed the next request, which it has not answered by then. */
  handed(target: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Each request goes to the next one, and to another where the connection is refused, as load
 * balancers do it.
 */
export async function startRoundRobin(targets: readonly string[]): Promise<RoundRobin> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  let turn = 0;
  const waiting = new Map<string, () => void>();

  function pass(
    request: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
    left: number,
  ): void {
    turn += 1;
    const target = proxy.targets[turn % proxy.targets.length];
    if (target === undefined) return void response.destroy();
    const { hostname, port } = new URL(target);
    const onward = http.request(
      {
        agent,
        host: hostname,
        port,
        method: request.method,
        path: request.url,
        headers: request.headers,
      },
      (answer) => {
        proxy.answered.set(target, (proxy.answered.get(target) ?? 0) + 1);
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(response);
        answer.once('error', () => response.destroy());
        answer.once('aborted', () => response.destroy());
      },
    );
    onward.once('finish', () => {
      waiting.get(target)?.();
      waiting.delete(target);
    });
    onward.once('error', (error: NodeJS.ErrnoException) => {
      // Nothing has reached a server that refuses the connection. What broke later may have been
      // done: only the client knows whether to ask again.
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
    handed: (target) => new Promise((resolve) => waiting.set(target, resolve)),
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

export interface Turns {
  readonly url: string;
  readonly ports: number[];
  close(): Promise<void>;
}

/** Each connection goes to the next one, whatever bytes are sent on it. */
export async function takeTurns(): Promise<Turns> {
  const ports: number[] = [];
  const open = new Set<Socket>();
  let turn = 0;
  const server = listenForConnections({ allowHalfOpen: true }, (near) => {
    turn += 1;
    const far = connect({
      host: '127.0.0.1',
      port: ports[turn % ports.length] ?? 0,
      allowHalfOpen: true,
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.pipe(other);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroySoon();
      });
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ports,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
