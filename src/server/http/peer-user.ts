import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/** Each connection of IPv4 and IPv6, with the user who holds its end. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];

const portOf = (address: string | undefined): number =>
  Number.parseInt(address?.split(':').at(-1) ?? '', 16);

/**
 * The user of this computer whose process holds the other end of a connection; undefined where the
 * system does not tell, as all but Linux.
 */
function userOfPeer({ remotePort, localPort }: Socket): number | undefined {
  for (const table of TABLES) {
    let lines: string[];
    try {
      lines = readFileSync(table, 'utf8').split('\n');
    } catch {
      continue;
    }
    for (const line of lines) {
      const [, local, remote, , , , , uid] = line.trim().split(/\s+/);
      if (portOf(local) === remotePort && portOf(remote) === localPort) return Number(uid);
    }
  }
  return undefined;
}

/** Whether the system says that another user asks. The administrator may do anything anyway. */
export function isOtherUser(socket: Socket): boolean {
  const user = userOfPeer(socket);
  return user !== undefined && user !== 0 && user !== process.getuid?.();
}
