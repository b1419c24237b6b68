import type { ProfileDocument } from '../../shared/domain/profile.ts';
import type { PostgresOptions } from './db/postgres/postgres.ts';
import { openSqlite, type SqliteOptions } from './db/sqlite/sqlite.ts';
import { createStore, type Store } from './store.ts';
import type { StorePorts } from './db/context.ts';

interface CommonStoreOptions {
  /** Profiles that come with the application, visible to every account. */
  shippedProfiles?: readonly ProfileDocument[];
}

export type StoreOptions = CommonStoreOptions &
  (({ kind: 'sqlite' } & SqliteOptions) | ({ kind: 'postgres' } & PostgresOptions));

/**
 * Opens the store, makes it where there is none, and brings its schema up to date. Throws
 * StoreOpenError with a plain sentence.
 */
export async function openStore(options: StoreOptions, ports: StorePorts): Promise<Store> {
  const engine =
    options.kind === 'sqlite'
      ? openSqlite(options)
      : await (await import('./db/postgres/postgres.ts')).openPostgres(options);
  try {
    return await createStore(engine, ports, options.shippedProfiles ?? []);
  } catch (error) {
    await engine.close();
    throw error;
  }
}
