import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { refusal } from '../../contract/world.ts';
import { addProject, fillCase, open, readPage } from './sqlite-support.ts';

/** A file system of four MiB, where this machine lets us make one. */
function smallDisk(): (Disposable & { path: string }) | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'evidence-disk-'));
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], {
      stdio: 'ignore',
    });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  return {
    path: folder,
    [Symbol.dispose]() {
      execFileSync('/bin/umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test('a full disk refuses the write as storage_full, keeps what is there, and is over when space is freed', async (context) => {
  using disk = smallDisk();
  if (disk === undefined) return context.skip();
  const store = await open(path.join(disk.path, 'evidence.sqlite'));
  await fillCase(store, 20);
  const before = (await readPage(store)).json;
  const filler = path.join(disk.path, 'filler');
  try {
    writeFileSync(filler, Buffer.alloc(8 * 1024 * 1024));
  } catch {
    // As many bytes as fit were written.
  }
  expect((await refusal(fillCase(store, 3_000, 'more'))).code).toBe('storage_full');
  expect((await readPage(store)).json).toBe(before);
  expect(store.health().read_only).toBeNull();
  expect((await refusal(fillCase(store, 3_000, 'more'))).code).toBe('storage_full');
  rmSync(filler);
  await addProject(store, 'There is room again');
  expect((await readPage(store)).json).toBe(before);
  await store.close();
});

test('a write-protected file system opens for reading', async (context) => {
  using disk = smallDisk();
  if (disk === undefined) return context.skip();
  const file = path.join(disk.path, 'evidence.sqlite');
  const first = await open(file);
  await fillCase(first, 5);
  await first.close();
  execFileSync('/bin/mount', ['-o', 'remount,ro', disk.path]);
  const store = await open(file);
  expect(store.health().read_only).toContain('write-protected');
  expect((await readPage(store)).value().items).toHaveLength(5);
  expect((await refusal(addProject(store, 'Q'))).code).toBe('read_only');
  await store.close();
});
