import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { StoreOpenError } from '../../../src/server/storage/db/errors.ts';
import { MIGRATIONS } from '../../../src/server/storage/db/schema/migrations.ts';
import {
  APPLICATION_ID,
  applySettings,
  refuseOldSqlite,
  scalar,
} from '../../../src/server/storage/db/sqlite/sqlite-settings.ts';
import { openSqliteFile } from '../../../src/server/storage/db/sqlite/sqlite-file.ts';
import { refusal } from '../../contract/world.ts';
import { addProject, fillCase, open, owner, readPage, temporaryFolder } from './sqlite-support.ts';

const mode = (file: string): string => (statSync(file).mode & 0o777).toString(8);

async function openError(file: string): Promise<StoreOpenError> {
  try {
    await (await open(file)).close();
  } catch (error) {
    if (error instanceof StoreOpenError) return error;
    throw error;
  }
  throw new Error('It was opened.');
}

/** Overwrites pages of a database, its beginning left whole. */
function damage(file: string, from: number, pages: number): void {
  const bytes = readFileSync(file);
  bytes.fill(0xa5, from * 4_096, (from + pages) * 4_096);
  writeFileSync(file, bytes);
}

describe('the database file', () => {
  test('is for its owner alone, its folder and companions too', async () => {
    using folder = temporaryFolder();
    const before = process.umask(0o022);
    const store = await open(folder.file);
    await addProject(store, 'P');
    process.umask(before);
    expect(mode(path.dirname(folder.file))).toBe('700');
    const files = readdirSync(path.dirname(folder.file));
    expect(files.sort()).toEqual(['evidence.sqlite', 'evidence.sqlite-shm', 'evidence.sqlite-wal']);
    for (const file of files) expect(mode(path.join(path.dirname(folder.file), file))).toBe('600');
    await store.close();
    expect(readdirSync(path.dirname(folder.file))).toEqual(['evidence.sqlite']);
    chmodSync(folder.file, 0o644);
    await (await open(folder.file)).close();
    expect(mode(folder.file)).toBe('600');
  });

  test('tells SQLite the same of its indexes, whatever the file said of them', async () => {
    using folder = temporaryFolder();
    const told = (): unknown[] => {
      using db = new DatabaseSync(folder.file);
      return db.prepare('SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY tbl, idx').all();
    };
    await (await open(folder.file)).close();
    const first = told();
    expect(first.length).toBeGreaterThan(100);
    for (const change of ['ANALYZE', 'DELETE FROM sqlite_stat1', 'DROP TABLE sqlite_stat1']) {
      using db = new DatabaseSync(folder.file);
      db.exec(change);
      db.close();
      await (await open(folder.file)).close();
      expect(told()).toEqual(first);
    }
  });

  test('opens without them while another process writes', { timeout: 20_000 }, async () => {
    using folder = temporaryFolder();
    await (await open(folder.file)).close();
    using other = new DatabaseSync(folder.file);
    other.exec('DELETE FROM sqlite_stat1; BEGIN IMMEDIATE');
    const { writer, reader, readOnly } = openSqliteFile({ file: folder.file });
    expect(readOnly).toBeNull();
    other.exec('ROLLBACK');
    writer?.close();
    reader.close();
  });

  test('carries the settings of a store that must not lose anything', async () => {
    using folder = temporaryFolder();
    await (await open(folder.file)).close();
    const db = new DatabaseSync(folder.file);
    applySettings(db, 'writer');
    const expected: Record<string, unknown> = {
      application_id: APPLICATION_ID,
      user_version: MIGRATIONS.length,
      journal_mode: 'wal',
      synchronous: 2,
      fullfsync: 1,
      checkpoint_fullfsync: 1,
      foreign_keys: 1,
      trusted_schema: 0,
      cell_size_check: 1,
      mmap_size: 0,
      busy_timeout: 5_000,
      temp_store: 2,
      secure_delete: 1,
      journal_size_limit: 67_108_864,
    };
    for (const [name, value] of Object.entries(expected))
      expect([name, scalar(db, `PRAGMA ${name}`)]).toEqual([name, value]);
    const loose = db
      .prepare(
        `SELECT name FROM sqlite_schema
        WHERE type = 'table' AND sql NOT LIKE '%STRICT%' AND name NOT LIKE 'sqlite%'`,
      )
      .all();
    expect(loose).toEqual([]);
    expect(() => refuseOldSqlite(db, false)).not.toThrow();
    db.close();
  });

  test('an SQLite before 3.51.3 is refused unless allowed', () => {
    const old = {
      prepare: () => ({ get: () => ({ version: '3.51.2' }) }),
    } as unknown as DatabaseSync;
    expect(() => refuseOldSqlite(old, false)).toThrow(StoreOpenError);
    expect(() => refuseOldSqlite(old, true)).not.toThrow();
    for (const [version, fine] of [
      ['3.45.1', false],
      ['3.51.3', true],
      ['3.52.0', true],
      ['4.0.0', true],
    ] as const) {
      const db = {
        prepare: () => ({ get: () => ({ version, _metadata: {} }) }),
      } as unknown as DatabaseSync;
      if (fine) expect(() => refuseOldSqlite(db, false)).not.toThrow();
      else expect(() => refuseOldSqlite(db, false)).toThrow('3.51.3');
    }
  });

  test('opens again with the same identity; migrating twice changes nothing', async () => {
    using folder = temporaryFolder();
    const first = await open(folder.file);
    await addProject(first, 'P');
    const { storeId, epoch, local } = first;
    await first.close();
    const second = await open(folder.file);
    expect({ storeId: second.storeId, epoch: second.epoch, local: second.local }).toEqual({
      storeId,
      epoch,
      local,
    });
    expect(
      (
        await second.read((reader) =>
          reader.projects.list(local.account_id, { limit: 50, cursor: undefined }),
        )
      ).data,
    ).toHaveLength(1);
    await second.close();
    expect(readdirSync(path.dirname(folder.file))).toEqual(['evidence.sqlite']);
  });

  test('of a newer version opens for reading and says why', async () => {
    using folder = temporaryFolder();
    const first = await open(folder.file);
    await fillCase(first, 3);
    await first.close();
    const db = new DatabaseSync(folder.file);
    db.exec(`PRAGMA user_version=${MIGRATIONS.length + 1}`);
    db.close();
    const bytes = readFileSync(folder.file);
    const store = await open(folder.file);
    expect(store.health().read_only).toContain('newer version');
    expect((await readPage(store)).value().items).toHaveLength(3);
    expect((await refusal(addProject(store, 'Q'))).code).toBe('read_only');
    await store.close();
    expect(readFileSync(folder.file).equals(bytes)).toBe(true);
  });

  test('with damage opens for reading, is never replaced, and takes no write', async () => {
    using folder = temporaryFolder();
    const first = await open(folder.file);
    await fillCase(first, 2_000);
    await first.close();
    damage(folder.file, Math.floor(statSync(folder.file).size / 4_096) - 40, 30);
    const bytes = readFileSync(folder.file);
    const store = await open(folder.file);
    expect(store.health()).toEqual({ ok: false, read_only: expect.stringContaining('damaged') });
    expect(
      (
        await store.read((reader) =>
          reader.projects.list(store.local.account_id, { limit: 50, cursor: undefined }),
        )
      ).data,
    ).toHaveLength(1);
    expect((await refusal(addProject(store, 'Q'))).code).toBe('read_only');
    await store.close();
    expect(readFileSync(folder.file).equals(bytes)).toBe(true);
  });

  test('that is large is served at once and looked over beside that: with damage it soon takes no write', async () => {
    using folder = temporaryFolder();
    const first = await open(folder.file);
    await addProject(first, 'P');
    await first.close();
    const bare = new DatabaseSync(folder.file);
    bare.exec('CREATE TABLE large (bytes BLOB)');
    bare.exec(
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000) INSERT INTO large SELECT zeroblob(3000) FROM n',
    );
    bare.close();
    const whole = await open(folder.file);
    await addProject(whole, 'Q');
    await whole.close();
    damage(folder.file, Math.floor(statSync(folder.file).size / 4_096) - 40, 30);
    const store = await open(folder.file);
    await expect
      .poll(() => store.health())
      .toEqual({ ok: false, read_only: expect.stringContaining('damaged') });
    expect((await refusal(addProject(store, 'R'))).code).toBe('read_only');
    expect(
      (
        await store.read((reader) =>
          reader.projects.list(store.local.account_id, { limit: 50, cursor: undefined }),
        )
      ).data,
    ).toHaveLength(2);
    await store.close();
  });

  test('that is damaged while it is open takes no further write', async () => {
    using folder = temporaryFolder();
    const first = await open(folder.file);
    await fillCase(first, 2_000);
    await first.close();
    const store = await open(folder.file);
    expect(store.health().ok).toBe(true);
    damage(folder.file, 40, Math.floor(statSync(folder.file).size / 4_096) - 45);
    await expect(readPage(store, 200)).rejects.toThrow();
    expect(store.health().ok).toBe(false);
    expect((await refusal(addProject(store, 'Q'))).code).toBe('read_only');
    await store.close();
  });

  test('that is no database, or of another application, is left as it is', async () => {
    using folder = temporaryFolder();
    mkdirSync(path.dirname(folder.file));
    writeFileSync(folder.file, 'not a database '.repeat(500));
    expect((await openError(folder.file)).code).toBe('not_a_database');
    expect(readFileSync(folder.file, 'utf8')).toBe('not a database '.repeat(500));
    const foreign = path.join(folder.path, 'foreign.sqlite');
    const db = new DatabaseSync(foreign);
    db.exec('CREATE TABLE theirs (x)');
    db.close();
    expect((await openError(foreign)).code).toBe('foreign_file');
    expect(existsSync(`${foreign}.part`)).toBe(false);
  });

  test('cannot be made in a folder that is a file, and says so', async () => {
    using folder = temporaryFolder();
    writeFileSync(path.join(folder.path, 'data'), '');
    const error = await openError(folder.file);
    expect([error.code, error.message]).toEqual([
      'no_permission',
      expect.stringContaining('data folder'),
    ]);
  });
});

describe('two handles on one file', () => {
  test('see what the other has committed, and a reader cannot write', async () => {
    using folder = temporaryFolder();
    const [one, two] = [await open(folder.file), await open(folder.file)];
    await addProject(one, 'From one');
    await addProject(two, 'From two');
    for (const store of [one, two]) {
      const { data } = await store.read((reader) =>
        reader.projects.list(store.local.account_id, { limit: 50, cursor: undefined }),
      );
      expect(data.map((project) => project.name)).toEqual(['From one', 'From two']);
      expect(await store.read(async (reader) => Object.keys(reader))).not.toContain(
        'projectWrites',
      );
    }
    expect(owner(one)).toEqual(owner(two));
    await one.close();
    await addProject(two, 'After');
    await two.close();
  });

  test('one read sees one moment, whatever is committed meanwhile', async () => {
    using folder = temporaryFolder();
    const store = await open(folder.file);
    const names = () =>
      store.read(
        async (reader) =>
          (await reader.projects.list(store.local.account_id, { limit: 50, cursor: undefined }))
            .data.length,
      );
    const counts = await store.read(async (reader) => {
      const count = async (): Promise<number> =>
        (await reader.projects.list(store.local.account_id, { limit: 50, cursor: undefined })).data
          .length;
      const before = await count();
      await addProject(store, 'Meanwhile');
      return [before, await count()];
    });
    expect(counts).toEqual([0, 0]);
    expect(await names()).toBe(1);
    await store.close();
  });
});
