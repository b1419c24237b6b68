import net from 'node:net';

/**
 * A way to a server that can stop passing anything on, in either direction, without closing a
 * connection: as a network that has lost its route does.
 */
export interface StallingLine extends AsyncDisposable {
  port: number;
  stall(): void;
  /** Ends every connection, and each new one at once: as a balancer that has nowhere to send it. */
  refuse(): void;
  resume(): void;
}

export async function startStallingLine(target: {
  host: string;
  port: number;
}): Promise<StallingLine> {
  const pairs = new Set<readonly [net.Socket, net.Socket]>();
  let stalled = false;
  let refused = false;
  const server = net.createServer((near) => {
    if (refused) return void near.destroy();
    const far = net.connect(target.port, target.host);
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', (bytes: Buffer) => void to.write(bytes));
      from.on('error', end);
      from.once('close', end);
      if (stalled) from.pause();
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as net.AddressInfo).port,
    stall() {
      stalled = true;
      for (const socket of [...pairs].flat()) socket.pause();
    },
    refuse() {
      refused = true;
      for (const socket of [...pairs].flat()) socket.destroy();
    },
    resume() {
      stalled = false;
      refused = false;
      for (const socket of [...pairs].flat()) socket.resume();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of [...pairs].flat()) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
