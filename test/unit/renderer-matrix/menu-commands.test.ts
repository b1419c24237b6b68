import { expect, it } from 'vitest';
import { ACTIONS } from '../../../src/renderer/features/matrix/actions/actions.ts';
import { EDITOR_COMMANDS } from '../../../src/shared/contract/editor-commands.ts';

it('the commands that the desktop’s menu shares say and mean what the table says', () => {
  for (const { id, label, chord } of EDITOR_COMMANDS) {
    const action = ACTIONS.find((entry) => entry.id === id);
    expect([id, action?.label]).toEqual([id, label]);
    if (chord !== null) expect(action?.keys).toContain(chord);
    else
      expect(
        (action?.keys ?? []).filter((key) => key.startsWith('Mod+') || /^F\d/.test(key)),
      ).toEqual([]);
  }
});
