import { existsSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { userInTable } from '../../../src/server/http/peer-user.ts';

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid';
const row = (local: string, remote: string, state: string, uid: number): string =>
  `   1: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 99 1`;
const table = (...rows: string[]): string => [HEAD, ...rows, ''].join('\n');
const LOOP = '0100007F';
const MAPPED = '0000000000000000FFFF00000100007F';
const socket = {
  remoteAddress: '127.0.0.1',
  remotePort: 0x8c32,
  localAddress: '127.0.0.1',
  localPort: 0xb00d,
};

describe.runIf(process.platform === 'linux')('whose the other end of a connection is', () => {
  it('is said by the line of both addresses and both ports, while the connection is open', () => {
    const found = row(`${LOOP}:8C32`, `${LOOP}:B00D`, '01', 7);
    const others = [
      row(`${LOOP}:8C32`, `${LOOP}:B00D`, '06', 0),
      row('0200007F:8C32', `${LOOP}:B00D`, '01', 1),
      row(`${LOOP}:8C32`, '0200007F:B00D', '01', 2),
      row(`${LOOP}:B00D`, `${LOOP}:8C32`, '01', 3),
    ];
    expect(userInTable(table(...others), socket)).toBeUndefined();
    expect(userInTable(table(...others, found), socket)).toBe(7);
  });

  it('is found for IPv4 within IPv6, and for IPv6', () => {
    const mapped = table(row(`${MAPPED}:8C32`, `${MAPPED}:B00D`, '01', 8));
    expect(userInTable(mapped, socket)).toBe(8);
    const within = {
      ...socket,
      remoteAddress: '::ffff:127.0.0.1',
      localAddress: '::ffff:127.0.0.1',
    };
    expect(userInTable(table(row(`${LOOP}:8C32`, `${LOOP}:B00D`, '01', 9)), within)).toBe(9);
    const six = `${'0'.repeat(24)}01000000`;
    const own = { ...socket, remoteAddress: '::1', localAddress: '::1' };
    expect(userInTable(table(row(`${six}:8C32`, `${six}:B00D`, '01', 10)), own)).toBe(10);
  });

  it.each(['127.0.0.1', '::1'])('is found in the table of this computer, at %s', async (host) => {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, host);
    const [end] = (await once(server, 'connection')) as [Socket];
    const file = host === '::1' ? '/proc/net/tcp6' : '/proc/net/tcp';
    expect(existsSync(file)).toBe(true);
    expect(userInTable(readFileSync(file, 'utf8'), end)).toBe(process.getuid?.());
    client.destroy();
    end.destroy();
    server.close();
  });
});
