import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { subjectOf } from '../auth/address.ts';

export interface ConnectionLimits {
  most: number;
  /** Most connections from one address (IPv6: one network), unless it is a proxy's. */
  perAddress: number;
  isProxy(address: string): boolean;
}

/**
 * The connection of the client with the most of these, the one that has been here for the longest
 * time.
 */
function oldestOfMost(arriving: ReadonlyMap<Socket, string>): Socket | undefined {
  const counts = new Map<string, number>();
  for (const client of arriving.values()) counts.set(client, (counts.get(client) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return [...arriving].find(([, client]) => counts.get(client) === most)?.[0];
}

/**
 * Limits open connections. Where all places are taken, a new one replaces the connection that has
 * been without a request for the longest time, or else one whose request is still arriving, so that
 * neither idle sockets nor slow senders keep anybody out.
 */
export function limitConnections(server: Server, { most, perAddress, isProxy }: ConnectionLimits) {
  const idle = new Set<Socket>();
  /** Connections whose request has not arrived in full, by its client. */
  const arriving = new Map<Socket, string>();
  /** Requests of each connection that are not answered yet. */
  const asked = new WeakMap<Socket, number>();
  const counts = new Map<string, number>();
  let open = 0;

  server.on('connection', (socket: Socket) => {
    // The connection has ended already, or comes from inside this process.
    if (socket.remoteAddress === undefined) return;
    const subject = subjectOf(socket.remoteAddress);
    const own = counts.get(subject) ?? 0;
    if (own >= perAddress && !isProxy(socket.remoteAddress)) return void socket.destroy();
    if (open >= most) {
      const replaced = idle.values().next().value ?? oldestOfMost(arriving);
      if (replaced === undefined) return void socket.destroy();
      idle.delete(replaced);
      arriving.delete(replaced);
      replaced.destroy();
    }
    open += 1;
    counts.set(subject, own + 1);
    idle.add(socket);
    socket.once('close', () => {
      open -= 1;
      idle.delete(socket);
      arriving.delete(socket);
      const left = (counts.get(subject) ?? 1) - 1;
      if (left > 0) counts.set(subject, left);
      else counts.delete(subject);
    });
  });

  return {
    count: () => open,
    /**
     * Notes a request of the connection, which is not replaced once the request has arrived until
     * it is answered. `client`: who sends it, perhaps through a proxy.
     */
    asks(socket: Socket, req: IncomingMessage, res: ServerResponse, client: string): void {
      idle.delete(socket);
      if (!req.complete && socket.remoteAddress !== undefined) {
        arriving.set(socket, subjectOf(client));
        const arrived = (): void => void arriving.delete(socket);
        req.once('end', arrived);
        req.once('close', arrived);
      }
      asked.set(socket, (asked.get(socket) ?? 0) + 1);
      res.once('close', () => {
        const left = asked.get(socket)! - 1;
        asked.set(socket, left);
        if (left === 0 && !socket.destroyed && socket.remoteAddress !== undefined) idle.add(socket);
      });
    },
  };
}
