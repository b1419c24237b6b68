import { afterEach, expect, it } from 'vitest';
import { createWizard } from '../../../src/renderer/features/transfer/import/wizard.ts';
import { obstacles } from '../../../src/renderer/features/transfer/import/wizard-state.ts';
import { cellCount } from '../../../src/renderer/features/transfer/import/plan.ts';
import { at, Computer } from '../renderer-data/support/windows.ts';
import { importInto, plan } from './support.ts';

let computer: Computer;
afterEach(() => computer.end());

const FILE = 'item_uid,label,rule_000,rule_001\na,Alpha,TRUE,yes\nSEPT2,Septin 2,NA,FALSE\n';
const asked = { meanings: { yes: 'FALSE' } } as const;

it('an import is stored, sent, taken back by one undo, and finds nothing to do the second time', async () => {
  computer = new Computer();
  const { session } = await computer.open();
  await importInto(FILE, session, asked);
  expect([
    session.items.map(({ item_uid, label }) => [item_uid, label]),
    session.state(0, 0),
    session.detail(0, 1).source_value,
  ]).toEqual([
    [
      ['a', 'Alpha'],
      ['b', ''],
      ['c', ''],
      ['SEPT2', 'Septin 2'],
    ],
    'TRUE',
    'yes',
  ]);
  await computer.synced(session);
  const again = await plan(FILE, session, asked);
  expect([again.plan.items, cellCount(again.plan)]).toEqual([[], 0]);
  await session.undo();
  expect([
    session.items.length,
    session.items[0]?.label,
    session.state(0, 0),
    session.detail(0, 1).source_value,
  ]).toEqual([3, '', null, null]);
  const back = await plan(FILE, session, asked);
  expect(back.plan).toMatchObject({ added: 1, returned: 1 });
});

it('what changed between the look and the import is looked at again', async () => {
  computer = new Computer();
  const { session } = await computer.open();
  const wizard = createWizard(session);
  await wizard.choose([new File([FILE], 'f.csv')]);
  await wizard.setChoice({ meet: 'overwrite' });
  await wizard.setPolarity([3], 'evidence');
  expect(wizard.store.getState()).toMatchObject({
    step: 'review',
    plan: { fresh: 4, overwritten: 0 },
  });
  await session.write('Set FALSE', [at('a', 0)], { raw_outcome: 'FALSE' });
  await wizard.import();
  expect(wizard.store.getState()).toMatchObject({
    step: 'review',
    plan: { fresh: 3, overwritten: 1 },
    problem: expect.stringContaining('has changed'),
  });
  await wizard.import();
  expect([wizard.store.getState().step, session.state(0, 0)]).toEqual(['done', 'TRUE']);
});

it('nothing can be imported while a value maps to nothing, and choices are kept for the next file', async () => {
  computer = new Computer();
  const { session } = await computer.open();
  const kept = new Map<string, string>();
  Object.assign(globalThis, {
    localStorage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
    },
  });
  const first = createWizard(session);
  await first.choose([new File(['Sample,rule_000\nx,yes\ny,?\n'], 'f.csv')]);
  expect(obstacles(first.store.getState())).toEqual(['2 values are not mapped yet.']);
  await first.import();
  expect(session.rowOf('x')).toBe(-1);
  await first.setPolarity([1], 'evidence');
  await first.setRest('NA');
  expect(obstacles(first.store.getState())).toEqual([]);
  await first.import();
  expect([session.state(session.rowOf('x'), 0), session.state(session.rowOf('y'), 0)]).toEqual([
    'FALSE',
    'NA',
  ]);
  const second = createWizard(session);
  await second.choose([new File(['Sample,rule_000\nz,no\nx,?\n'], 'g.csv')]);
  expect(second.store.getState()).toMatchObject({
    remembered: true,
    plan: { fresh: 1, added: 1, left: { count: 1 } },
  });
  await second.guessAgain();
  expect(obstacles(second.store.getState())).toEqual(['2 values are not mapped yet.']);
});
