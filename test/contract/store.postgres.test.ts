import { inject } from 'vitest';
import { openStore } from '../../src/server/storage/open.ts';
import { EVERY_ACCOUNT, type Store } from '../../src/server/storage/port.ts';
import { makePlainDatabase } from '../support/plain-database.ts';
import { registerStoreTests } from './store.suite.ts';

/** The suite works for two accounts in one transaction; what one account's transaction sees is the subject of row-security.test.ts. */
function forEveryAccount(store: Store): Store {
  const read: Store['read'] = (fn, account = EVERY_ACCOUNT) => store.read(fn, account);
  const transact: Store['transact'] = (fn, account = EVERY_ACCOUNT) => store.transact(fn, account);
  return Object.assign(Object.create(store) as Store, { read, transact });
}

registerStoreTests('PostgreSQL', {
  async open(ports, shippedProfiles) {
    const { url, sql, drop } = await makePlainDatabase(inject('postgresUrl'));
    const start = async () => forEveryAccount(await openStore({ kind: 'postgres', url, shippedProfiles, connections: 4 }, ports));
    let store = await start();
    return {
      store,
      openBeside: start,
      sql: async (statement) => void (await sql(statement)),
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
