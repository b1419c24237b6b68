import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { StoreError } from '../../../src/server/storage/db/errors.ts';
import type { Store } from '../../../src/server/storage/store.ts';
import { AccountId } from '../../../src/shared/contract/ids.ts';
import type { Writer } from '../../../src/server/storage/repositories.ts';
import { asCase } from '../../support/ids.ts';
import { item, outcome, refusal, SHIPPED } from '../../contract/world.ts';
import { fillCase, open, owner, readPage, temporaryFolder } from './sqlite-support.ts';
import { MARK_ACCOUNTS } from '../../support/mark-accounts.ts';

const add = (store: Store, name: string, then: () => void = () => {}): Promise<void> =>
  store.transact(
    async (writer) => {
      await writer.projectWrites.upsert(owner(store), { name }, undefined);
      then();
    },
    undefined,
    'together',
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

test('each is about its own account, whatever was stored before it in the same commit', async () => {
  using folder = temporaryFolder();
  const store = await open(folder.file);
  const own = store.local.account_id;
  using database = new DatabaseSync(folder.file);
  database.exec(
    `INSERT INTO accounts (account_id, name, created_at) VALUES ('acc_other', 'Other', '')`,
  );
  database.exec(MARK_ACCOUNTS);
  const other = AccountId.parse('acc_other');
  const rules = (account: AccountId): Promise<void> =>
    store.transact(
      async (writer) => {
        await writer.caseWrites.upsert(
          { ...owner(store), account_id: account },
          { project_id: (await project(writer, account)).project_id, case_uid: asCase('c') },
          undefined,
        );
        await writer.evidenceWrites.record(
          { ...owner(store), account_id: account },
          {
            case_uid: asCase('c'),
            profile_uid: SHIPPED.profileUid,
            profile_version: undefined,
            reason: undefined,
            items: [item('i')],
            outcomes: [outcome('i', 'rule_a', 'TRUE')],
            itemPath: String,
            outcomePath: String,
          },
          undefined,
        );
      },
      account,
      'together',
    );
  const project = async (writer: Writer, account: AccountId) =>
    (
      await writer.projectWrites.upsert(
        { ...owner(store), account_id: account },
        { name: 'P' },
        undefined,
      )
    ).record;
  await Promise.all([own, other].map(rules));
  expect(
    database.prepare('SELECT account, count(*) AS n FROM cells GROUP BY account').all(),
  ).toEqual([
    { account: 1, n: 1 },
    { account: 2, n: 1 },
  ]);
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
      together ? 'together' : undefined,
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
    const transact: Store['transact'] = (fn, account) => store.transact(fn, account, 'together');
    const together = Object.assign(Object.create(store) as Store, { transact });
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
