/**
 * The floor of a read, in a process of its own as the server is: one query of the database file
 * given, JSON.stringify.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import express from 'express';

const [file = '', profile = '', below = ''] = process.argv.slice(2);
const query = new DatabaseSync(file, { readOnly: true }).prepare(
  'SELECT * FROM cells WHERE case_uid = ? AND profile_uid = ? AND item_uid < ?',
);
const app = express();
app.get('/cells', (_request, response) => {
  response.type('application/json').send(JSON.stringify(query.all('bench', profile, below)));
});
const server = createServer(app);
server.listen(0, '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
