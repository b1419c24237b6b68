import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  most: number;
  /** Most connections from one address, unless it is a proxy's. */
  perAddress: number;
  isProxy(address: string): boolean;
}

/**
 * Limits open connections. Where all places are taken, a new one replaces the connection that has been without a request for the longest time, so that idle
 * sockets keep nobody out.
 */
export function limitConnections(server: Server, { most, perAddress, isProxy }: ConnectionLimits) {
  const idle = new Set<Socket>();
  /** Requests of each connection that are not answered yet. */
  const asked = new WeakMap<Socket, number>();
  const counts = new Map<string, number>();
  let open = 0;

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    // The connection has ended already, or comes from inside this process.
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
    /** Notes a request of the connection, which is not replaced before it is answered. */
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
