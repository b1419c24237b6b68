import { afterEach, describe, expect, it } from 'vitest';
import { at, Computer, rest } from './support/windows.ts';
import { asProfile } from '../../support/ids.ts';
import { lengthOf } from '../../support/length.ts';

const MINUTES = lengthOf(20, 60);

let computer: Computer;
afterEach(() => computer.end());
const pushes = () => computer.upstream.requests.filter((request) => request.path.endsWith('/push'));
const committed = () =>
  computer.upstream.log.filter(({ change }) => change.by.user === 'u_me').length;

describe('the outbox', { timeout: 120_000 }, () => {
  it('outlives the window, and what is sent twice is a duplicate', async () => {
    computer = new Computer();
    const first = await computer.open();
    await computer.synced(first.session);
    computer.upstream.fault = (method) => (method === 'POST' ? 'ack_lost' : null);
    await first.session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    await computer.pass(0);
    expect(committed()).toBe(1);
    expect(first.session.saveStatus).toMatchObject({ waiting: 1, connection: 'offline' });
    first.layer.close();
    await rest();
    computer.upstream.fault = () => null;
    const second = await computer.open();
    expect(second.session.saveStatus.waiting).toBe(1);
    expect(second.session.state(0, 0)).toBe('TRUE');
    await computer.synced(second.session);
    expect(committed()).toBe(1);
    expect(computer.upstream.cell('a', 'rule_000')).toHaveLength(1);
    expect(second.session.contested(0, 0)).toBe(false);
  });

  it(`holds edits of ${MINUTES} minutes while the server was away, and sends them in order`, async () => {
    computer = new Computer(
      4,
      Array.from({ length: 30 }, (_, k) => `i${k}`),
    );
    const { session } = await computer.open();
    await computer.synced(session);
    computer.upstream.fault = () => 'offline';
    for (let minute = 0; minute < MINUTES; minute += 1) {
      await session.write(`m${minute}`, [at(`i${minute % 30}`, minute % 4)], {
        raw_outcome: minute % 2 === 0 ? 'TRUE' : 'NA',
      });
      await computer.pass(60_000);
    }
    computer.upstream.writeCell('i29', 'rule_000', 'FALSE');
    expect(session.saveStatus).toMatchObject({
      waiting: MINUTES,
      connection: 'offline',
      oldest: expect.any(Number),
    });
    computer.upstream.fault = () => null;
    await computer.synced(session);
    expect(committed()).toBe(MINUTES);
    expect(
      computer.upstream.log
        .filter(({ change }) => change.by.user === 'u_me')
        .map(({ change }) => change.hlc),
    ).toEqual(
      computer.upstream.log
        .filter(({ change }) => change.by.user === 'u_me')
        .map(({ change }) => change.hlc)
        .sort(),
    );
    for (const { item, rule } of computer.upstream.cells())
      expect(session.state(session.rowOf(item), session.columnOf(rule))).toBe(
        computer.upstream.outcome(item, rule),
      );
  });

  it('waits with growing pauses of at most five seconds for a server on this machine', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await computer.synced(session);
    computer.upstream.fault = () => 'offline';
    await session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    computer.upstream.requests.length = 0;
    await computer.pass(120_000);
    expect(pushes().length).toBeGreaterThan(20);
    expect(pushes().length).toBeLessThan(120);
    computer.upstream.fault = () => null;
    await computer.pass(5_000);
    expect(session.saveStatus.waiting).toBe(0);
  });

  it('R12 sets aside the one change that the server fails on, sends the others, and offers it again', async () => {
    computer = new Computer(4, ['a', 'b', 'c', 'd', 'e']);
    const { session } = await computer.open({ hints: true });
    await computer.synced(session);
    computer.upstream.fault = () => 'offline';
    for (const [row, item] of ['a', 'b', 'c', 'd'].entries())
      await session.write(`m${row}`, [at(item, 0)], {
        raw_outcome: 'TRUE',
        source_value: item === 'b' ? 'poisoned' : 'sound',
      });
    computer.upstream.fault = () => null;
    computer.upstream.failsOn = (text) => text.includes('poisoned');
    for (let minute = 0; minute < 20 && session.saveStatus.blocked === 0; minute += 1)
      await computer.pass(60_000);
    await computer.pass(10_000);
    expect(committed()).toBe(3);
    expect(session.saveStatus).toMatchObject({
      waiting: 0,
      blocked: 1,
      problem: expect.stringContaining('kept here'),
    });
    expect(session.state(session.rowOf('b'), 0)).toBe('TRUE');
    // Reading and writing go on meanwhile.
    computer.upstream.writeCell('e', 'rule_001', 'FALSE');
    await session.write('more', [at('e', 0)], { raw_outcome: 'NA' });
    await computer.pass(70_000);
    expect(committed()).toBe(4);
    expect(session.state(session.rowOf('e'), 1)).toBe('FALSE');
    computer.upstream.failsOn = () => false;
    await computer.pass(3_700_000);
    expect(committed()).toBe(5);
    expect(session.saveStatus).toMatchObject({ waiting: 0, blocked: 0, problem: null });
  });

  it.each([1, -1])(
    'R12 does so though the clock jumps ten years (%i) between two failures, and back',
    async (way) => {
      computer = new Computer(4, ['a', 'b']);
      const { session } = await computer.open({ hints: true });
      await computer.synced(session);
      computer.upstream.failsOn = (text) => text.includes('poisoned');
      computer.ahead = way * 3_653 * 86_400_000;
      for (const [row, item] of ['a', 'b'].entries())
        await session.write(`m${row}`, [at(item, 0)], {
          raw_outcome: 'TRUE',
          source_value: item === 'a' ? 'poisoned' : 'sound',
        });
      await computer.pass(5_000);
      expect(session.saveStatus.blocked).toBe(0);
      computer.ahead = 0;
      for (let minute = 0; minute < 20 && session.saveStatus.blocked === 0; minute += 1)
        await computer.pass(60_000);
      await computer.pass(10_000);
      expect(committed()).toBe(1);
      expect(session.saveStatus).toMatchObject({ waiting: 0, blocked: 1 });
      computer.upstream.failsOn = () => false;
      await computer.pass(3_700_000);
      expect(session.saveStatus).toMatchObject({ waiting: 0, blocked: 0 });
      expect(committed()).toBe(2);
    },
  );

  it('R12 sets nothing aside where the server fails on everything', async () => {
    computer = new Computer(4, ['a', 'b']);
    const { session } = await computer.open({ hints: true });
    await computer.synced(session);
    computer.upstream.fault = () => ({ status: 500, code: 'internal_error' });
    for (const item of ['a', 'b'])
      await session.write(item, [at(item, 0)], { raw_outcome: 'TRUE' });
    await computer.pass(1_800_000);
    expect(session.saveStatus).toMatchObject({ waiting: 2, blocked: 0 });
    computer.upstream.fault = () => null;
    await computer.synced(session);
    expect(committed()).toBe(2);
  });

  it('keeps everything where access has ended, says so, and goes on when it is back', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await computer.synced(session);
    computer.upstream.fault = () => ({ status: 401, code: 'missing_credentials' });
    await session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    await computer.pass(30_000);
    expect(session.saveStatus).toMatchObject({
      waiting: 0,
      blocked: 1,
      connection: 'online',
      problem: expect.stringContaining('signed out'),
      access: { may: 'write' },
    });
    // No request that says something is repeated: who is signed in is asked, and nothing else.
    computer.upstream.requests.length = 0;
    await computer.pass(200_000);
    expect(new Set(computer.upstream.requests.map(({ path }) => path))).toEqual(
      new Set(['/api/v1/session']),
    );
    expect(computer.upstream.requests.length).toBeLessThan(8);
    computer.upstream.writeCell('b', 'rule_000', 'NA');
    computer.upstream.fault = () => null;
    await computer.pass(61_000);
    expect(session.saveStatus).toMatchObject({ waiting: 0, blocked: 0, problem: null });
    expect(session.state(1, 0)).toBe('NA');
    expect(committed()).toBe(1);
  });

  it('finds the one change a server refuses, keeps its bytes and sends the others', async () => {
    computer = new Computer(
      4,
      Array.from({ length: 10 }, (_, k) => `i${k}`),
    );
    const { session, layer } = await computer.open();
    await computer.synced(session);
    computer.upstream.fault = () => 'offline';
    for (let k = 0; k < 10; k += 1)
      await session.write('x', [at(`i${k}`, 0)], { raw_outcome: 'TRUE' });
    await computer.pass(0);
    computer.upstream.fault = () => null;
    computer.upstream.refuses = (text) => text.includes('/i6"');
    await computer.pass(20_000);
    expect(committed()).toBe(9);
    expect(session.saveStatus).toMatchObject({
      waiting: 0,
      blocked: 1,
      problem: expect.stringContaining('1 of your changes was refused'),
    });
    expect(session.state(6, 0)).toBe('TRUE');
    layer.close();
  });

  it('does not take a guest network for the server', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    computer.upstream.fault = () => 'html';
    await session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    await computer.pass(3_000);
    expect(session.saveStatus).toMatchObject({ waiting: 1, connection: 'offline' });
    computer.upstream.fault = () => null;
    await computer.synced(session);
    expect(committed()).toBe(1);
  });
});

describe('the link (R1 to R6)', { timeout: 60_000 }, () => {
  it('R1: takes nothing of a page that was cut short', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await computer.synced(session);
    computer.upstream.fault = (_, path) => (path.endsWith('/changes') ? 'truncate' : null);
    computer.upstream.writeCell('a', 'rule_000', 'TRUE');
    computer.upstream.writeCell('b', 'rule_000', 'TRUE');
    await computer.pass(20_000);
    expect(session.totals()).toEqual([0, 0, 0, 12]);
    computer.upstream.fault = () => null;
    await computer.synced(session);
    expect(session.totals()).toEqual([0, 2, 0, 10]);
  });

  it('R1: takes nothing of a page whose order is not that of the chain', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await computer.synced(session);
    computer.upstream.fault = (_, path) => (path.endsWith('/changes') ? 'swap' : null);
    computer.upstream.writeCell('a', 'rule_000', 'TRUE');
    computer.upstream.writeCell('b', 'rule_000', 'TRUE');
    await computer.pass(10_000);
    expect(session.totals()).toEqual([0, 0, 0, 12]);
  });

  it('an entry that arrives after the one that replaces it does not come back', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await computer.synced(session);
    const register = {
      kind: 'assertion',
      profile: asProfile('test_profile'),
      version: '1.0',
      rule: 'rule_000',
      item: 'a',
    } as const;
    const early = computer.upstream.write(
      [{ register, value: { raw_outcome: 'TRUE' }, parents: [] }],
      null,
      false,
    );
    computer.upstream.writeCell('a', 'rule_000', 'NA', [`${early.id}#0`]);
    await computer.synced(session);
    computer.upstream.append(early);
    await computer.synced(session);
    expect(session.state(0, 0)).toBe('NA');
    expect(session.contested(0, 0)).toBe(false);
  });

  it('R6: what cannot be sent stays on screen over a new snapshot; what the snapshot held already is found out later', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await computer.synced(session);
    computer.upstream.fault = (method) => (method === 'POST' ? 'ack_lost' : null);
    await session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    await computer.pass(0);
    computer.upstream.writeCell('a', 'rule_000', 'NA');
    computer.upstream.fault = (method) =>
      method === 'POST' ? { status: 401, code: 'missing_credentials' } : null;
    await session.write('x', [at('b', 0)], { raw_outcome: 'FALSE' });
    computer.upstream.epoch = 'e2';
    await computer.pass(70_000);
    expect(session.state(1, 0)).toBe('FALSE');
    expect(session.saveStatus.waiting).toBe(2);
    computer.upstream.fault = () => null;
    await computer.pass(70_000);
    expect(session.saveStatus).toMatchObject({ waiting: 0, problem: null });
    expect([session.state(0, 0), session.state(1, 0)]).toEqual(['NA', 'FALSE']);
    expect(session.contested(0, 0)).toBe(false);
  });

  it('reads a long log page by page, and its own changes only once', async () => {
    computer = new Computer();
    computer.upstream.pageChanges = 3;
    const { session } = await computer.open();
    for (let k = 0; k < 10; k += 1)
      computer.upstream.writeCell('a', 'rule_001', k % 2 === 0 ? 'TRUE' : 'NA');
    await session.write('x', [at('b', 0)], { raw_outcome: 'FALSE' });
    await session.write('x', [at('b', 0)], { raw_outcome: 'NA' });
    await computer.synced(session);
    expect(session.state(0, 1)).toBe('NA');
    expect(session.state(1, 0)).toBe('NA');
    expect(session.contested(1, 0)).toBe(false);
    computer.upstream.requests.length = 0;
    await session.write('x', [at('b', 0)], { raw_outcome: 'TRUE' });
    await computer.pass(0);
    // The chain proves that the log grew by this change alone: nothing is read back, and the
    // digests are equal.
    expect(computer.upstream.requests.map((request) => request.path.split('/').at(-1))).toEqual([
      'push',
    ]);
    expect(session.saveStatus.verifiedAt).toBe(computer.time);
    expect(session.saveStatus.waiting).toBe(0);
  });

  it('shows a remote change that did not see the local one as contested, on both sides alike', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await computer.synced(session);
    computer.upstream.fault = () => 'offline';
    await session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    computer.time += 1_000;
    computer.upstream.writeCell('a', 'rule_000', 'FALSE');
    computer.upstream.fault = () => null;
    await computer.synced(session);
    expect(session.contested(0, 0)).toBe(true);
    expect(computer.upstream.cell('a', 'rule_000')).toHaveLength(2);
    expect(session.state(0, 0)).toBe(computer.upstream.outcome('a', 'rule_000'));
    expect(session.state(0, 0)).toBe('FALSE');
    // A plain write cites what is displayed only: still contested.
    await session.write('x', [at('a', 0)], { raw_outcome: 'NA' });
    expect(session.contested(0, 0)).toBe(true);
    await computer.synced(session);
    expect(computer.upstream.cell('a', 'rule_000')).toHaveLength(2);
  });

  it('a server that hints is asked at once; without hints it is asked every two seconds', async () => {
    computer = new Computer();
    const { session } = await computer.open({ hints: true });
    await computer.synced(session);
    computer.upstream.requests.length = 0;
    computer.upstream.writeCell('a', 'rule_000', 'TRUE');
    computer.hint(computer.upstream.log.length);
    await rest();
    expect(session.state(0, 0)).toBe('TRUE');
    const asked = computer.upstream.requests.length;
    await computer.pass(50_000);
    expect(computer.upstream.requests).toHaveLength(asked);
    computer.hint(null);
    computer.upstream.writeCell('a', 'rule_000', 'NA');
    await computer.pass(2_100);
    expect(session.state(0, 0)).toBe('NA');
  });

  it('a stream of hints that says nothing for a day hides nothing: one question a minute finds it, also after a sleep', async () => {
    computer = new Computer();
    const { session } = await computer.open({ hints: true });
    await computer.synced(session);
    await computer.pass(60_000);
    computer.upstream.requests.length = 0;
    for (let hour = 1; hour <= 24; hour += 1) {
      computer.upstream.writeCell('a', 'rule_000', hour % 2 === 0 ? 'TRUE' : 'NA');
      await computer.pass(60_000);
      expect(session.state(0, 0)).toBe(hour % 2 === 0 ? 'TRUE' : 'NA');
      await computer.pass(9 * 60_000);
      expect(computer.time - (session.saveStatus.verifiedAt ?? 0)).toBeLessThanOrEqual(60_000);
    }
    const asked = computer.upstream.requests.filter(({ path }) => path.endsWith('/changes'));
    expect(asked.length).toBeLessThanOrEqual(24 * 11);
    expect(asked.length).toBeGreaterThanOrEqual(24 * 10 - 1);
    // The computer slept: no timer fired, and what is due is done as soon as it wakes.
    computer.upstream.writeCell('b', 'rule_000', 'FALSE');
    computer.time += 8 * 3_600_000;
    await computer.pass(0);
    expect(session.state(1, 0)).toBe('FALSE');
  });

  it('equal values of two authors corroborate and are not contested', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await computer.synced(session);
    computer.upstream.fault = () => 'offline';
    await session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    computer.upstream.writeCell('a', 'rule_000', 'TRUE');
    computer.upstream.fault = () => null;
    await computer.synced(session);
    expect(computer.upstream.cell('a', 'rule_000')).toHaveLength(2);
    expect(session.contested(0, 0)).toBe(false);
  });

  it('looks up in the log what a snapshot says too little of, so that the winner is the same as on the server', async () => {
    computer = new Computer();
    const [base] = computer.upstream.cell('a', 'rule_000');
    expect(base).toBeUndefined();
    computer.upstream.writeCell('a', 'rule_000', 'TRUE', []);
    computer.upstream.writeCell('a', 'rule_000', 'FALSE', []);
    const { session } = await computer.open();
    expect(session.contested(0, 0)).toBe(true);
    await computer.synced(session);
    const [shown, other] = computer.upstream.cell('a', 'rule_000');
    expect(session.state(0, 0)).toBe('FALSE');
    // Someone takes back the displayed one: now the other head competes with a clock it was not
    // sent with.
    computer.upstream.hlc = '000000000000-0001';
    const low = computer.time;
    computer.time = 5;
    computer.upstream.writeCell('a', 'rule_000', 'NA', [shown?.name ?? '']);
    computer.time = low;
    await computer.synced(session);
    expect(computer.upstream.cell('a', 'rule_000')[0]?.name).toBe(other?.name);
    expect(session.state(0, 0)).toBe('TRUE');
  });

  it('R6: a server restored from a backup gets back what it had acknowledged', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    await computer.synced(session);
    const backup = computer.upstream.dump();
    await session.write('x', [at('a', 1)], { raw_outcome: 'FALSE' });
    await session.write('x', [at('a', 0)], { raw_outcome: 'NA' });
    await computer.synced(session);
    computer.upstream.restore(backup);
    expect(computer.upstream.outcome('a', 'rule_001')).toBeNull();
    await computer.synced(session);
    expect(computer.upstream.outcome('a', 'rule_001')).toBe('FALSE');
    expect(computer.upstream.outcome('a', 'rule_000')).toBe('NA');
    expect(session.state(0, 0)).toBe('NA');
    expect(session.state(0, 1)).toBe('FALSE');
    expect(session.contested(0, 0)).toBe(false);
  });

  it('R6: another epoch is another log', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    await computer.synced(session);
    computer.upstream.epoch = 'e2';
    await session.write('x', [at('b', 0)], { raw_outcome: 'NA' });
    await computer.synced(session);
    expect(session.totals()).toEqual([0, 1, 1, 10]);
    expect(session.saveStatus.problem).toBeNull();
  });

  it('R3: a late answer to a former life of the link changes nothing', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await computer.synced(session);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let first = true;
    computer.upstream.gate = async (path) => {
      if (!path.endsWith('/push') || !first) return;
      first = false;
      await held;
    };
    await session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    await rest();
    // Another window takes the replica over while the answer is on its way.
    const other = await computer.open();
    release();
    await rest();
    expect(other.session.state(0, 0)).toBe('TRUE');
    await computer.synced(other.session);
    expect(other.session.saveStatus.waiting).toBe(0);
    expect(committed()).toBe(1);
  });
});

describe('a snapshot', { timeout: 60_000 }, () => {
  it('N7: of which a letter was turned over on the way is read again, and nothing of it is shown', async () => {
    computer = new Computer(4, ['a', 'b', 'c']);
    const { upstream } = computer;
    upstream.chunkItems = 1;
    upstream.writeCell('b', 'rule_001', 'TRUE');
    const damages: [string, string][] = [
      ['-T--', '-F--'],
      ['"item_uid":"b"', '"item_uid":"q"'],
      ['"deleted":false', '"deleted":true '],
      ['"next":"2"', '"next":null'],
    ];
    for (const [from, to] of damages) {
      let spoiled = 0;
      upstream.spoilsChunk = (text) =>
        spoiled === 0 && text.includes(from) ? ((spoiled += 1), text.replace(from, to)) : text;
      computer.factory = new (computer.factory.constructor as typeof IDBFactory)();
      const { session, layer } = await computer.open();
      expect(spoiled).toBe(1);
      expect([session.items.map(({ item_uid }) => item_uid), session.state(1, 1)]).toEqual([
        ['a', 'b', 'c'],
        'TRUE',
      ]);
      layer.close();
    }
    // Where each one is damaged no copy is made, and it says why.
    upstream.spoilsChunk = (text) => text.replace('-T--', '-F--');
    computer.factory = new (computer.factory.constructor as typeof IDBFactory)();
    await expect(computer.open()).rejects.toThrow();
    upstream.spoilsChunk = (text) => text;
    const { session } = await computer.open();
    expect(session.state(1, 1)).toBe('TRUE');
  });

  it('N4: whose chunks are of different moments is caught up before anything is laid over it', async () => {
    computer = new Computer();
    computer.upstream.chunkItems = 1;
    let chunks = 0;
    computer.upstream.gate = (path) => {
      if (path.endsWith('/snapshot') && ++chunks === 1) {
        // The last chunk will hold this one, the log after the first one too.
        computer.upstream.writeCell('c', 'rule_000', 'TRUE');
        computer.upstream.writeCell('a', 'rule_000', 'NA');
      }
      return Promise.resolve();
    };
    const { session } = await computer.open();
    expect([session.state(0, 0), session.state(2, 0)]).toEqual(['NA', 'TRUE']);
    await session.write('x', [at('c', 0)], { raw_outcome: 'FALSE' });
    await computer.synced(session);
    expect(session.contested(2, 0)).toBe(false);
    expect(computer.upstream.cell('c', 'rule_000')).toHaveLength(1);
    expect([session.state(0, 0), session.state(2, 0)]).toEqual(['NA', 'FALSE']);
  });

  it('N6 R5: carries the witness, so that a server restored meanwhile gets back what it had acknowledged', async () => {
    computer = new Computer();
    const first = await computer.open();
    await computer.synced(first.session);
    const backup = computer.upstream.dump();
    await first.session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    await computer.synced(first.session);
    first.layer.close();
    await rest();
    computer.upstream.restore(backup);
    // As another version would have left it: the matrix is to be read anew.
    await changeRows(computer, 'matrices', (row) => ({ ...row, schema: 0 }));
    const second = await computer.open();
    await computer.synced(second.session);
    expect(computer.upstream.outcome('a', 'rule_000')).toBe('TRUE');
    expect(second.session.state(0, 0)).toBe('TRUE');
  });

  it('R5: a change acknowledged before the first snapshot is under the witness too', async () => {
    computer = new Computer();
    const first = await computer.open();
    await computer.synced(first.session);
    const backup = computer.upstream.dump();
    computer.upstream.fault = () => 'offline';
    await first.session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    first.layer.close();
    await rest();
    await changeRows(computer, 'matrices', () => null);
    computer.upstream.fault = (_, path) => (path.endsWith('/snapshot') ? 'offline' : null);
    await expect(computer.open()).rejects.toThrow();
    expect(committed()).toBe(1);
    computer.upstream.restore(backup);
    computer.upstream.fault = () => null;
    const second = await computer.open();
    await computer.synced(second.session);
    expect(computer.upstream.outcome('a', 'rule_000')).toBe('TRUE');
  });
});

/** Changes stored rows behind the application's back; null deletes one. */
function changeRows(
  { factory }: Computer,
  table: string,
  change: (row: Record<string, unknown>) => Record<string, unknown> | null,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = factory.open('evidence-studio');
    request.onerror = () => reject(new Error('not opened'));
    request.onsuccess = () => {
      const transaction = request.result.transaction([table], 'readwrite');
      transaction.objectStore(table).openCursor().onsuccess = (event) => {
        const cursor = (event.target as IDBRequest<IDBCursorWithValue | null>).result;
        if (cursor === null) return;
        const row = change(cursor.value as Record<string, unknown>);
        if (row === null) cursor.delete();
        else cursor.update(row);
        cursor.continue();
      };
      transaction.oncomplete = () => {
        request.result.close();
        resolve();
      };
    };
  });
}

describe('storage that was lost', { timeout: 60_000 }, () => {
  it('is rebuilt from the server', async () => {
    computer = new Computer();
    const first = await computer.open();
    await first.session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    await computer.synced(first.session);
    first.layer.close();
    await rest();
    computer.factory = new (computer.factory.constructor as typeof IDBFactory)();
    const second = await computer.open();
    expect(second.session.state(0, 0)).toBe('TRUE');
  });

  it('that vanishes under an open window is made anew, with what is unsent', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    await computer.synced(session);
    computer.upstream.fault = () => 'offline';
    await session.write('x', [at('b', 0)], { raw_outcome: 'NA' });
    await new Promise<void>((resolve, reject) => {
      const request = computer.factory.open('evidence-studio');
      request.onsuccess = () => {
        const names = [...request.result.objectStoreNames];
        const transaction = request.result.transaction(names, 'readwrite');
        for (const name of names) transaction.objectStore(name).clear();
        transaction.oncomplete = () => {
          request.result.close();
          resolve();
        };
      };
      request.onerror = () => reject(new Error('not opened'));
    });
    await computer.pass(5_000);
    await session.write('x', [at('c', 0)], { raw_outcome: 'FALSE' });
    expect([session.state(0, 0), session.state(1, 0), session.state(2, 0)]).toEqual([
      'TRUE',
      'NA',
      'FALSE',
    ]);
    computer.upstream.fault = () => null;
    await computer.synced(session);
    expect([session.state(0, 0), session.state(1, 0), session.state(2, 0)]).toEqual([
      'TRUE',
      'NA',
      'FALSE',
    ]);
    await computer.pass(5_000);
    expect([
      computer.upstream.outcome('b', 'rule_000'),
      computer.upstream.outcome('c', 'rule_000'),
    ]).toEqual(['NA', 'FALSE']);
  });

  it('that cannot be opened at all is made anew', async () => {
    computer = new Computer();
    const first = await computer.open();
    await computer.synced(first.session);
    first.layer.close();
    await rest();
    const { open } = computer.factory;
    let failures = 0;
    computer.factory.open = function (this: IDBFactory, ...given: Parameters<IDBFactory['open']>) {
      if (given[0] === 'evidence-studio' && failures < 8) {
        failures += 1;
        throw new DOMException('Internal error opening backing store', 'UnknownError');
      }
      return open.apply(this, given);
    };
    const second = await computer.open();
    expect(second.layer.rebuilt).toEqual({ rescued: 0, cause: 'UnknownError' });
    expect(second.session.items).toHaveLength(3);
  });

  it('keeps unsent changes of a copy made by a newer version', async () => {
    computer = new Computer();
    const first = await computer.open();
    await computer.synced(first.session);
    computer.upstream.fault = () => 'offline';
    await first.session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    first.layer.close();
    await rest();
    await new Promise<void>((resolve, reject) => {
      const request = computer.factory.open('evidence-studio', 990);
      request.onupgradeneeded = () => {
        // A later version that keeps cells in another way.
        request.result.deleteObjectStore('matrices');
        request.result.createObjectStore('matrices', { keyPath: ['other', 'key'] });
      };
      request.onsuccess = () => {
        request.result.close();
        resolve();
      };
      request.onerror = () => reject(new Error('not opened'));
    });
    computer.upstream.fault = () => null;
    const second = await computer.open();
    expect(second.layer.rebuilt).toMatchObject({ rescued: 1 });
    await computer.synced(second.session);
    expect(second.session.state(0, 0)).toBe('TRUE');
    expect(committed()).toBe(1);
  });
});
