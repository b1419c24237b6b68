import { expect, it } from 'vitest';
import { createWizard } from '../../../src/renderer/features/transfer/import/wizard.ts';
import { sessionOf } from '../renderer-matrix/profile.ts';

const file = (name: string, text: string): File => new File([text], name);

it('several files are one table, and each cell says which it was read in', async () => {
  const session = sessionOf(0, 2);
  const wizard = createWizard(session, { now: () => 0 });
  await wizard.choose([
    file('plate 1.csv', 'item_uid,r1,r2\na,TRUE,NA\n'),
    file('plate 2.csv', 'item_uid;r2;r1\nb;FALSE;TRUE\nc;;NA\n'),
  ]);
  expect(wizard.store.getState().plan).toMatchObject({ added: 3, fresh: 5, empty: 1 });
  await wizard.import();
  expect(wizard.store.getState().problem).toBe(null);
  expect([session.state(1, 0), session.state(1, 1), session.detail(1, 1).provenance]).toEqual([
    'TRUE',
    'FALSE',
    { source: 'plate 2.csv', locator: 'line 2, r2', method: 'import', date: '1970-01-01' },
  ]);
});

it('a file among several that cannot be one table is named', async () => {
  const wizard = createWizard(sessionOf(0, 1));
  await wizard.choose([file('a.csv', 'item_uid,r1\na,TRUE\n'), file('b.csv', 'r1,r1\nTRUE,NA\n')]);
  expect(wizard.store.getState()).toMatchObject({
    step: 'file',
    problem: 'b.csv: several files are one table only where each column has a heading of its own.',
  });
});
