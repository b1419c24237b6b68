import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { openStore } from '../../src/server/storage/open.ts';
import { registerStoreTests } from './store.suite.ts';

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

registerStoreTests('PostgreSQL', {
  async open(ports, shippedProfiles) {
    const server = inject('postgresUrl');
    const name = `store_${randomBytes(6).toString('hex')}`;
    await run(server, `CREATE DATABASE ${name}`);
    const address = new URL(server);
    address.pathname = `/${name}`;
    const url = address.href;
    const start = () => openStore({ kind: 'postgres', url, shippedProfiles, connections: 4 }, ports);
    let store = await start();
    return {
      store,
      openBeside: start,
      sql: (statement) => run(url, statement),
      async openAgain() {
        await store.close();
        return (store = await start());
      },
      async dispose() {
        await store.close();
        await run(server, `DROP DATABASE ${name} WITH (FORCE)`);
      },
    };
  },
});
