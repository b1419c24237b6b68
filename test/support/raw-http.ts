import net from 'node:net';
import type { Duplex } from 'node:stream';

export interface RawAnswer {
  status: number;
  head: string;
  body: string;
}

function parse(received: string): RawAnswer {
  const end = received.indexOf('\r\n\r\n');
  const head = end === -1 ? received : received.slice(0, end);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
    head,
    body: end === -1 ? '' : received.slice(end + 4),
  };
}

/** Whether a whole answer has come: a body of its announced length. */
function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const length = /content-length: (\d+)/i.exec(received.slice(0, end))?.[1];
  return length !== undefined && Buffer.byteLength(received.slice(end + 4)) >= Number(length);
}

/**
 * Writes bytes on a connection as they are and reads one answer; status 0 where the connection ends
 * without one.
 */
export function exchange(connection: Duplex, bytes: string | Buffer): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let received = '';
    const done = (): void => {
      connection.destroy();
      resolve(parse(received));
    };
    connection.on('data', (chunk: Buffer) => {
      received += chunk.toString();
      if (isWhole(received)) done();
    });
    connection.once('error', done);
    connection.once('close', done);
    connection.once('end', done);
    connection.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  });
}

export function rawRequest(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return exchange(net.connect(Number(port), hostname), bytes);
}
