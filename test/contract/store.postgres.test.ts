import { openStore } from '../../src/server/storage/open.ts';
import { makePlainDatabase, SHARED_POSTGRES } from '../support/plain-database.ts';
import { registerStoreTests } from './store.suite.ts';

registerStoreTests('PostgreSQL', {
  async open(ports, shippedProfiles) {
    const { url, sql, ownSql, drop } = await makePlainDatabase(SHARED_POSTGRES);
    const start = () =>
      openStore({ kind: 'postgres', url, shippedProfiles, connections: 4 }, ports);
    let store = await start();
    return {
      store,
      openBeside: start,
      sql: async (statement) => void (await sql(statement)),
      ownSql: async (statement) => void (await ownSql(statement)),
      async openAgain() {
        await store.close();
        return (store = await start());
      },
      async dispose() {
        await store.close();
        await drop();
      },
    };
  },
});
