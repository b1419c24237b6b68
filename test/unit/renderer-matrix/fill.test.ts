import { describe, expect, it, vi } from 'vitest';
import { createEditor } from '../../../src/renderer/features/matrix/editor/create-editor.ts';
import type { Editor } from '../../../src/renderer/features/matrix/editor/editor.ts';
import {
  fillAlong,
  fillBlock,
  fillFrom,
  fillSelection,
  fillTo,
} from '../../../src/renderer/features/matrix/editor/fill.ts';
import { type Rect, single } from '../../../src/renderer/features/matrix/model/selection.ts';
import { createView } from '../../../src/renderer/features/matrix/model/view.ts';
import type { CellState } from '../../../src/shared/domain/outcome.ts';
import type { MemoryCell, MemorySession } from '../../support/memory-session.ts';
import { cell, sessionOf } from './profile.ts';

const WORDS: Record<string, CellState> = { T: 'TRUE', F: 'FALSE', N: 'NA', '.': null };

/** Cells by rows of letters: T, F, N, and a dot for unrecorded. */
function open(...rows: string[]): {
  session: MemorySession;
  editor: Editor;
  picture: () => string[];
  select: (anchor: [number, number], focus?: [number, number]) => void;
} {
  const cells = rows.flatMap((row, r) =>
    [...row].flatMap((letter, c): MemoryCell[] =>
      letter === '.' ? [] : [{ ...cell(r + 1, c + 1), raw_outcome: WORDS[letter]! }],
    ),
  );
  const session = sessionOf(rows.length, rows[0]!.length, cells);
  const editor = createEditor(session, vi.fn());
  editor.connect();
  const letter = (state: CellState): string =>
    Object.keys(WORDS).find((key) => WORDS[key] === state)!;
  return {
    session,
    editor,
    picture: () =>
      session.items.map((_, row) =>
        session.rules.map((_rule, column) => letter(session.state(row, column))).join(''),
      ),
    select: (anchor, focus = anchor) =>
      editor.select({ ...single(cell(...focus)), anchor: cell(...anchor) }),
  };
}
const said = (editor: Editor): string => editor.store.getState().announcement.text;
const rect = (top: number, left: number, bottom = top, right = left): Rect => ({
  top,
  left,
  bottom,
  right,
});

describe('where the handle fills', () => {
  const source = rect(2, 2, 3, 3);

  it.each([
    ['down', 6, 2, rect(4, 2, 6, 3)],
    ['up', 0, 3, rect(0, 2, 1, 3)],
    ['right', 3, 5, rect(2, 4, 3, 5)],
    ['left', 2, 0, rect(2, 0, 3, 1)],
    ['on the axis that it went farther on', 5, 7, rect(2, 4, 3, 7)],
  ])('%s', (_, row, column, target) => {
    expect(fillTo(source, row, column)).toEqual(target);
  });

  it('is nowhere when it is drawn inward: it clears nothing', () => {
    expect(fillTo(source, 2, 2)).toBeNull();
    expect(fillTo(source, 3, 3)).toBeNull();
  });
});

describe('filling', () => {
  it('repeats the block in every direction, in step with it', async () => {
    const { editor, picture } = open('......', '..TF..', '..NT..', '......', '......', '......');
    const source = rect(1, 2, 2, 3);
    await fillFrom(editor, { source, target: rect(3, 2, 5, 3) });
    expect(picture()).toEqual(['......', '..TF..', '..NT..', '..TF..', '..NT..', '..TF..']);
    await fillFrom(editor, { source, target: rect(0, 2, 0, 3) });
    await fillFrom(editor, { source, target: rect(1, 0, 2, 1) });
    await fillFrom(editor, { source, target: rect(1, 4, 2, 5) });
    expect(picture()).toEqual(['..NT..', 'TFTFTF', 'NTNTNT', '..TF..', '..NT..', '..TF..']);
  });

  it('is one step, and tells how many recorded values it replaced', async () => {
    const { editor, picture, session, select } = open('TF', '.F', 'NF');
    select([1, 1], [3, 2]);
    await fillBlock(editor, 'down', false);
    expect(picture()).toEqual(['TF', 'TF', 'TF']);
    expect(editor.store.getState().notice?.text).toBe(
      'Fill 4 cells down: 1 recorded value was replaced. Undo brings it back.',
    );
    await editor.undo();
    expect(picture()).toEqual(['TF', '.F', 'NF']);
    expect(session.canUndo).toBe(false);
  });

  it('takes a single row or column from its neighbour, and says where there is none', async () => {
    const { editor, picture, select } = open('TF.', '...');
    select([2, 1], [2, 2]);
    await fillBlock(editor, 'down', false);
    expect(picture()).toEqual(['TF.', 'TF.']);
    expect(said(editor)).toBe('Fill 2 cells down: 2 cells changed');
    select([1, 3]);
    await fillBlock(editor, 'right', false);
    expect(picture()).toEqual(['TFF', 'TF.']);
    select([1, 1]);
    await fillBlock(editor, 'down', false);
    expect(said(editor)).toBe('Nothing stands above to fill from.');
    await fillBlock(editor, 'right', false);
    expect(said(editor)).toBe('Nothing stands to the left to fill from.');
  });

  it('copies the outcome alone, or with the details that there are and no others', async () => {
    const { editor, session, select } = open('T.', '..', '..');
    await session.write('', [cell(1, 1)], { source_value: 'ABSENT', notes: 'seen' });
    await session.write('', [cell(2, 1)], {
      raw_outcome: 'FALSE',
      provenance: 'of FALSE',
      notes: 'kept',
    });
    select([1, 1], [2, 1]);
    await fillBlock(editor, 'down', false);
    expect(session.state(1, 0)).toBe('TRUE');
    expect(session.detail(1, 0)).toEqual({ source_value: null, notes: 'kept', provenance: null });
    await session.write('', [cell(2, 1)], { provenance: 'kept' });
    await fillBlock(editor, 'down', true);
    expect(session.detail(1, 0)).toEqual({
      source_value: 'ABSENT',
      notes: 'seen',
      provenance: 'kept',
    });
    await editor.undo();
    expect(session.detail(1, 0)).toEqual({ source_value: null, notes: 'kept', provenance: 'kept' });
  });

  it('works on one block only, and says so', async () => {
    const { editor, picture, select } = open('T.', '..');
    select([1, 1], [2, 1]);
    editor.select({ ...single(cell(1, 2)), extra: [{ anchor: cell(1, 1), focus: cell(2, 1) }] });
    await fillBlock(editor, 'down', false);
    expect(picture()).toEqual(['T.', '..']);
    expect(said(editor)).toBe('Fill works on one block. Select one, and fill again.');
  });

  it('never reaches a hidden item', async () => {
    const { editor, picture, session, select } = open('T', '.', '.');
    await session.write('', [cell(2, 1)], { raw_outcome: 'NA' });
    select([1, 1], [3, 1]);
    editor.store.setState({ view: createView(session, (row) => row !== 1) });
    await fillBlock(editor, 'down', false);
    expect(picture()).toEqual(['T', 'N', 'T']);
  });

  it('sets every block to the value of the focused cell', async () => {
    const { editor, picture } = open('T..', 'FN.', '...');
    editor.select({ ...single(cell(1, 1)), extra: [{ anchor: cell(2, 1), focus: cell(3, 2) }] });
    await fillSelection(editor);
    expect(picture()).toEqual(['T..', 'TT.', 'TT.']);
    expect(editor.store.getState().notice?.text).toBe(
      'Set 5 cells to TRUE, problem found: 2 recorded values were replaced. Undo brings them back.',
    );
  });
});

describe('a double click on the handle', () => {
  it('follows the run beside the block, the left one first, and stops before anything recorded', () => {
    const { editor } = open('TTT', 'F.N', 'F.N', '..F', '...');
    const { view } = editor.store.getState();
    expect(fillAlong(rect(0, 1), view, editor.session)).toEqual(rect(1, 1, 2, 1));
    expect(fillAlong(rect(2, 1), view, editor.session)).toEqual(rect(3, 1));
    expect(fillAlong(rect(0, 0), view, editor.session)).toBeNull();
    expect(fillAlong(rect(3, 0), view, editor.session)).toBeNull();
  });
});
