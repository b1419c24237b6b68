import { IDBObjectStore as FDBObjectStore } from 'fake-indexeddb';
import { afterEach, describe, expect, it } from 'vitest';
import { at, Computer, fillDevice, rest, turns } from './support/windows.ts';
import { addItems } from '../../support/add-items.ts';
import { asProfile, asCase } from '../../support/ids.ts';

let computer: Computer;
afterEach(() => computer.end());

describe('several windows on one store', () => {
  it('one of them talks to the server; all show the same', async () => {
    computer = new Computer();
    const [one, two] = [
      await computer.open({ shared: true }),
      await computer.open({ shared: true }),
    ];
    await computer.pass(3_000);
    await two.session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    expect(two.session.saveStatus.waiting).toBe(1);
    await computer.pass(1_000);
    expect(one.session.state(0, 0)).toBe('TRUE');
    expect(computer.upstream.outcome('a', 'rule_000')).toBe('TRUE');
    expect(two.session.saveStatus.waiting).toBe(0);
    await one.session.write('x', [at('a', 0)], { raw_outcome: 'NA' });
    computer.upstream.writeCell('b', 'rule_000', 'FALSE');
    await computer.pass(3_000);
    expect([two.session.state(0, 0), two.session.state(1, 0)]).toEqual(['NA', 'FALSE']);
    expect(two.session.contested(0, 0)).toBe(false);
    expect(computer.upstream.cell('a', 'rule_000')).toHaveLength(1);
    expect(
      new Set(
        computer.upstream.log
          .filter(({ change }) => change.by.user === 'u_me')
          .map(({ change }) => change.at.replica),
      ).size,
    ).toBe(1);
  });

  it('one that has read the log tells what others change, and not what it writes itself', async () => {
    computer = new Computer();
    computer.upstream.writeCell('a', 'rule_000', 'TRUE');
    const { session } = await computer.open({ shared: true });
    const heard: string[] = [];
    session.subscribeNews((news) =>
      heard.push(...news.map(({ item, rule, by }) => `${item} ${rule} ${by.kind}`)),
    );
    await computer.pass(3_000);
    expect([session.state(0, 0), heard]).toEqual(['TRUE', []]);
    await session.write('x', [at('a', 1)], { raw_outcome: 'TRUE' });
    computer.upstream.writeCell('b', 'rule_001', 'FALSE');
    await computer.synced(session);
    await computer.pass(60_000);
    expect([session.state(1, 1), heard]).toEqual(['FALSE', ['b rule_001 agent']]);
  });

  it('R15 one that keeps writing over a slow network reads what others write meanwhile', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await computer.synced(session);
    const { upstream } = computer;
    const answer = upstream.fetch;
    let pushes = 0;
    let readAt = 0;
    // Before each answer something else is written.
    const slow: typeof fetch = async (input, init) => {
      const answered = await answer(input, init);
      const path = input instanceof Request ? input.url : String(input);
      if (!path.endsWith('/push') || pushes === 30) return answered;
      pushes += 1;
      if (readAt === 0 && session.state(1, 1) === 'FALSE') readAt = pushes;
      await session.write('x', [at('a', 0)], { raw_outcome: pushes % 2 === 0 ? 'TRUE' : 'NA' });
      return answered;
    };
    Object.assign(upstream, { fetch: slow });
    upstream.writeCell('b', 'rule_001', 'FALSE');
    await session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    await computer.pass(60_000);
    expect([readAt, pushes]).toEqual([2, 30]);
    await computer.synced(session);
    expect(upstream.outcome('a', 'rule_000')).toBe(session.state(0, 0));
  });

  it('another takes over when the leading one goes', async () => {
    computer = new Computer();
    const [one, two] = [
      await computer.open({ shared: true }),
      await computer.open({ shared: true }),
    ];
    await computer.pass(3_000);
    computer.upstream.fault = (method) => (method === 'POST' ? 'offline' : null);
    await two.session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    one.layer.close();
    await rest();
    computer.upstream.fault = () => null;
    await computer.synced(two.session);
    expect(computer.upstream.outcome('a', 'rule_000')).toBe('TRUE');
    await two.session.write('x', [at('a', 0)], { raw_outcome: 'NA' });
    await computer.synced(two.session);
    expect(computer.upstream.outcome('a', 'rule_000')).toBe('NA');
  });

  it('one that takes over while it reads shows what the last leader has stored', async () => {
    // The second change of another is stored just before the leader goes, while the other window
    // still reads because of the first: at which turns that is depends on the disk.
    for (let first = 6; first <= 14; first += 2)
      for (const second of [4, 8, 12, 16]) {
        computer = new Computer();
        const shared = { shared: true, hints: true };
        const [one, two] = [await computer.open(shared), await computer.open(shared)];
        await computer.synced(two.session);
        const { upstream } = computer;
        upstream.writeCell('a', 'rule_000', 'FALSE');
        computer.hint(upstream.log.length);
        await turns(first);
        upstream.writeCell('b', 'rule_001', 'NA');
        computer.hint(upstream.log.length);
        await turns(second);
        one.layer.close();
        await turns(12);
        await two.session.write('x', [at('c', 0)], { raw_outcome: 'TRUE' });
        await computer.synced(two.session);
        expect(
          [two.session.state(0, 0), two.session.state(1, 1), two.session.state(2, 0)],
          `${first} and ${second} turns`,
        ).toEqual(['FALSE', 'NA', 'TRUE']);
        computer.end();
        await rest();
      }
  });

  it('R15 one that is not the leader shows what others write, though its person writes while it reads', async () => {
    computer = new Computer();
    await computer.open({ shared: true });
    const { session } = await computer.open({ shared: true });
    await computer.synced(session);
    const { getAll } = FDBObjectStore.prototype;
    let readings = 0;
    let shownAt = 0;
    FDBObjectStore.prototype.getAll = function (...range) {
      if (this.name === 'blocks' && readings < 30) {
        if (shownAt === 0 && session.state(1, 1) === 'FALSE') shownAt = readings;
        readings += 1;
        const raw_outcome = readings % 2 === 0 ? 'TRUE' : 'NA';
        void session.write('x', [at('a', 0)], { raw_outcome });
      }
      return getAll.apply(this, range);
    };
    try {
      computer.upstream.writeCell('b', 'rule_001', 'FALSE');
      await computer.pass(60_000);
    } finally {
      FDBObjectStore.prototype.getAll = getAll;
    }
    expect([shownAt, readings]).toEqual([1, 30]);
    await computer.synced(session);
    expect(computer.upstream.outcome('a', 'rule_000')).toBe(session.state(0, 0));
  });

  it('two profiles of one case share the outbox and the items', async () => {
    computer = new Computer();
    const layer = await computer.layer({ shared: true });
    const one = await layer.openMatrix({
      caseUid: asCase('case-1'),
      profileUid: asProfile('test_profile'),
      profileVersion: '1.0',
    });
    await computer.pass(3_000);
    computer.upstream.fault = (method) => (method === 'POST' ? 'offline' : null);
    await addItems(one, [{ item_uid: 'z' }]);
    one.close();
    await rest();
    computer.upstream.fault = () => null;
    const again = await layer.openMatrix({
      caseUid: asCase('case-1'),
      profileUid: asProfile('test_profile'),
      profileVersion: '1.0',
    });
    expect(again.rowOf('z')).toBe(3);
    await computer.synced(again);
    expect(computer.upstream.log.filter(({ change }) => change.by.user === 'u_me')).toHaveLength(1);
  });

  it('two that lead at once do not mix their copies: the later one stays, the other only writes to the outbox', async () => {
    computer = new Computer();
    const one = await computer.open();
    await computer.synced(one.session);
    const two = await computer.open();
    await one.session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    await two.session.write('x', [at('b', 0)], { raw_outcome: 'NA' });
    await computer.pass(20_000);
    expect(computer.upstream.outcome('a', 'rule_000')).toBe('TRUE');
    expect(computer.upstream.outcome('b', 'rule_000')).toBe('NA');
    computer.upstream.fault = () => 'offline';
    await one.session.write('x', [at('c', 0)], { raw_outcome: 'FALSE' });
    two.layer.close();
    one.layer.close();
    await rest();
    const away = await computer.open();
    expect([0, 1, 2].map((row) => away.session.state(row, 0))).toEqual(['TRUE', 'NA', 'FALSE']);
    away.layer.close();
    await rest();
    computer.upstream.fault = () => null;
    const three = await computer.open();
    await computer.synced(three.session);
    expect([three.session.state(0, 0), three.session.state(1, 0)]).toEqual(['TRUE', 'NA']);
    expect(three.session.contested(0, 0)).toBe(false);
  });
});

describe('storage that fails under an open window', () => {
  it('one that cannot take over says why, and does once it can', async () => {
    computer = new Computer();
    const [one, two] = [
      await computer.open({ shared: true }),
      await computer.open({ shared: true }),
    ];
    await computer.synced(two.session);
    const makeRoom = fillDevice();
    one.layer.close();
    await computer.pass(20_000);
    expect(two.session.saveStatus).toMatchObject({
      problem: 'This device is full. Nothing more is taken until there is space again.',
      access: { may: 'read', because: 'storage' },
    });
    makeRoom();
    computer.upstream.writeCell('b', 'rule_001', 'FALSE');
    await computer.pass(20_000);
    await two.session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    await computer.synced(two.session);
    expect(two.session.state(1, 1)).toBe('FALSE');
    expect(two.session.saveStatus).toMatchObject({ waiting: 0, problem: null });
    expect(computer.upstream.outcome('a', 'rule_000')).toBe('TRUE');
  });

  it('a change that cannot be stored is said so and no longer shown', async () => {
    computer = new Computer();
    const { session, layer } = await computer.open();
    await computer.synced(session);
    const makeRoom = fillDevice();
    await expect(session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' })).rejects.toThrow();
    await computer.pass(12_000);
    expect(session.state(0, 0)).toBeNull();
    expect(session.saveStatus).toMatchObject({
      waiting: 0,
      problem: expect.stringContaining('device is full'),
      access: { may: 'read', because: 'storage' },
    });
    await expect(session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' })).rejects.toThrow(
      'device is full',
    );
    makeRoom();
    await computer.pass(5_000);
    expect(session.saveStatus.access).toEqual({ may: 'write' });
    await session.write('x', [at('a', 0)], { raw_outcome: 'NA' });
    await computer.synced(session);
    expect(session.saveStatus.problem).toBeNull();
    expect(computer.upstream.outcome('a', 'rule_000')).toBe('NA');
    layer.close();
  });
});
