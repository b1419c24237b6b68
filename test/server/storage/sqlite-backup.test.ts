import { asStream } from '../../support/ids.ts';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../../src/server/storage/db/schema/migrations.ts';
import { migrate } from '../../../src/server/storage/db/sqlite/sqlite-file.ts';
import { addProject, fillCase, open, readPage, temporaryFolder } from './sqlite-support.ts';

test('a backup is a whole store: restored, it has the same evidence, log and identity', async () => {
  using folder = temporaryFolder();
  const store = await open(folder.file);
  await fillCase(store, 300);
  const target = path.join(folder.path, 'backup.sqlite');
  await store.backup(target);
  await addProject(store, 'After the backup');
  const expected = await readPage(store, 200);
  const log = await store.read((reader) =>
    reader.log.changes(store.local.account_id, asStream('filled'), 0, 1_000, undefined),
  );
  await store.close();
  expect((statSync(target).mode & 0o777).toString(8)).toBe('600');
  expect(readdirSync(folder.path).sort()).toEqual(['backup.sqlite', 'data']);

  const restored = path.join(folder.path, 'restored.sqlite');
  copyFileSync(target, restored);
  const again = await open(restored);
  expect(again.storeId).toBe(store.storeId);
  expect((await readPage(again, 200)).json).toBe(expected.json);
  expect(
    await again.read((reader) =>
      reader.log.changes(again.local.account_id, asStream('filled'), 0, 1_000, undefined),
    ),
  ).toEqual(log);
  expect(
    (
      await again.read((reader) =>
        reader.projects.list(again.local.account_id, { limit: 50, cursor: undefined }),
      )
    ).data.map((project) => project.name),
  ).toEqual(['Filled']);
  await again.close();
});

test('a backup that fails leaves the former one and nothing else', async () => {
  using folder = temporaryFolder();
  const store = await open(folder.file);
  await fillCase(store, 2_000);
  await store.close();
  const target = path.join(folder.path, 'backup.sqlite');
  writeFileSync(target, 'former');
  const damaged = await open(folder.file);
  const bytes = readFileSync(folder.file);
  bytes.fill(0xa5, 40 * 4_096, bytes.length - 20 * 4_096);
  writeFileSync(folder.file, bytes);
  await expect(damaged.backup(target)).rejects.toThrow();
  await damaged.close();
  expect(readFileSync(target, 'utf8')).toBe('former');
  expect(existsSync(`${target}.part`)).toBe(false);
});

test('a file of an older version is copied before it is migrated; a step that fails leaves it as it was', async () => {
  using folder = temporaryFolder();
  const store = await open(folder.file);
  await fillCase(store, 3);
  await store.close();
  const db = new DatabaseSync(folder.file);
  const version = (): unknown => db.prepare('PRAGMA user_version').get();
  const from = MIGRATIONS.length;
  const failing = [
    ...MIGRATIONS,
    () => ['CREATE TABLE one (x INTEGER) STRICT', 'CREATE TABLE one (x INTEGER) STRICT'],
  ];
  expect(() => migrate(db, folder.file, failing)).toThrow('already exists');
  expect(version()).toEqual({ user_version: from });
  migrate(db, folder.file, [...MIGRATIONS, () => ['CREATE TABLE one (x INTEGER) STRICT']]);
  expect(version()).toEqual({ user_version: from + 1 });
  db.close();
  const copy = await open(`${folder.file}.v${from}.backup`);
  expect(copy.health().read_only).toBeNull();
  expect((await readPage(copy)).value().items).toHaveLength(3);
  await copy.close();
});
