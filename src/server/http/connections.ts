import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  most: number;
  /** From one address that is not a proxy's. */
  perAddress: number;
  isProxy(address: string): boolean;
}

/**
 * Keeps room for those who have something to ask: where all places are taken, the connection gives way that has asked nothing for the longest time,
 * be it that its request never came or that its last answer is long gone. Sockets that only wait thus keep nobody out.
 */
export function limitConnections(server: Server, { most, perAddress, isProxy }: ConnectionLimits) {
  const idle = new Set<Socket>();
  /** Requests of a connection that are not answered yet. */
  const asked = new WeakMap<Socket, number>();
  const counts = new Map<string, number>();
  let open = 0;

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    // One that is gone already, or comes from inside this process.
    if (address === undefined) return;
    const own = counts.get(address) ?? 0;
    if (own >= perAddress && !isProxy(address)) return void socket.destroy();
    if (open >= most) {
      const [oldest] = idle;
      if (oldest === undefined) return void socket.destroy();
      oldest.destroy();
    }
    open += 1;
    counts.set(address, own + 1);
    idle.add(socket);
    socket.once('close', () => {
      open -= 1;
      idle.delete(socket);
      const left = (counts.get(address) ?? 1) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
    });
  });

  return {
    count: () => open,
    /** The connection has a request, and is spared until that is answered. */
    asks(socket: Socket, res: ServerResponse): void {
      idle.delete(socket);
      asked.set(socket, (asked.get(socket) ?? 0) + 1);
      res.once('close', () => {
        const left = asked.get(socket)! - 1;
        asked.set(socket, left);
        if (left === 0 && !socket.destroyed && socket.remoteAddress !== undefined) idle.add(socket);
      });
    },
  };
}
