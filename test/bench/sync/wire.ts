/**
 * A wire with a counter in it: between a client and a server, over loopback or as slow as asked.
 */
import { createServer, connect, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface Wire {
  /** Where clients connect; a server must know this address as its own. */
  url: string;
  /** Where the other end is. */
  to(target: string): void;
  /** Bytes both ways, connections and all, since `reset`. */
  bytes: { up: number; down: number };
  reset(): void;
  /** Refuses and cuts connections until `restore`. */
  cut(): void;
  restore(): void;
  close(): Promise<void>;
}

export interface Speed {
  /** One way, in ms. */
  delay: number;
  bitsPerSecond: number;
}
/** The line that the targets speak of. */
export const OFFICE: Speed = { delay: 20, bitsPerSecond: 50_000_000 };

/**
 * Hands chunks on in order, each when the line would have carried it. Senders are held back while a
 * second's worth is under way.
 */
function carry(
  from: Socket,
  to: Socket,
  speed: Speed | undefined,
  count: (bytes: number) => void,
): void {
  let free = 0;
  from.on('data', (chunk: Buffer) => {
    count(chunk.length);
    if (speed === undefined) {
      if (!to.write(chunk)) {
        from.pause();
        to.once('drain', () => from.resume());
      }
      return;
    }
    const now = performance.now();
    free = Math.max(now, free) + (chunk.length * 8_000) / speed.bitsPerSecond;
    setTimeout(() => to.write(chunk), free + speed.delay - now);
    if (free - now > 100) {
      from.pause();
      setTimeout(() => from.resume(), free - now - 50);
    }
  });
  from.on('end', () =>
    setTimeout(
      () => to.end(),
      speed === undefined ? 0 : Math.max(0, free + speed.delay - performance.now()),
    ),
  );
  from.on('error', () => to.destroy());
  from.on('close', () =>
    setTimeout(
      () => to.destroy(),
      speed === undefined ? 0 : Math.max(0, free + speed.delay - performance.now()) + 50,
    ),
  );
}

export async function layWire(speed?: Speed): Promise<Wire> {
  let target = new URL('http://127.0.0.1:9');
  const sockets = new Set<Socket>();
  const bytes = { up: 0, down: 0 };
  let open = true;
  const server = createServer((client) => {
    if (!open) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    carry(client, upstream, speed, (length) => (bytes.up += length));
    carry(upstream, client, speed, (length) => (bytes.down += length));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const cutAll = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    to: (url) => void (target = new URL(url)),
    bytes,
    reset: () => void Object.assign(bytes, { up: 0, down: 0 }),
    cut() {
      open = false;
      cutAll();
    },
    restore: () => void (open = true),
    async close() {
      cutAll();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** A port that nobody has now, for servers that must be told theirs. */
export async function freePort(): Promise<number> {
  const wire = await layWire();
  await wire.close();
  return Number(new URL(wire.url).port);
}
