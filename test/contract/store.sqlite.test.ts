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
    return {
      store,
      openBeside: start,
      async sql(statement) {
        const db = new DatabaseSync(file);
        try {
          db.exec(statement);
        } finally {
          db.close();
        }
      },
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
