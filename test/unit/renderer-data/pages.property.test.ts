import fc from 'fast-check';
import { IDBDatabase, IDBKeyRange } from 'fake-indexeddb';
import { expect, it } from 'vitest';
import type { DataLayer } from '../../../src/renderer/data/data-layer.ts';
import type { Database } from '../../../src/renderer/data/store/db.ts';
import { readReplica, restoreReplica } from '../../../src/renderer/data/replica/load.ts';
import { openDatabase } from '../../../src/renderer/data/store/open-database.ts';
import type { MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { at, Computer, rest } from './support/windows.ts';
import { lengthOf, seedOf } from '../../support/length.ts';

const ITEMS = ['a', 'b', 'c'];
const RULES = 3;
const outcome = fc.constantFrom('TRUE', 'FALSE', 'NA', null);
/**
 * What happens while an answer with a page of the log is on its way, so that the page is older than
 * it.
 */
const event = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      item: fc.constantFrom(...ITEMS),
      rule: fc.nat(RULES - 1),
      outcome,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('remote' as const),
      item: fc.constantFrom(...ITEMS),
      rule: fc.nat(RULES - 1),
      outcome,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'restored' as const,
        'epoch' as const,
        'other_user' as const,
        'purged' as const,
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'closed' as const,
        'taken_over' as const,
        'offline' as const,
        'truncate' as const,
      ),
    }),
  },
);
const round = fc.record({
  changes: fc.integer({ min: 2, max: 9 }),
  pageChanges: fc.integer({ min: 1, max: 3 }),
  events: fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), event), { maxLength: 3 }),
});
type Round = typeof round extends fc.Arbitrary<infer T> ? T : never;
type Event = Round['events'][number][1];

/**
 * Calls back when something is about to be stored, before anything else may be; until it is ended.
 */
function watchStores(stores: () => void): () => void {
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (this: IDBDatabase, ...given) {
    const begun = transaction.apply(this, given);
    if (begun.mode !== 'readonly') stores();
    return begun;
  };
  return () => {
    IDBDatabase.prototype.transaction = transaction;
  };
}

const ME = { user_id: 'u_me', name: 'Me', role: 'owner' } as const;

/** One window beside a server whose log grows, and all logs that the server has had. */
class Reader {
  readonly computer = new Computer(RULES, ITEMS);
  /** By chain: the changes up to there. */
  readonly #logs = new Map<string, string[]>();
  readonly #layers: DataLayer[] = [];
  #backup = this.computer.upstream.dump();
  #writes: Promise<unknown>[] = [];
  #epochs = 1;
  session!: MatrixSession;
  #reopens = false;
  #watches = true;
  #watching: Promise<void> = Promise.resolve();
  #stores = Promise.withResolvers<void>();

  /** From now on the stored copy is looked at after whatever is stored. */
  async watch(): Promise<void> {
    const { db } = await openDatabase({ factory: this.computer.factory, keyRange: IDBKeyRange });
    const end = watchStores(() => this.#stores.resolve());
    this.#watching = (async () => {
      while (this.#watches) {
        await this.#stores.promise;
        this.#stores = Promise.withResolvers();
        await this.#checkStored(db);
      }
    })().finally(() => {
      end();
      db.close();
    });
    this.#watching.catch(() => undefined);
  }

  async open(): Promise<void> {
    this.computer.isEncrypted = false;
    const { layer, session } = await this.computer.open();
    this.#layers.push(layer);
    this.session = session;
  }

  #keepLogs(): void {
    const { chains, log } = this.computer.upstream;
    const ids = log.map(({ id }) => id);
    chains.forEach((chain, n) => this.#logs.set(chain, ids.slice(0, n)));
  }

  async #happens(now: Event): Promise<void> {
    const { upstream } = this.computer;
    if (now.kind === 'write')
      this.#writes.push(
        this.session
          .write('w', [at(now.item, now.rule)], { raw_outcome: now.outcome })
          .catch(() => undefined),
      );
    else if (now.kind === 'remote')
      upstream.writeCell(now.item, at('', now.rule).rule, now.outcome);
    else if (now.kind === 'restored') {
      this.#keepLogs();
      upstream.restore(this.#backup);
    } else if (now.kind === 'epoch') upstream.epoch = `e${(this.#epochs += 1)}`;
    else if (now.kind === 'other_user')
      upstream.user = { user_id: 'u_other', name: 'Other', role: 'owner' };
    else if (now.kind === 'closed') {
      this.#layers.pop()?.close();
      // What was on its way comes to rest before the copy is opened again.
      this.#reopens = true;
    } else if (now.kind === 'taken_over') {
      // A window that opens while somebody else is signed in is theirs.
      if (upstream.user.user_id === ME.user_id) await this.open();
    } else if (now.kind === 'purged')
      upstream.fault = (_, path) =>
        path.includes('/sync/') ? { status: 410, code: 'purged' } : null;
    else
      upstream.fault = (_, path) =>
        path.endsWith('/changes') ? (now.kind as 'offline' | 'truncate') : null;
  }

  async play({ changes, pageChanges, events }: Round): Promise<void> {
    const { upstream } = this.computer;
    this.#backup = upstream.dump();
    upstream.pageChanges = pageChanges;
    for (let k = 0; k < changes; k += 1)
      upstream.writeCell(
        ITEMS[k % ITEMS.length]!,
        at('', Math.floor(k / ITEMS.length) % RULES).rule,
        k % 2 === 0 ? 'TRUE' : 'NA',
      );
    let pages = 0;
    upstream.gate = async (path) => {
      if (!path.endsWith('/changes')) return;
      pages += 1;
      for (const [page, now] of events) if (page === pages) await this.#happens(now);
    };
    await this.computer.pass(2_500);
    upstream.user = ME;
    if (this.#reopens) await this.open();
    this.#reopens = false;
    upstream.gate = () => Promise.resolve();
    upstream.fault = () => null;
    await Promise.all(this.#writes.splice(0));
    await this.computer.pass(70_000);
    await this.computer.synced(this.session);
  }

  /** R1: what the stored position says was read is stored with it. */
  async #checkStored(db: Database): Promise<void> {
    const [first] = await db.matrices.toArray();
    const stored = first === undefined ? undefined : await readReplica(db, first.id);
    this.#keepLogs();
    if (stored === undefined || stored.matrix.gen === 0 || stored.matrix.schema === 0) return;
    const { base_seq, pull_chain, pull_seq, count } = stored.matrix;
    const { changeIds } = restoreReplica(stored);
    const read = this.#logs.get(pull_chain);
    expect(read).toHaveLength(pull_seq);
    expect(count).toBe(pull_seq);
    expect(read?.slice(base_seq).filter((id) => !changeIds.isApplied(id))).toEqual([]);
  }

  checkShown(): void {
    const {
      session,
      computer: { upstream },
    } = this;
    for (const item of ITEMS)
      for (const rule of session.rules) {
        expect([item, rule, session.state(session.rowOf(item), session.columnOf(rule))]).toEqual([
          item,
          rule,
          upstream.outcome(item, rule),
        ]);
        expect(session.contested(session.rowOf(item), session.columnOf(rule))).toBe(
          new Set(upstream.cell(item, rule).map((head) => JSON.stringify(head.value))).size > 1,
        );
      }
    expect(session.saveStatus).toMatchObject({ waiting: 0, blocked: 0, problem: null });
  }

  async end(): Promise<void> {
    this.#watches = false;
    this.#stores.resolve();
    await this.#watching;
    for (const layer of this.#layers) layer.close();
    await rest();
  }
}

it('R1 R3 R6: whatever happens while the log is read, the position fits what is stored; the window ends like the server', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 3 }), async (rounds) => {
      const reader = new Reader();
      await reader.open();
      await reader.computer.synced(reader.session);
      await reader.watch();
      for (const one of rounds) {
        await reader.play(one);
        reader.checkShown();
      }
      await reader.end();
    }),
    { seed: seedOf(13), numRuns: lengthOf(4, 200) },
  );
}, 1_000_000);

async function openedWith(
  pageChanges: number,
): Promise<{ computer: Computer; layer: DataLayer; session: MatrixSession }> {
  const computer = new Computer(RULES, ITEMS);
  const opened = await computer.open();
  await computer.synced(opened.session);
  computer.upstream.pageChanges = pageChanges;
  computer.upstream.requests.length = 0;
  return { computer, ...opened };
}
const NOTHING = [0, 0, 0, ITEMS.length * RULES];

it('R3: the next page is asked for before one is stored, each once, and one at a time', async () => {
  const { computer, session } = await openedWith(1);
  for (let k = 0; k < 6; k += 1) computer.upstream.writeCell('a', at('', k % RULES).rule, 'TRUE');
  const pages = () => computer.upstream.requests.filter(({ path }) => path.endsWith('/changes'));
  const atSecond: number[][] = [];
  computer.upstream.gate = async (path) => {
    if (!path.endsWith('/changes')) return;
    if (pages().length === 2) atSecond.push([...session.totals()]);
    expect(pages().filter(({ status }) => status === 'lost')).toHaveLength(1);
    await rest();
  };
  for (
    let tries = 0;
    tries < 50 && pages().filter(({ status }) => status === 200).length < 6;
    tries += 1
  )
    await computer.pass(2_500);
  expect(atSecond).toEqual([NOTHING]);
  expect(
    pages()
      .slice(0, 6)
      .map(({ search, status }) => [search, status]),
  ).toEqual([1, 2, 3, 4, 5, 6].map((seq) => [`?after=${seq}`, 200]));
  expect(session.totals()).toEqual([0, 3, 0, NOTHING[3]! - 3]);
  computer.end();
  await rest();
});

it('a page that was read ahead is not taken once somebody else is known to have signed in', async () => {
  const { computer, layer, session } = await openedWith(1);
  for (let k = 0; k < 3; k += 1) computer.upstream.writeCell('a', at('', k).rule, 'TRUE');
  let count = 0;
  computer.upstream.gate = async (path) => {
    if (!path.endsWith('/changes') || (count += 1) !== 2) return;
    computer.upstream.user = { user_id: 'u_other', name: 'Other', role: 'owner' };
    await layer.library.projects({ sort: 'name', order: 'asc' }).catch(() => undefined);
    await rest();
  };
  await computer.pass(2_500);
  expect(session.totals()).toEqual([0, 1, 0, NOTHING[3]! - 1]);
  computer.end();
  await rest();
});
