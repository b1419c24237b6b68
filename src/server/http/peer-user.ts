import { readFileSync } from 'node:fs';
import { isIPv6, type Socket, SocketAddress } from 'node:net';
import { endianness } from 'node:os';

/** Each connection of IPv4 and IPv6, with the user who holds its end. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** The state of a connection that has both its ends. */
const ESTABLISHED = '01';

type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>;

/** An end of a connection in one form, whether it is of IPv4 or IPv4 within IPv6. */
function endOf(address: string | undefined, port: number | undefined): string {
  const [plain = ''] = (address ?? '').split('%');
  const written = isIPv6(plain)
    ? new SocketAddress({ address: plain, family: 'ipv6' }).address
    : plain;
  return `${written.replace(/^::ffff:/, '')} ${port}`;
}

/** The same of an end in a table: words of 32 bits in the order of bytes of the machine. */
function endInTable(written: string): string {
  const [address = '', port = ''] = written.split(':');
  const bytes = (address.match(/.{8}/g) ?? []).flatMap((word) => {
    const pairs = word.match(/../g) ?? [];
    return endianness() === 'LE' ? pairs.toReversed() : pairs;
  });
  const text =
    bytes.length === 4
      ? bytes.map((byte) => Number.parseInt(byte, 16)).join('.')
      : (bytes.join('').match(/.{4}/g) ?? []).join(':');
  return endOf(text, Number.parseInt(port, 16));
}

/** The user whose process holds the other end of an open connection, by the lines of a table. */
export function userInTable(table: string, socket: Ends): number | undefined {
  const theirs = endOf(socket.remoteAddress, socket.remotePort);
  const ours = endOf(socket.localAddress, socket.localPort);
  for (const line of table.split('\n').slice(1)) {
    const [, local = '', remote = '', state, , , , uid] = line.trim().split(/\s+/);
    if (state === ESTABLISHED && endInTable(local) === theirs && endInTable(remote) === ours)
      return Number(uid);
  }
  return undefined;
}

/** Undefined where the system does not say whose an end is, as all but Linux. */
function userOfPeer(socket: Socket): number | undefined {
  for (const table of TABLES) {
    let lines: string;
    try {
      lines = readFileSync(table, 'utf8');
    } catch {
      continue;
    }
    const user = userInTable(lines, socket);
    if (user !== undefined) return user;
  }
  return undefined;
}

/** Whether the system says that another user asks. The administrator may do anything anyway. */
export function isOtherUser(socket: Socket): boolean {
  const user = userOfPeer(socket);
  return user !== undefined && user !== 0 && user !== process.getuid?.();
}
