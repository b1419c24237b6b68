/** Counterexamples that the model of test/model found in a window's replica. */
import { afterEach, expect, it } from 'vitest';
import { at, Computer } from './support/windows.ts';
import { asProfile } from '../../support/ids.ts';

let computer: Computer;
afterEach(() => computer.end());

it('H3 I1 a head of a clock ten years ahead stays displayed when the window writes beside it, now and after a reload', async () => {
  computer = new Computer();
  const first = await computer.open();
  await computer.synced(first.session);
  const now = computer.time;
  computer.time = now + 10 * 365 * 86_400_000;
  computer.upstream.writeCell('a', 'rule_000', 'TRUE', []);
  computer.upstream.hlc = '000000000000-0000';
  computer.time = now;
  computer.upstream.writeCell('a', 'rule_000', 'FALSE', []);
  await computer.synced(first.session);
  expect([first.session.state(0, 0), first.session.contested(0, 0)]).toEqual(['TRUE', true]);
  // A gesture that names the lesser head, as undo and settling may.
  const lesser = computer.upstream.cell('a', 'rule_000')[1]?.name ?? '';
  computer.upstream.writeCell('a', 'rule_000', 'NA', [lesser]);
  await first.session.write('x', [at('a', 0)], { raw_outcome: 'FALSE' });
  await computer.synced(first.session);
  const shown = computer.upstream.outcome('a', 'rule_000');
  expect(first.session.state(0, 0)).toBe(shown);
  first.layer.close();
  const second = await computer.open();
  expect(second.session.state(0, 0)).toBe(shown);
});

it('H3 I1 of two heads of one change ahead of time, the other is displayed once the window has written over the first', async () => {
  computer = new Computer();
  const { session, layer } = await computer.open();
  await computer.synced(session);
  const now = computer.time;
  computer.time = now + 10 * 365 * 86_400_000;
  const register = {
    kind: 'assertion',
    profile: asProfile('test_profile'),
    version: '1.0',
    rule: 'rule_000',
    item: 'a',
  } as const;
  computer.upstream.write([
    { register, value: { raw_outcome: 'TRUE' }, parents: [] },
    { register, value: { raw_outcome: 'FALSE' }, parents: [] },
  ]);
  computer.upstream.hlc = '000000000000-0000';
  computer.time = now;
  await computer.synced(session);
  expect(session.state(0, 0)).toBe('FALSE');
  await session.write('x', [at('a', 0)], { raw_outcome: 'NA' });
  expect([session.state(0, 0), session.contested(0, 0)]).toEqual(['TRUE', true]);
  await computer.synced(session);
  expect(computer.upstream.outcome('a', 'rule_000')).toBe('TRUE');
  layer.close();
  expect((await computer.open()).session.state(0, 0)).toBe('TRUE');
});

it('V1 an item that only another profile’s entry names has a row here too', async () => {
  computer = new Computer();
  const { session } = await computer.open();
  await computer.synced(session);
  computer.upstream.write([
    {
      register: {
        kind: 'assertion',
        profile: asProfile('other_profile'),
        version: '1.0',
        rule: 'some_rule',
        item: 'new',
      },
      value: { raw_outcome: 'TRUE' },
      parents: [],
    },
  ]);
  await computer.synced(session);
  expect(session.items.map((item) => item.item_uid)).toContain('new');
});
