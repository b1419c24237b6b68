import type { ProfileDocument } from '../../shared/domain/profile.ts';
import type { OutsideBlobs } from './blobs/outside-blobs.ts';
import type { BlobPlace } from './blobs/place.ts';
import type { PostgresOptions } from './db/postgres/postgres.ts';
import { openSqlite, type SqliteOptions } from './db/sqlite/sqlite.ts';
import { createStore, type Store } from './store.ts';
import type { StorePorts } from './db/context.ts';
import { StoreOpenError } from './db/errors.ts';
import { EVERY_ACCOUNT } from './db/session.ts';

interface CommonStoreOptions {
  /** Profiles that come with the application, visible to every account. */
  shippedProfiles?: readonly ProfileDocument[];
  /** Where blobs are kept, if not in the database. */
  blobs?: BlobPlace | undefined;
}

export type StoreOptions = CommonStoreOptions &
  (({ kind: 'sqlite' } & SqliteOptions) | ({ kind: 'postgres' } & PostgresOptions));

/**
 * Opens the store, makes it where there is none, and brings its schema up to date. Throws
 * StoreOpenError with a plain sentence.
 */
export async function openStore(options: StoreOptions, ports: StorePorts): Promise<Store> {
  const outside =
    options.blobs && (await (await import('./blobs/open.ts')).openOutsideBlobs(options.blobs));
  const engine =
    options.kind === 'sqlite'
      ? openSqlite(options)
      : await (await import('./db/postgres/postgres.ts')).openPostgres(options);
  try {
    if (engine.isShared === true && outside !== undefined)
      throw new StoreOpenError(
        'setting_refused',
        'EVIDENCE_STUDIO_BLOBS moves what servers of the version before look for in the database: ' +
          'set it after `evidence-studio database finish`.',
      );
    const store = await createStore(
      engine,
      outside === undefined ? ports : { ...ports, outside },
      options.shippedProfiles ?? [],
    );
    if (options.kind === 'postgres') await takeOutside(store, outside);
    return store;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/**
 * Refuses a server that would not find the blobs that are outside. A store outside that does not
 * answer now is looked at when it is first needed.
 */
async function takeOutside(store: Store, outside: OutsideBlobs | undefined): Promise<void> {
  const { known, isUsed } = await store.read((reader) => reader.runs.blobPlaces(), EVERY_ACCOUNT);
  if (outside === undefined) {
    if (!isUsed) return;
    throw new StoreOpenError(
      'setting_refused',
      `Blobs of this database are kept outside of it${known === undefined ? '' : `, in ${known}`}: set ` +
        'EVIDENCE_STUDIO_BLOBS to where they are, or bring them back first, by ' +
        '`evidence-studio blobs back` with that setting.',
    );
  }
  // Nothing is outside yet, and nothing will be.
  if (!isUsed && !store.health().ok) return;
  const claim = await outside.claim(store.storeId, !isUsed);
  if (!claim.ok && claim.problem === 'refused')
    throw new StoreOpenError(
      'setting_refused',
      `EVIDENCE_STUDIO_BLOBS names ${outside.place}, which cannot be used: ${claim.why}.`,
    );
  // Without a note nobody would move blobs; one that is there stays until the place was seen.
  if (store.health().ok && (claim.ok ? known !== outside.place : known === undefined))
    await store.transact((writer) => writer.runWrites.noteBlobPlace(outside.place), EVERY_ACCOUNT);
}
