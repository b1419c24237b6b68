import { afterEach, describe, expect, it } from 'vitest';
import { at, Computer, rest, START } from './support/windows.ts';

let computer: Computer;
afterEach(() => computer.end());
const ANN = { user_id: 'u_ann', name: 'Ann', role: 'member' };
const BEN = { user_id: 'u_ben', name: 'Ben', role: 'member' };
const authors = (): string[] =>
  computer.upstream.log.map(({ change }) => change.by.user).filter((user) => user !== 'u_agent');
const isPush = (method: string): 'offline' | null => (method === 'POST' ? 'offline' : null);

describe('a studio that is connected to a hosted server', () => {
  const LOCAL = { user_id: 'u_local', name: 'Local user', role: 'owner' };
  const steps = async (): Promise<void> => {
    const { session, layer } = await computer.open();
    await session.write('Set', [at('a', 0)], { raw_outcome: 'TRUE', source_value: 'p.3' });
    await session.write('Set', [at('a', 0)], { raw_outcome: 'FALSE' });
    computer.upstream.writeCell('b', at('', 0).rule, 'TRUE', []);
    computer.upstream.writeCell('b', at('', 0).rule, 'NA', []);
    await computer.synced(session);
    layer.close();
    await rest();
  };

  it('keeps the undo steps of its person, and no copy under the name before', async () => {
    computer = new Computer();
    computer.upstream.user = LOCAL;
    await steps();
    computer.upstream.user = { ...ANN, role: 'owner', formerly: ['u_local'] };
    const { session, layer } = await computer.open();
    await computer.synced(session);
    expect(session.canUndo).toBe(true);
    expect(await session.undo()).toMatchObject({ count: 1, skippedCount: 0 });
    expect([session.state(0, 0), session.detail(0, 0).source_value]).toEqual(['TRUE', 'p.3']);
    await session.redo();
    await computer.synced(session);
    const links = await layer.overview.links();
    expect(links.map(({ user, mine }) => [user, mine])).toEqual([['u_ann', true]]);
    // The bar above and the table say the same.
    expect([
      layer.overview.totals.review,
      links.reduce((sum, { review }) => sum + review, 0),
    ]).toEqual([1, 1]);
  });

  it('leaves what is unsent with who wrote it, and another user’s undo steps with that user', async () => {
    computer = new Computer();
    computer.upstream.user = LOCAL;
    await steps();
    computer.upstream.user = { ...BEN, role: 'owner' };
    const other = await computer.open();
    expect([
      other.session.canUndo,
      (await other.layer.overview.links()).map(({ user }) => user).toSorted(),
    ]).toEqual([false, ['u_ben', 'u_local']]);
    other.layer.close();
    await rest();
    computer.upstream.user = LOCAL;
    const first = await computer.open();
    computer.upstream.fault = isPush;
    await first.session.write('x', [at('a', 1)], { raw_outcome: 'NA' });
    first.layer.close();
    await rest();
    computer.upstream.fault = () => null;
    computer.upstream.user = { ...ANN, role: 'owner', formerly: ['u_local'] };
    const { layer } = await computer.open();
    expect(layer.overview.totals).toMatchObject({ blocked: 1 });
    expect((await layer.overview.unsent('kept', 10)).changes).toMatchObject([{ user: 'u_local' }]);
  });
});

it('an approved case takes suggestions alone, also from somebody who was signed out (Z4)', async () => {
  computer = new Computer();
  const { session } = await computer.open();
  await computer.synced(session);
  session.noteApproved(true);
  computer.upstream.fault = () => ({ status: 401, code: 'missing_credentials' });
  await computer.pass(70_000);
  expect(session.saveStatus).toMatchObject({
    access: { may: 'read', because: 'approved' },
    problem: expect.stringContaining('signed out'),
  });
  await expect(session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' })).rejects.toThrow(
    'T, F or N',
  );
  const { item, rule } = at('a', 0);
  expect(
    await session.suggest({ blocks: [{ items: [item], rules: [rule], states: 'TRUE' }] }),
  ).toEqual({ suggested: 1, left: 0 });
  expect(session.state(0, 0)).toBeNull();
});

describe('users of one browser (I14)', () => {
  it('a change is sent in its author’s name or not at all, and another user’s copy is without it', async () => {
    computer = new Computer();
    computer.upstream.user = ANN;
    const first = await computer.open({ shared: true });
    await computer.synced(first.session);
    computer.upstream.fault = isPush;
    await first.session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    await computer.pass(3_000);
    computer.upstream.user = BEN;
    computer.upstream.fault = () => null;
    await computer.pass(70_000);
    expect(first.session.saveStatus).toMatchObject({
      waiting: 0,
      blocked: 1,
      access: { may: 'read', because: 'other_user' },
      problem: expect.stringContaining('Ben is signed in'),
    });
    await expect(first.session.write('x', [at('b', 0)], { raw_outcome: 'TRUE' })).rejects.toThrow(
      'Ben is signed in',
    );

    const second = await computer.open({ shared: true });
    expect(second.session.state(0, 0)).toBeNull();
    await second.session.write('x', [at('b', 0)], { raw_outcome: 'NA' });
    await computer.synced(second.session);
    expect(authors()).toEqual(['u_ben']);
    expect(second.layer.overview.totals).toMatchObject({ waiting: 0, blocked: 1 });
    const { changes } = await second.layer.overview.unsent('kept', 10);
    expect(changes).toMatchObject([
      {
        user: 'u_ann',
        userName: 'Ann',
        state: 'blocked',
        entries: [{ item: 'a', rule: 'rule_000', field: 'outcome', old: null, new: 'TRUE' }],
      },
    ]);
    second.layer.close();
    await rest();

    // A request that was made for Ann is refused by the server itself, whatever a window believes.
    computer.upstream.user = ANN;
    const third = await computer.open({ shared: true });
    await computer.synced(third.session);
    expect(authors().toSorted()).toEqual(['u_ann', 'u_ben']);
    expect(third.session.state(0, 0)).toBe('TRUE');
    expect(third.layer.overview.totals).toMatchObject({ waiting: 0, blocked: 0 });
  });

  it('the same user in another account has other copies; a change goes to the account it was made in or nowhere', async () => {
    computer = new Computer();
    computer.upstream.user = ANN;
    computer.upstream.account = { account_id: 'acc_lab', name: 'Lab' };
    const first = await computer.open({ shared: true });
    await computer.synced(first.session);
    computer.upstream.fault = isPush;
    await first.session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    await computer.pass(3_000);
    computer.upstream.account = { account_id: 'acc_trial', name: 'Trial' };
    computer.upstream.fault = () => null;
    await computer.pass(70_000);
    expect(first.session.saveStatus).toMatchObject({
      waiting: 0,
      blocked: 1,
      access: { may: 'read', because: 'other_user' },
      problem: expect.stringContaining('“Trial” is open now'),
    });
    const second = await computer.open({ shared: true });
    expect(second.session.state(0, 0)).toBeNull();
    expect((await second.layer.overview.unsent('kept', 10)).changes).toMatchObject([
      { user: 'u_ann@acc_lab', userName: 'Ann in Lab', state: 'blocked' },
    ]);
    second.layer.close();
    await rest();
    expect(authors()).toEqual([]);

    computer.upstream.account = { account_id: 'acc_lab', name: 'Lab' };
    const third = await computer.open({ shared: true });
    await computer.synced(third.session);
    expect(authors()).toEqual(['u_ann']);
    expect(third.session.state(0, 0)).toBe('TRUE');
  });

  it('a role that is lowered parks what is unsent; the export is read back before it can be given up', async () => {
    computer = new Computer();
    computer.upstream.user = ANN;
    const { session, layer } = await computer.open();
    await computer.synced(session);
    computer.upstream.fault = isPush;
    await session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    await session.write('y', [at('a', 0)], { raw_outcome: 'NA', notes: 'n' });
    computer.upstream.user = { ...ANN, role: 'viewer' };
    computer.upstream.fault = () => null;
    await computer.pass(10_000);
    expect(session.saveStatus).toMatchObject({
      waiting: 0,
      blocked: 2,
      access: { may: 'read', because: 'viewer' },
    });
    await expect(session.flush(1_000)).rejects.toThrow('viewer');
    const { overview } = layer;
    const { changes } = await overview.unsent('kept', 10);
    expect(changes.map(({ entries }) => entries.map(({ old, new: next }) => [old, next]))).toEqual([
      [[null, 'TRUE']],
      [
        ['TRUE', 'NA'],
        [null, 'n'],
      ],
    ]);
    const ids = changes.map(({ id }) => id);
    const file = await overview.exportOf(ids);
    expect(await overview.heldIn(file, ids)).toBe(2);
    expect(await overview.heldIn('{}', ids)).toBe(0);
    const cut = JSON.stringify({
      ...JSON.parse(file),
      changes: JSON.parse(file).changes.slice(0, 1),
    });
    expect(await overview.discard(cut, ids)).toEqual({ discarded: 1, kept: 1 });
    expect(await overview.discard(file, ids)).toEqual({ discarded: 1, kept: 0 });
    await computer.pass(70_000);
    expect(session.saveStatus).toMatchObject({ waiting: 0, blocked: 0 });
    expect(session.state(0, 0)).toBeNull();
    expect(authors()).toEqual([]);
  });
});

describe('the numbers of what is not everywhere', () => {
  it('quarantined entries and the moment of equality come from the server’s answers (R7)', async () => {
    computer = new Computer();
    computer.upstream.quarantines = (text) => (text.includes('/b"') ? [0] : []);
    const { session } = await computer.open();
    await computer.synced(session);
    expect(session.saveStatus).toMatchObject({ quarantined: 0, verifiedAt: expect.any(Number) });
    computer.upstream.fault = () => 'offline';
    await session.write('x', [at('a', 0), at('b', 0)], { raw_outcome: 'TRUE' });
    await session.write('x', [at('b', 1)], { raw_outcome: 'TRUE' });
    await computer.pass(60_000);
    const { verifiedAt } = session.saveStatus;
    expect(verifiedAt).toBeLessThan(START + 60_000);
    computer.upstream.fault = () => null;
    await computer.synced(session);
    expect(session.saveStatus).toMatchObject({ quarantined: 2, blocked: 0, waiting: 0 });
    await computer.pass(5_000);
    expect(session.saveStatus.verifiedAt).toBeGreaterThan(verifiedAt ?? 0);
  });

  it('what waits in a case that no page shows is counted and goes by itself', async () => {
    computer = new Computer();
    const { session, layer } = await computer.open();
    await computer.synced(session);
    computer.upstream.fault = () => 'offline';
    await session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    session.close();
    await rest();
    expect(layer.overview.totals).toMatchObject({
      waiting: 1,
      oldest: START + 2_500,
      connection: expect.any(String),
    });
    computer.upstream.requests.length = 0;
    await computer.pass(600_000);
    expect(layer.overview.totals.waiting).toBe(1);
    // A small question as often as a server on this machine is asked again, and no copy is opened
    // for one that is away.
    expect(new Set(computer.upstream.requests.map(({ path }) => path))).toEqual(
      new Set(['/api/v1/session']),
    );
    expect(computer.upstream.requests.length).toBeGreaterThan(9);
    computer.upstream.fault = () => null;
    await computer.pass(70_000);
    expect(layer.overview.totals).toMatchObject({ waiting: 0, storing: 0 });
    expect(computer.upstream.outcome('a', 'rule_000')).toBe('TRUE');
  });

  it('the numbers never say less than what is unsent, at any moment, over edits, a restored server and a lost answer', async () => {
    computer = new Computer();
    const { session, layer } = await computer.open();
    await computer.synced(session);
    const backup = computer.upstream.dump();
    const lies: string[] = [];
    const unsent = (): number => {
      const held = new Set(computer.upstream.log.map(({ id }) => id));
      return made.filter((id) => !held.has(id)).length;
    };
    const made: string[] = [];
    const look = (): void => {
      for (const status of [session.saveStatus, layer.overview.totals])
        if (status.waiting + status.blocked < unsent())
          lies.push(`${status.waiting} of ${unsent()}`);
    };
    session.subscribeSaveStatus(look);
    layer.overview.subscribe(look);
    for (let turn = 0; turn < 6; turn += 1) {
      computer.upstream.fault =
        turn % 3 === 1
          ? () => 'offline'
          : turn % 3 === 2
            ? (method) => (method === 'POST' ? 'ack_lost' : null)
            : () => null;
      await session.write('x', [at('a', turn % 4)], {
        raw_outcome: (['TRUE', 'NA', 'FALSE'] as const)[turn % 3] ?? null,
      });
      made.push(
        ...(await layer.overview.unsent('waiting', 100)).changes
          .map(({ id }) => id)
          .filter((id) => !made.includes(id)),
      );
      await computer.pass(4_000);
      if (turn === 4) {
        computer.upstream.fault = () => null;
        await computer.synced(session);
        computer.upstream.restore(backup);
        // Until the window has heard of it, it cannot know.
        made.length = 0;
      }
    }
    computer.upstream.fault = () => null;
    await computer.synced(session);
    expect(lies).toEqual([]);
    expect(computer.upstream.log.filter(({ change }) => change.by.user === 'u_me')).toHaveLength(6);
  });
});
