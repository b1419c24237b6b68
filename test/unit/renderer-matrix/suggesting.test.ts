import { describe, expect, it, vi } from 'vitest';
import { actionById } from '../../../src/renderer/features/matrix/actions/actions.ts';
import { startPaste } from '../../../src/renderer/features/matrix/clipboard/paste.ts';
import { press } from '../../../src/renderer/features/matrix/editor/action.ts';
import { createEditor } from '../../../src/renderer/features/matrix/editor/create-editor.ts';
import { fillFrom } from '../../../src/renderer/features/matrix/editor/fill.ts';
import { single } from '../../../src/renderer/features/matrix/model/selection.ts';
import { type Edit, LEAVE, type MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { stateOf } from '../../../src/shared/domain/outcome.ts';
import { cell, sessionOf } from './profile.ts';

const APPROVED = 'It is approved.';

/** Three items of an approved case, the first cell of which says FALSE. */
function open(answer: Awaited<ReturnType<MatrixSession['suggest']>> = { suggested: 2, left: 0 }) {
  const session = sessionOf(3, 3, [{ ...cell(1, 1), raw_outcome: 'FALSE' }]);
  session.setSaveStatus({ access: { may: 'read', because: 'approved', words: APPROVED } });
  const suggest = vi.spyOn(session, 'suggest').mockResolvedValue(answer);
  const apply = vi.spyOn(session, 'apply');
  const editor = createEditor(session, vi.fn());
  editor.connect();
  const select = (anchor: [number, number], focus = anchor): void =>
    editor.select({ ...single(cell(...focus)), anchor: cell(...anchor) });
  return {
    session,
    editor,
    suggest,
    apply,
    select,
    notice: () => editor.store.getState().notice?.text ?? '',
  };
}

/** What an edit says of its cells, row by row. */
const statesOf = ({ blocks = [] }: Pick<Edit, 'blocks'>): unknown[] =>
  blocks.map(({ states }) => (states instanceof Uint8Array ? Array.from(states, stateOf) : states));

describe('an approved case', () => {
  it.each([
    ['fill.down', ['FALSE', 'FALSE'], [1, 1], [3, 1]],
    ['fill.right', ['FALSE', 'FALSE'], [1, 1], [1, 3]],
    ['fill.selection', 'FALSE', [1, 2], [1, 1]],
  ] as const)('%s suggests', async (id, states, anchor, focus) => {
    const { editor, select, suggest, apply, notice } = open();
    select([...anchor], [...focus]);
    expect(press(actionById(id), editor)).toBe(true);
    await vi.waitFor(() => expect(notice()).toMatch(/^Suggested, not recorded/), 60_000);
    expect(notice()).toContain('2 cells.');
    expect(statesOf(suggest.mock.calls[0]![0])).toEqual([states]);
    expect(apply).not.toHaveBeenCalled();
  });

  it('the handle suggests, and what cannot be suggested is said', async () => {
    const { editor, select, suggest, apply, notice } = open({ suggested: 0, left: 3 });
    select([1, 1]);
    const at = (row: number) => ({ top: row, left: 0, bottom: row, right: 0 });
    await fillFrom(editor, { source: at(0), target: at(1) });
    expect(statesOf(suggest.mock.calls[0]![0])).toEqual([['FALSE']]);
    expect(notice()).toMatch(/^Nothing to suggest: .* 3 cells are left as recorded/);
    expect(apply).not.toHaveBeenCalled();
  });

  it('a pasted block is suggested with where it was read', async () => {
    const { editor, select, suggest, apply, notice } = open();
    select([2, 1]);
    startPaste(editor, 'TRUE\tNA\n', '');
    await vi.waitFor(() => expect(notice()).toMatch(/^Suggested, not recorded/), 60_000);
    const { blocks = [], cells = [] } = suggest.mock.calls[0]![0];
    const read = cells.map(({ patch }) => patch.raw_outcome);
    expect([...read, ...statesOf({ blocks }).flat()].filter((state) => state !== null)).toEqual([
      'TRUE',
      'NA',
    ]);
    expect(apply).not.toHaveBeenCalled();
  });

  it('a blank that is pasted suggests nothing, and NA and FALSE stay two things', async () => {
    const { editor, select, suggest } = open();
    select([2, 1]);
    startPaste(editor, 'NA\t\tFALSE\n', '');
    await vi.waitFor(() => expect(suggest).toHaveBeenCalled(), 60_000);
    const { blocks = [], cells = [] } = suggest.mock.calls[0]![0];
    expect(cells.map(({ item, rule, patch }) => [item, rule, patch.raw_outcome])).toEqual([
      ['i2', 'r1', 'NA'],
      ['i2', 'r3', 'FALSE'],
    ]);
    expect(blocks.map(({ states }) => states)).toEqual([new Uint8Array(3).fill(LEAVE)]);
  });

  it('a failure to suggest is shown', async () => {
    const { editor, select, suggest, notice } = open();
    suggest.mockRejectedValue(new Error('No space.'));
    select([2, 1]);
    startPaste(editor, 'TRUE\n', '');
    await vi.waitFor(() => expect(notice()).toBe('Not suggested: No space.'), 60_000);
  });

  it.each(['fill.downDetails', 'fill.rightDetails', 'clipboard.cut', 'record.clear'])(
    '%s is refused with the reason',
    (id) => {
      const { editor, select, suggest, apply, notice } = open();
      select([1, 1], [3, 1]);
      expect(press(actionById(id), editor)).toBe(true);
      expect(notice()).toBe(`Read only. ${APPROVED}`);
      expect(suggest).not.toHaveBeenCalled();
      expect(apply).not.toHaveBeenCalled();
    },
  );

  it('whoever may only look suggests nothing', () => {
    const { session, editor, select, suggest, notice } = open();
    session.setSaveStatus({ access: { may: 'read', because: 'viewer', words: 'You may look.' } });
    select([1, 1], [3, 1]);
    for (const id of ['fill.down', 'fill.right', 'fill.selection', 'clipboard.paste']) {
      expect(press(actionById(id), editor)).toBe(true);
      expect(notice()).toBe('Read only. You may look.');
    }
    expect(suggest).not.toHaveBeenCalled();
  });
});
