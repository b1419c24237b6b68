import { asUser, asCase } from '../../support/ids.ts';
import { createHmac } from 'node:crypto';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import Dexie from 'dexie';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CallResult } from '../../../src/shared/contract/call.ts';
import type { CopyKey } from '../../../src/shared/contract/v1/account.ts';
import { Copies, type OpenCopy, type Opening } from '../../../src/renderer/data/copies/copies.ts';
import {
  DATABASE_NAME,
  type Database,
  defineDatabase,
} from '../../../src/renderer/data/store/db.ts';
import { openDatabase } from '../../../src/renderer/data/store/open-database.ts';
import { testHasher } from '../../support/hasher.ts';

const HOUR = 3_600_000;
const CANARY = 'canary-marmot';

/** One browser and its server. `who`: whose session the browser has; null: the server is away. */
class Browser {
  factory = new IDBFactory();
  who: string | 'nobody' | null = 'ann';
  pepper = 'pepper';
  keep = true;
  hours = 72;
  time = 1_000_000_000;
  elapsed = 0;
  ended = 0;

  window(): Copies {
    return new Copies({
      factory: this.factory,
      keyRange: IDBKeyRange,
      subtle: crypto.subtle,
      locks: navigator.locks,
      hasher: testHasher,
      randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
      now: () => this.time,
      elapsed: () => this.elapsed,
      ask: async (browser): Promise<CallResult<CopyKey>> => {
        if (this.who === null) return { kind: 'no_answer', reason: 'network' };
        if (this.who === 'nobody')
          return {
            kind: 'refused',
            status: 401,
            code: 'missing_credentials',
            message: '',
            details: [],
            requestId: null,
            retryAfter: null,
          };
        const secret = createHmac('sha256', this.pepper)
          .update(JSON.stringify([this.who, browser]))
          .digest('base64url');
        return {
          kind: 'ok',
          status: 200,
          body: {
            user_id: asUser(this.who),
            secret,
            keep: this.keep,
            offline_seconds: this.keep ? this.hours * 3_600 : 0,
          },
        };
      },
      endSession: async () => {
        if (this.who === null) throw new TypeError('away');
        this.who = 'nobody';
        this.ended += 1;
      },
    });
  }
  pass(ms: number): void {
    this.time += ms;
    this.elapsed += ms;
  }
  async databases(): Promise<string[]> {
    return (await this.factory.databases())
      .map(({ name = '' }) => name)
      .filter((name) => !name.endsWith('-keys'))
      .toSorted();
  }
  /** Everything stored, by a reader without keys. */
  async text(): Promise<string> {
    const texts: string[] = [];
    for (const { name = '' } of await this.factory.databases()) {
      const raw = new Dexie(name, { indexedDB: this.factory, IDBKeyRange });
      await raw.open();
      for (const table of raw.tables)
        texts.push(
          JSON.stringify(await table.toArray(), (_, value: unknown) =>
            value instanceof Uint8Array ? new TextDecoder('latin1').decode(value) : value,
          ),
        );
      raw.close();
    }
    return texts.join('\n');
  }
}

const row = (id: string, user = 'ann@acc') => ({
  id,
  case_uid: asCase(CANARY),
  user,
  text: CANARY,
  bytes: 1,
  created: 1,
  state: 'waiting' as const,
  reason: null,
});
let browser: Browser;
beforeEach(() => {
  browser = new Browser();
});

const opened = (opening: Opening): OpenCopy => {
  if (opening.kind !== 'open') throw new Error(`It is closed: ${opening.why}`);
  return opening;
};
const storeOf = async ({ database, encryption }: OpenCopy): Promise<Database> =>
  (await openDatabase({ factory: browser.factory, keyRange: IDBKeyRange, encryption }, database))
    .db;
/** Opens the copy, works on it, and leaves as a window does that is closed. */
async function visit<T>(
  work: (db: Database, copy: OpenCopy, copies: Copies) => Promise<T>,
): Promise<T> {
  const copies = browser.window();
  const copy = opened(await copies.open());
  const db = await storeOf(copy);
  const result = await work(db, copy, copies);
  db.close();
  await copies.putAway(copy, 'signing_out');
  return result;
}
const ids = (): Promise<string[]> =>
  visit(async (db) => (await db.outbox.toArray()).map(({ id, text }) => `${id} ${text}`));
const write = (id = 'a'): Promise<unknown> => visit((db) => db.outbox.add(row(id)));

describe('the copy of a person', () => {
  it('opens again for the same person, with the server and for a time without it', async () => {
    await write();
    expect(await ids()).toEqual([`a ${CANARY}`]);
    browser.who = null;
    browser.pass(71 * HOUR);
    expect(await ids()).toEqual([`a ${CANARY}`]);
    expect(await browser.text()).not.toContain(CANARY);
  });

  it('does not open after that time, nor at a clock that was set back, until the person signs in', async () => {
    await write();
    browser.who = null;
    browser.pass(73 * HOUR);
    expect(await browser.window().open()).toMatchObject({ kind: 'closed', why: 'over' });
    browser.time -= 72 * HOUR;
    expect(await browser.window().open()).toMatchObject({ kind: 'closed', why: 'away' });
    browser.who = 'ann';
    expect(await ids()).toEqual([`a ${CANARY}`]);
    browser.who = null;
    browser.time += HOUR;
    await ids();
    browser.time -= HOUR;
    expect(await browser.window().open()).toMatchObject({ kind: 'closed', why: 'over' });
  });

  it('closes under an open window whose time is over, whatever its clock says', async () => {
    await visit(async (_, copy, copies) => {
      expect(await copies.check(copy)).toBeUndefined();
      browser.who = null;
      browser.pass(71 * HOUR);
      expect(await copies.check(copy)).toBeUndefined();
      browser.elapsed += 2 * HOUR;
      browser.time -= 60 * HOUR;
      expect(await copies.check(copy)).toBe('over');
    });
  });

  it('never opens without the server where that is not allowed', async () => {
    browser.hours = 0;
    await write();
    browser.who = null;
    expect(await browser.window().open()).toMatchObject({ kind: 'closed', why: 'away' });
    browser.who = 'ann';
    expect(await ids()).toEqual([`a ${CANARY}`]);
  });

  it('stays encrypted when the server ended the session, and opens with what is unsent when the same person is back', async () => {
    await write();
    browser.who = 'nobody';
    expect(await browser.window().open()).toMatchObject({ kind: 'closed', why: 'signed_out' });
    browser.who = null;
    expect(await browser.window().open()).toMatchObject({ kind: 'closed', why: 'away' });
    browser.who = 'ann';
    expect(await ids()).toEqual([`a ${CANARY}`]);
  });

  it('is not seen by another person of the browser, who has one of their own', async () => {
    await write();
    browser.who = 'ben';
    expect(await ids()).toEqual([]);
    await visit((db) => db.outbox.add(row('b', 'ben@acc')));
    expect(await browser.databases()).toHaveLength(2);
    browser.who = null;
    expect(await ids()).toEqual([`b ${CANARY}`]);
    browser.who = 'ann';
    expect(await ids()).toEqual([`a ${CANARY}`]);
    expect(await visit((_, copy, copies) => ((browser.who = 'ben'), copies.check(copy)))).toBe(
      'other_person',
    );
  });

  it('opens after the browser has lost its few keys, and is made again by a window from which it was thrown away', async () => {
    await write();
    await new Dexie('evidence-studio-keys', { indexedDB: browser.factory, IDBKeyRange }).delete();
    expect(await ids()).toEqual([`a ${CANARY}`]);
    const copies = browser.window();
    const copy = opened(await copies.open());
    await (await storeOf(copy)).delete();
    const again = await storeOf(copy);
    await again.outbox.add(row('c'));
    again.close();
    await copies.putAway(copy, 'signing_out');
    expect(await ids()).toEqual([`c ${CANARY}`]);
  });

  it('says so where the server has another secret, and goes only where it holds nothing unsent or a person gives it up', async () => {
    await write();
    browser.pepper = 'another';
    const opening = await browser.window().open();
    expect(opening).toMatchObject({ kind: 'closed', why: 'unreadable', unsent: 1 });
    browser.pepper = 'pepper';
    expect(await ids()).toEqual([`a ${CANARY}`]);
    browser.pepper = 'another';
    await browser.window().giveUp(opening.kind === 'closed' ? (opening.database ?? '') : '');
    expect(await ids()).toEqual([]);
    browser.pepper = 'pepper';
    expect(await ids()).toEqual([]);
  });
});

describe('several windows', () => {
  it('that open together for the first time have one key, also while what was kept in plain text is carried over', async () => {
    const plain = defineDatabase(DATABASE_NAME, {
      factory: browser.factory,
      keyRange: IDBKeyRange,
    });
    await plain.open();
    await plain.outbox.bulkAdd([row('a'), row('b')]);
    plain.close();
    const windows = Array.from({ length: 4 }, () => browser.window());
    const open = (await Promise.all(windows.map((one) => one.open()))).map(opened);
    const stores = await Promise.all(open.map(storeOf));
    await Promise.all(stores.map((db, at) => db.outbox.add(row(`from ${at}`))));
    const all = ['a', 'b', 'from 0', 'from 1', 'from 2', 'from 3'];
    for (const db of stores)
      expect((await db.outbox.toArray()).map(({ id, text }) => [id, text]).toSorted()).toEqual(
        all.map((id) => [id, CANARY]),
      );
    for (const db of stores) db.close();
    for (const [at, one] of windows.entries()) await one.putAway(open[at]!, 'signing_out');
    expect((await ids()).toSorted()).toEqual(all.map((id) => `${id} ${CANARY}`));
  });

  it('never write under two keys: what was thrown away and made again by another window is closed to the first', async () => {
    const first = browser.window();
    const copy = opened(await first.open());
    const db = await storeOf(copy);
    await db.delete();
    const second = browser.window();
    const other = opened(await second.open());
    const again = await storeOf(other);
    await again.outbox.add(row('other'));
    again.close();
    await expect(storeOf(copy)).rejects.toThrow('another key');
    await first.putAway(copy, 'signing_out');
    await second.putAway(other, 'signing_out');
    expect(await ids()).toEqual([`other ${CANARY}`]);
  });

  it('keep their copy when another one starts after copies were forbidden', async () => {
    const first = browser.window();
    const copy = opened(await first.open());
    const db = await storeOf(copy);
    browser.keep = false;
    await visit(async (_, other) => expect(other.isKept).toBe(true));
    await db.outbox.add(row('a'));
    db.close();
    await first.putAway(copy, 'signing_out');
    expect(await ids()).toEqual([`a ${CANARY}`]);
  });
});

describe('signing out', () => {
  const signOut = async (saved: readonly string[] = []): Promise<string> => {
    const copies = browser.window();
    const copy = opened(await copies.open());
    return copies.signOut(copy, new Set(saved));
  };

  it('leaves nothing, and nothing opens afterwards', async () => {
    await visit((db) => db.lists.put({ key: 'x', at: 1, data: CANARY }));
    expect(await signOut()).toBe('done');
    expect([await browser.databases(), browser.ended]).toEqual([[], 1]);
    browser.who = null;
    expect(await browser.window().open()).toMatchObject({ kind: 'closed', why: 'away' });
  });

  it('is not done while a change is there that was neither sent nor saved', async () => {
    await write('a');
    await write('b');
    expect(await signOut(['a'])).toBe('unsent');
    expect(browser.ended).toBe(0);
    expect(await ids()).toEqual([`a ${CANARY}`, `b ${CANARY}`]);
    expect(await signOut(['a', 'b'])).toBe('done');
    expect(await browser.databases()).toEqual([]);
  });

  it('waits for another window to put its work away', async () => {
    const other = browser.window();
    const copy = opened(await other.open());
    const done = signOut();
    const db = await storeOf(copy);
    await db.outbox.add(row('late'));
    db.close();
    await other.putAway(copy, 'signing_out');
    expect(await done).toBe('unsent');
    expect(await ids()).toEqual([`late ${CANARY}`]);
  });

  it('while the server is away, ends the session at the next start that reaches it, and never that of somebody else', async () => {
    await visit((db) => db.lists.put({ key: 'x', at: 1, data: CANARY }));
    const copies = browser.window();
    const copy = opened(await copies.open());
    browser.who = null;
    expect(await copies.signOut(copy, new Set())).toBe('done');
    expect(await browser.databases()).toEqual([]);
    expect(await browser.window().open()).toMatchObject({ kind: 'closed', why: 'away' });
    browser.who = 'ann';
    expect(await browser.window().open()).toMatchObject({ kind: 'closed', why: 'signed_out' });
    expect([browser.ended, browser.who]).toEqual([1, 'nobody']);

    browser.who = 'ann';
    const second = browser.window();
    const open = opened(await second.open());
    browser.who = null;
    await second.signOut(open, new Set());
    browser.who = 'ben';
    expect(await browser.window().open()).toMatchObject({ kind: 'open', person: 'ben' });
    expect(browser.ended).toBe(1);
  });
});

describe('where no copies may be kept', () => {
  beforeEach(() => {
    browser.keep = false;
  });

  it('nothing opens in another window or at the next start, which sweeps what is left', async () => {
    const first = browser.window();
    const copy = opened(await first.open());
    expect(copy.isKept).toBe(false);
    const db = await storeOf(copy);
    await db.outbox.add(row('a'));
    expect(await ids()).toEqual([]);
    // The first window still lives, and so does its work.
    expect(await db.outbox.count()).toBe(1);
    expect(await browser.text()).not.toContain(CANARY);
    db.close();
    await first.putAway(copy, 'signing_out');
    await visit(async () => expect(await browser.databases()).toHaveLength(1));
    browser.who = null;
    expect(await browser.window().open()).toMatchObject({ kind: 'closed', why: 'away' });
  });

  it('a sign-out while the server is away ends the session at the next start, too', async () => {
    const copies = browser.window();
    const copy = opened(await copies.open());
    browser.who = null;
    expect(await copies.signOut(copy, new Set())).toBe('done');
    browser.who = 'ann';
    expect(await browser.window().open()).toMatchObject({ kind: 'closed', why: 'signed_out' });
    expect(browser.ended).toBe(1);
  });

  it('what was unsent when copies were forbidden stays encrypted until it is sent, and opens with a sign-in alone', async () => {
    browser.keep = true;
    await write();
    browser.keep = false;
    await visit(async (db, copy) => {
      expect(copy.isKept).toBe(true);
      browser.who = null;
      expect(await browser.window().open()).toMatchObject({ kind: 'closed', why: 'away' });
      browser.who = 'ann';
      await db.outbox.clear();
    });
    await visit(async (_, copy) => expect(copy.isKept).toBe(false));
  });
});

describe('the copy that earlier versions kept for everybody, unencrypted', () => {
  const plain = () => ({ factory: browser.factory, keyRange: IDBKeyRange });
  const makePlain = async (...rows: ReturnType<typeof row>[]): Promise<void> => {
    const db = defineDatabase(DATABASE_NAME, plain());
    await db.open();
    await db.lists.put({ key: CANARY, at: 1, data: CANARY });
    await db.outbox.bulkAdd(rows);
    db.close();
  };

  it('goes, and what of it is unsent goes into the copy of its author', async () => {
    await makePlain(row('a'), row('b'));
    expect(await ids()).toEqual([`a ${CANARY}`, `b ${CANARY}`]);
    expect(await browser.databases()).toHaveLength(1);
    expect(await browser.text()).not.toContain(CANARY);
  });

  it('keeps the unsent work of others for them, and nothing else', async () => {
    await makePlain(row('a'), row('b', 'ben@acc'));
    expect(await ids()).toEqual([`a ${CANARY}`]);
    const left = defineDatabase(DATABASE_NAME, plain());
    await left.open();
    expect([await left.lists.count(), (await left.outbox.toArray()).map(({ id }) => id)]).toEqual([
      0,
      ['b'],
    ]);
    left.close();
    browser.who = 'ben';
    expect(await ids()).toEqual([`b ${CANARY}`]);
    expect(await browser.databases()).toHaveLength(2);
  });

  it('is encrypted also where no copies may be kept, until it is sent', async () => {
    browser.keep = false;
    await makePlain(row('a'));
    expect(await visit(async (db, copy) => [copy.isKept, await db.outbox.count()])).toEqual([
      true,
      1,
    ]);
    expect(await browser.text()).not.toContain(CANARY);
  });
});
