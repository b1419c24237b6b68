import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { StoreError } from '../../../src/server/storage/db/errors.ts';
import type { Store } from '../../../src/server/storage/store.ts';
import { refusal } from '../../contract/world.ts';
import { fillCase, open, owner, readPage, temporaryFolder } from './sqlite-support.ts';

const add = (store: Store, name: string, then: () => void = () => {}): Promise<void> =>
  store.transact(
    async (writer) => {
      await writer.projectWrites.upsert(owner(store), { name }, undefined);
      then();
    },
    undefined,
    true,
  );
const names = (file: string): string[] => {
  using beside = new DatabaseSync(file, { readOnly: true });
  return beside
    .prepare('SELECT name FROM projects ORDER BY name')
    .all()
    .map(({ name }) => String(name));
};

test('transactions that are committed together are each stored or refused for themselves', async () => {
  using folder = temporaryFolder();
  const store = await open(folder.file);
  const grown: string[] = [];
  store.onCommit(({ case_uid }) => grown.push(case_uid));
  const outcomes = await Promise.allSettled(
    Array.from({ length: 40 }, async (_, at) => {
      await add(store, `Project ${String(at).padStart(2, '0')}`, () => {
        if (at % 4 === 1) throw new StoreError('conflict', 'Refused.');
        if (at % 4 === 2) throw new TypeError('A fault.');
      });
      // What is said to be stored is what others see, and what is there after a crash.
      expect(names(folder.file)).toContain(`Project ${String(at).padStart(2, '0')}`);
    }),
  );
  expect(
    outcomes.map((one) => (one.status === 'fulfilled' ? 'stored' : (one.reason as Error).name)),
  ).toEqual(
    Array.from({ length: 40 }, (_, at) => ['stored', 'StoreError', 'TypeError', 'stored'][at % 4]),
  );
  const stored = Array.from({ length: 40 }, (_, at) => at).filter(
    (at) => at % 4 === 0 || at % 4 === 3,
  );
  expect(names(folder.file)).toEqual(stored.map((at) => `Project ${String(at).padStart(2, '0')}`));
  expect(grown).toHaveLength(stored.length);
  await store.close();
});

test('they and others take turns, and each sees what was stored before it', async () => {
  using folder = temporaryFolder();
  const store = await open(folder.file);
  const order: string[] = [];
  const count = (at: number, together: boolean): Promise<void> =>
    store.transact(
      async (writer) => {
        const { data } = await writer.projects.list(store.local.account_id, {
          limit: 200,
        } as never);
        order.push(`${at} ${data.length}`);
        await writer.projectWrites.upsert(owner(store), { name: `Project ${at}` }, undefined);
      },
      undefined,
      together,
    );
  await Promise.all(Array.from({ length: 30 }, (_, at) => count(at, at % 3 !== 0)));
  expect(order.map((line) => Number(line.split(' ')[1]))).toEqual(
    Array.from({ length: 30 }, (_, at) => at),
  );
  await store.close();
});

test('a disk that is full refuses all that would be committed together; nothing of it is remembered', async (context) => {
  const disk = mkdtempSync(path.join(tmpdir(), 'evidence-disk-'));
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk], {
      stdio: 'ignore',
    });
  } catch {
    rmSync(disk, { recursive: true });
    return context.skip();
  }
  try {
    const file = path.join(disk, 'evidence.sqlite');
    const store = await open(file);
    const filler = path.join(disk, 'filler');
    try {
      writeFileSync(filler, Buffer.alloc(8 * 1024 * 1024));
    } catch {
      // As many bytes as fit were written.
    }
    const together: Store = {
      ...store,
      transact: (fn, account) => store.transact(fn, account, true),
    };
    const refused = await Promise.all([
      refusal(add(store, 'Before')),
      refusal(fillCase(together, 3_000, 'filled')),
      refusal(add(store, 'After')),
    ]);
    expect(refused.map(({ code }) => code)).toContain('storage_full');
    rmSync(filler);
    // The rules' numbers that the failed one had given are given again.
    await fillCase(together, 20);
    const page = JSON.parse((await readPage(store)).json) as { items: { evidence: unknown[] }[] };
    expect(page.items).toHaveLength(20);
    expect(names(file)).toContain('Filled');
    await store.close();
  } finally {
    execFileSync('/bin/umount', ['-l', disk]);
    rmSync(disk, { recursive: true, force: true });
  }
});
