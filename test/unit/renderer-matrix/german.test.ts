import { afterAll, expect, it, vi } from 'vitest';
import { catalogue as german } from '../../../src/renderer/text/de/index.ts';

// Before anything of the editor is loaded: its constants are said once. What other files have
// loaded in English is loaded again, here and after this file.
vi.resetModules();
const { speak } = await import('../../../src/renderer/text/t.ts');
speak('de', german);
afterAll(() => vi.resetModules());
const { sessionOf } = await import('./profile.ts');
const { editOf } = await import('../../../src/renderer/features/matrix/clipboard/commit.ts');
const { FIRST_CHOICES, planned, planPaste } =
  await import('../../../src/renderer/features/matrix/clipboard/plan.ts');
const { readText } = await import('../../../src/renderer/features/matrix/clipboard/read-text.ts');
const { chordParts } = await import('../../../src/renderer/features/matrix/model/keymap.ts');
const { cellLabel } = await import('../../../src/renderer/features/matrix/model/states.ts');
const { sizeWords } = await import('../../../src/renderer/features/matrix/model/selection.ts');
const { createView } = await import('../../../src/renderer/features/matrix/model/view.ts');

it('a German reader is told of cells, selections and keys in German', () => {
  expect(cellLabel('a', 'b', 'TRUE', true)).toBe('a, b: TRUE, Problem gefunden, Konflikt');
  expect(cellLabel('a', 'b', null, false)).toBe('a, b: nicht erfasst');
  expect(sizeWords([{ top: 0, bottom: 999, left: 0, right: 1 }])).toBe(
    '2.000 Zellen ausgewählt, 1.000 Objekte mal 2 Regeln',
  );
  expect(chordParts('Mod+Shift+Delete', false)).toEqual(['Strg', 'Umschalt', 'Entf']);
});

it('what a German reader records is in the words that everybody reads', () => {
  const session = sessionOf(4, 3);
  const table = readText('nein\tja');
  const choices = { ...FIRST_CHOICES, words: new Map([['nein', 'FALSE' as const]]) };
  const plan = planned(
    planPaste(
      table,
      {
        rects: [{ top: 0, left: 0, bottom: 0, right: 0 }],
        view: createView(session, () => true),
      },
      session,
      choices,
    ),
  );
  const edit = editOf(plan, table, session, choices, undefined);
  expect(edit.label).toBe('1 Zelle einfügen');
  expect(edit.why).toBe('Pasted. Read “nein” as FALSE, evidence present (1)');
});
