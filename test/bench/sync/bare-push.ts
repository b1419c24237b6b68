/**
 * The floor of a push: a process that reads a change, hashes it, writes it by one statement,
 * flushed to the disk, and answers.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';

const database = new DatabaseSync(process.argv[2] ?? '');
database.exec(
  'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE IF NOT EXISTS changes (id TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT',
);
const insert = database.prepare('INSERT INTO changes VALUES (?, ?)');
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (chunks.length > 0) {
      const { changes } = JSON.parse(Buffer.concat(chunks).toString()) as {
        changes: { change: string }[];
      };
      database.exec('BEGIN IMMEDIATE');
      for (const { change } of changes)
        insert.run(createHash('sha256').update(change).digest('base64url'), change);
      database.exec('COMMIT');
    }
    response.setHeader('content-type', 'application/json');
    response.end('{"ok":true}');
  });
});
server.listen(0, '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
