import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, vi } from 'vitest';
import { keepBackups } from '../../../src/server/instance/backups.ts';
import { openData } from '../../../src/server/open-data.ts';
import { readConfig } from '../../../src/server/config/config.ts';
import { databaseFile } from '../../../src/server/instance/data-folder.ts';
import { newFolder, start } from './start.ts';
import { ofOwnAccount } from '../../support/own-account.ts';

/** A studio with one project and a backup of it, closed. */
async function withBackup(): Promise<string> {
  const folder = newFolder();
  const config = readConfig({ LOG_LEVEL: 'silent' });
  const data = await openData(folder, { config });
  const { account_id, user_id, user_name } = data.store.local;
  await ofOwnAccount(data.store).transact((writer) =>
    writer.projectWrites.upsert(
      { account_id, user_id, user_name, kind: 'human', key_id: null, key_name: null },
      { name: 'kept' },
      undefined,
    ),
  );
  await keepBackups(data.store, folder, Date.now());
  await data[Symbol.asyncDispose]();
  return folder;
}

/** Where a table begins, in pages from 1. */
function rootPage(folder: string, table: string): number {
  using db = new DatabaseSync(databaseFile(folder), { readOnly: true });
  return Number(
    db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table)?.rootpage,
  );
}

describe('a start that fails is said in one sentence', () => {
  it('a file that is no database: the newest backup is offered and put in place, the damaged file kept', async () => {
    const folder = await withBackup();
    writeFileSync(databaseFile(folder), 'X'.repeat(8_192));
    const { boxes, windows, protocols } = await start({ folder, answers: [0] });
    expect(boxes[0]?.buttons).toEqual(['Restore the Newest Backup', 'Quit']);
    expect(windows).toHaveLength(1);
    const projects = await (
      await protocols.get('app')!(new Request('app://studio/api/v1/projects'))
    ).json();
    expect(projects).toMatchObject({ data: [{ name: 'kept' }] });
    const aside = path.join(folder, 'set-aside');
    expect(existsSync(aside)).toBe(true);
  });

  it('a damaged database opens for reading if that is what the person wants', async () => {
    const folder = await withBackup();
    const bytes = readFileSync(databaseFile(folder));
    // The header and the schema are whole, a table that the start does not read is not.
    bytes.fill(0x5a, (rootPage(folder, 'cells') - 1) * 4096, rootPage(folder, 'cells') * 4096);
    writeFileSync(databaseFile(folder), bytes);
    const { boxes, windows, ipc } = await start({ folder, answers: [1] });
    expect(boxes[0]?.buttons).toEqual(['Restore the Newest Backup', 'Open for Reading', 'Quit']);
    expect(windows).toHaveLength(1);
    const contents = windows[0]!.webContents;
    const status = await ipc.get('desktop:status')!(
      { sender: contents, senderFrame: contents.mainFrame },
      {},
    );
    expect(status).toMatchObject({
      ok: true,
      value: { notices: [expect.stringContaining('damaged')] },
    });
    // The page says it; a dialog would say it twice.
    expect(boxes).toHaveLength(1);
  });

  it('a damaged database without a backup: quit leaves everything as it is', async () => {
    const folder = newFolder();
    writeFileSync(databaseFile(folder), 'X'.repeat(8_192));
    const { boxes, log, windows } = await start({ folder, answers: [0] });
    expect(boxes[0]).toMatchObject({
      buttons: ['Quit'],
      detail: expect.stringContaining('no backup') as string,
    });
    expect(log.at(-1)).toBe('exit 0');
    expect(windows).toEqual([]);
    expect(readFileSync(databaseFile(folder), 'utf8')).toBe('X'.repeat(8_192));
  });

  it('a truncated database is damage too', async () => {
    const folder = await withBackup();
    truncateSync(databaseFile(folder), 4096 * 5);
    const { boxes } = await start({ folder, answers: [0] });
    expect(boxes[0]?.message).toContain('damaged');
  });
});

describe('the page', () => {
  it('that crashes is loaded again; one that keeps crashing is the person’s decision', async () => {
    const { windows, boxes, log } = await start({ answers: [1] });
    const { webContents } = windows[0]!;
    for (let crash = 0; crash < 3; crash += 1)
      webContents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 5 });
    expect(webContents.calls).toEqual(['reload', 'reload']);
    await vi.waitFor(() => expect(log).toContain('quit'), 60_000);
    expect(boxes.at(-1)?.buttons).toEqual(['Load It Again', 'Quit']);
  });

  it('that ends on purpose is left alone', async () => {
    const { windows } = await start();
    windows[0]!.webContents.emit('render-process-gone', {}, { reason: 'clean-exit', exitCode: 0 });
    expect(windows[0]!.webContents.calls).toEqual([]);
  });

  it('that hangs is asked about once', async () => {
    const { windows, boxes } = await start({ answers: [1] });
    windows[0]!.emit('unresponsive');
    windows[0]!.emit('unresponsive');
    await vi.waitFor(() => expect(windows[0]!.webContents.calls).toEqual(['reload']), 60_000);
    expect(boxes).toHaveLength(1);
  });
});
