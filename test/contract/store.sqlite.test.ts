import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore } from '../../src/server/storage/open.ts';
import { registerStoreTests } from './store.suite.ts';

registerStoreTests('SQLite', {
  async open(ports, shippedProfiles) {
    const folder = mkdtempSync(path.join(tmpdir(), 'evidence-store-'));
    const file = path.join(folder, 'evidence.sqlite');
    const start = () => openStore({ kind: 'sqlite', file, shippedProfiles }, ports);
    let store = await start();
    const sql = async (statement: string): Promise<void> => {
      using db = new DatabaseSync(file);
      db.exec(statement);
    };
    return {
      store,
      openBeside: start,
      sql,
      ownSql: sql,
      async openAgain() {
        await store.close();
        return (store = await start());
      },
      async dispose() {
        await store.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
});
