/**
 * A line to PostgreSQL that counts: statements, and batches, each of which is all that the server
 * is asked before it answers.
 */
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';

export interface Counted {
  statements: number;
  batches: number;
}

export interface CountingLine {
  url: string;
  /** What `work` asks. */
  count(work: () => Promise<unknown>): Promise<Counted>;
  close(): void;
}

const EXECUTE = 'E'.charCodeAt(0);
const QUERY = 'Q'.charCodeAt(0);

export async function countingLine(url: string): Promise<CountingLine> {
  const target = new URL(url);
  let counted: Counted = { statements: 0, batches: 0 };
  const server = createServer((client) => {
    const postgres = createConnection(Number(target.port), target.hostname);
    let rest = Buffer.alloc(0);
    let isStarted = false;
    let isAsking = false;
    client.on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      // The first message has no type before its length.
      for (
        let head = isStarted ? 1 : 0;
        rest.length >= head + 4 && rest.length >= head + rest.readUInt32BE(head);
        head = 1
      ) {
        if (isStarted && (rest[0] === EXECUTE || rest[0] === QUERY)) {
          counted.statements += 1;
          if (!isAsking) counted.batches += 1;
          isAsking = true;
        }
        rest = rest.subarray(head + rest.readUInt32BE(head));
        isStarted = true;
      }
      postgres.write(bytes);
    });
    postgres.on('data', (bytes) => {
      isAsking = false;
      client.write(bytes);
    });
    for (const [one, other] of [
      [client, postgres],
      [postgres, client],
    ] as const)
      one.once('close', () => other.destroy()).on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    async count(work) {
      counted = { statements: 0, batches: 0 };
      await work();
      return counted;
    },
    close: () => void server.close(),
  };
}
