import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { keepBackups, listBackups } from '../../../src/server/instance/backups.ts';
import { openData } from '../../../src/server/open-data.ts';
import { composeServer, restoreInto } from '../../../src/server/compose.ts';
import { readConfig } from '../../../src/server/config/config.ts';
import { databaseFile } from '../../../src/server/instance/data-folder.ts';
import { finishRestore } from '../../../src/server/instance/restore.ts';
import { ofOwnAccount } from '../../support/own-account.ts';

const folders: string[] = [];
function newFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'studio-'));
  folders.push(folder);
  return folder;
}
afterEach(() =>
  folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })),
);

const config = readConfig({ LOG_LEVEL: 'silent' });
const DAY = 86_400_000;

describe('backups', () => {
  const store = {
    engine: 'sqlite' as const,
    health: () => ({ ok: true, read_only: null }),
    backup: async (file: string) => writeFileSync(file, file),
  };
  const start = Date.UTC(2026, 10, 20, 17);

  it('keeps seven days and four weeks, newest first in the list', async () => {
    const folder = newFolder();
    for (let day = 0; day < 60; day += 1) await keepBackups(store, folder, start + day * DAY);
    const names = listBackups(folder).map((file) => path.basename(file));
    expect(names.filter((name) => name.includes('daily'))).toHaveLength(7);
    expect(names.filter((name) => name.includes('weekly'))).toHaveLength(4);
    expect(names[0]).toBe('20270118T170000Z-000060-daily.sqlite');
    expect(names).toEqual(names.toSorted().toReversed());
  });

  it('writes one a day, however often it is asked', async () => {
    const folder = newFolder();
    const written = [];
    for (const hours of [0, 1, 5, 7, 8, 31])
      written.push(await keepBackups(store, folder, start + hours * 3_600_000));
    expect(written.map((file) => file !== undefined)).toEqual([
      true,
      false,
      false,
      true,
      false,
      true,
    ]);
  });

  it('a clock that runs ahead for a minute, or back for a day, stops no backup: order counts', async () => {
    const years = 10 * 365 * DAY;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(0, 0, 0, years, -years, -DAY, 6 * 3_600_000), {
          minLength: 3,
          maxLength: 20,
        }),
        async (errors) => {
          const folder = newFolder();
          const written: string[] = [];
          const ask = async (now: number): Promise<void> => {
            const file = await keepBackups(store, folder, now);
            if (file !== undefined) written.push(file);
          };
          for (const [day, error] of errors.entries()) {
            await ask(start + day * DAY + error);
            // The same day, when the clock is right again.
            await ask(start + day * DAY + 60_000);
            const daily = listBackups(folder).filter((file) => file.includes('daily'));
            expect(daily).toEqual(written.toReversed().slice(0, 7));
            expect(path.basename(daily[0] ?? '').slice(0, 8)).toBe(
              new Date(start + day * DAY).toISOString().slice(0, 10).replaceAll('-', ''),
            );
          }
        },
      ),
      { numRuns: 60, seed: 11 },
    );
  });

  it('counts those without a number in their name as older, by their time', async () => {
    const folder = newFolder();
    mkdirSync(path.join(folder, 'backups'));
    for (const name of [
      '20361120T170000Z-daily.sqlite',
      '20261119T170000Z-daily.sqlite',
      '20261119T170000Z-weekly.sqlite',
    ])
      writeFileSync(path.join(folder, 'backups', name), '');
    const file = await keepBackups(store, folder, start);
    expect(file).toBe(path.join(folder, 'backups', '20261120T170000Z-000001-daily.sqlite'));
    expect(listBackups(folder)[0]).toBe(file);
    expect(await keepBackups(store, folder, start + 3_600_000)).toBeUndefined();
  });

  it('a store that is not well writes none, so that no good one goes', async () => {
    const folder = newFolder();
    expect(
      await keepBackups(
        { ...store, health: () => ({ ok: false, read_only: 'damaged' }) },
        folder,
        start,
      ),
    ).toBeUndefined();
    expect(listBackups(folder)).toEqual([]);
  });

  it('lists those made before a migration, and deletes nothing it did not make', async () => {
    const folder = newFolder();
    writeFileSync(`${databaseFile(folder)}.v1.backup`, '');
    mkdirSync(path.join(folder, 'backups'));
    writeFileSync(path.join(folder, 'backups', 'mine.sqlite'), '');
    for (let day = 0; day < 9; day += 1)
      await keepBackups(store, folder, start - 30 * DAY + day * DAY);
    expect(listBackups(folder)[0]).toBe(`${databaseFile(folder)}.v1.backup`);
    expect(existsSync(path.join(folder, 'backups', 'mine.sqlite'))).toBe(true);
  });
});

describe('restoring a backup', () => {
  const start = Date.UTC(2026, 10, 20, 17);

  async function named(folder: string, name: string): Promise<void> {
    const data = await openData(folder, { config });
    const { account_id, user_id, user_name } = data.store.local;
    await ofOwnAccount(data.store).transact((writer) =>
      writer.projectWrites.upsert(
        { account_id, user_id, user_name, kind: 'human', key_id: null, key_name: null },
        { name },
        undefined,
      ),
    );
    await data[Symbol.asyncDispose]();
  }
  async function names(folder: string): Promise<string[]> {
    const data = await openData(folder, { config });
    const page = await ofOwnAccount(data.store).read((reader) =>
      reader.projects.list(data.store.local.account_id, { limit: 50, cursor: undefined }),
    );
    await data[Symbol.asyncDispose]();
    return page.data.map((project) => project.name);
  }
  async function withBackup(): Promise<{ folder: string; backup: string }> {
    const folder = newFolder();
    await named(folder, 'before');
    const data = await openData(folder, { config });
    const backup = await keepBackups(data.store, folder, Date.now());
    await data[Symbol.asyncDispose]();
    await named(folder, 'after');
    return { folder, backup: backup ?? '' };
  }

  it('brings back what was there then, and keeps what stood in its place', async () => {
    const { folder, backup } = await withBackup();
    const damaged = Buffer.from('this is no database');
    writeFileSync(databaseFile(folder), damaged);
    const aside = restoreInto(folder, backup);
    expect(await names(folder)).toEqual(['before']);
    expect(readFileSync(path.join(aside, 'evidence.sqlite'))).toEqual(damaged);
    expect(listBackups(folder)).toContain(backup);
  });

  it('refuses a file that is no backup of this application, and changes nothing', async () => {
    const { folder } = await withBackup();
    const other = path.join(folder, 'other.sqlite');
    for (const bytes of ['', 'SQLite format 3\0', 'text']) {
      writeFileSync(other, bytes);
      expect(() => restoreInto(folder, other)).toThrow('not a backup');
    }
    expect((await names(folder)).toSorted()).toEqual(['after', 'before']);
  });

  it('cut off after the old database was taken away: the next start completes it, and no log of the old one gets in', async () => {
    const { folder, backup } = await withBackup();
    const database = databaseFile(folder);
    mkdirSync(path.join(folder, 'set-aside', '20261120T170000Z'), { recursive: true });
    // Kept by an earlier restore, while the clock ran ahead.
    mkdirSync(path.join(folder, 'set-aside', '20361120T170000Z'));
    writeFileSync(
      path.join(folder, 'restored.json'),
      JSON.stringify({
        at: '2026-11-20T17:00:00.000Z',
        backup: 'b.sqlite',
        set_aside: '20261120T170000Z',
      }),
    );
    writeFileSync(`${database}.incoming`, readFileSync(backup));
    rmSync(database);
    writeFileSync(`${database}-wal`, 'the log of the old database');
    const composed = await composeServer({
      dataDir: folder,
      home: 'local',
      rendererRoot: undefined,
      config,
    });
    await composed.close();
    expect(await names(folder)).toEqual(['before']);
    expect(
      existsSync(path.join(folder, 'set-aside', '20261120T170000Z', 'evidence.sqlite-wal')),
    ).toBe(true);
  });

  it('cut off before: the next start forgets it', async () => {
    const { folder, backup } = await withBackup();
    writeFileSync(`${databaseFile(folder)}.incoming`, readFileSync(backup));
    finishRestore(folder, start);
    expect(existsSync(`${databaseFile(folder)}.incoming`)).toBe(false);
    expect((await names(folder)).toSorted()).toEqual(['after', 'before']);
  });
});
