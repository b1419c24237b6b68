import { codeOf } from '../../../../shared/domain/outcome.ts';
import { type CellPatch, type Edit, LEAVE, type MatrixSession } from '../../../data/store/port.ts';
import type { Editor } from './editor.ts';
import { onlySuggests } from './action.ts';
import { notify } from './editor-state.ts';
import { suggestEdit } from './suggesting.ts';
import {
  blocksOf,
  itemsIn,
  type Rect,
  rectsOf,
  rulesIn,
  selectionOf,
  sizeOf,
} from '../model/selection.ts';
import { STATE_WORDS, stateKey } from '../model/states.ts';
import type { View } from '../model/view.ts';
import { t } from '../../../text/t.ts';

export interface Fill {
  source: Rect;
  target: Rect;
}

/**
 * Where the handle, drawn to a cell, fills: on one axis, and only outside what is filled from.
 * Drawn inward it does nothing.
 */
export function fillTo(source: Rect, row: number, column: number): Rect | null {
  const down = row > source.bottom ? row - source.bottom : row < source.top ? row - source.top : 0;
  const right =
    column > source.right ? column - source.right : column < source.left ? column - source.left : 0;
  if (down === 0 && right === 0) return null;
  if (Math.abs(down) >= Math.abs(right))
    return down > 0
      ? { ...source, top: source.bottom + 1, bottom: row }
      : { ...source, top: row, bottom: source.top - 1 };
  return right > 0
    ? { ...source, left: source.right + 1, right: column }
    : { ...source, left: column, right: source.left - 1 };
}

/**
 * Fills down as far as the recorded cells beside it reach without a gap, looking at the left
 * neighbour first; never over a recorded cell.
 */
export function fillAlong(source: Rect, view: View, session: MatrixSession): Rect | null {
  const isRecorded = (row: number, column: number): boolean =>
    session.state(view.storeRow(row), view.storeColumn(column)) !== null;
  const columns = Array.from(
    { length: source.right - source.left + 1 },
    (_, index) => source.left + index,
  );
  for (const beside of [source.left - 1, source.right + 1]) {
    if (beside < 0 || beside >= view.columnCount) continue;
    let bottom = source.bottom;
    while (
      bottom + 1 < view.rowCount &&
      isRecorded(bottom + 1, beside) &&
      !columns.some((column) => isRecorded(bottom + 1, column))
    )
      bottom += 1;
    if (bottom > source.bottom) return { ...source, top: source.bottom + 1, bottom };
  }
  return null;
}

/** Repeats the source over the target, with its details if it has any. */
export function planFill(
  { source, target }: Fill,
  view: View,
  session: MatrixSession,
  details: boolean,
): Pick<Edit, 'blocks' | 'cells'> {
  const items = itemsIn(target, view);
  const rules = rulesIn(target, view);
  const within = (at: number, from: number, count: number): number =>
    from + ((((at - from) % count) + count) % count);
  const [height, width] = [source.bottom - source.top + 1, source.right - source.left + 1];
  const rows = items.map((_, row) => view.storeRow(within(target.top + row, source.top, height)));
  const columns = rules.map((_, column) =>
    view.storeColumn(within(target.left + column, source.left, width)),
  );
  const states = new Uint8Array(items.length * rules.length);
  const cells: NonNullable<Edit['cells']>[number][] = [];
  let next = 0;
  rows.forEach((row, i) =>
    columns.forEach((column, j) => {
      const state = session.state(row, column);
      const { source_value, notes, provenance } = details ? session.detail(row, column) : NO_DETAIL;
      const patch: CellPatch = {
        ...(source_value === null ? {} : { source_value }),
        ...(notes === null ? {} : { notes }),
        ...(provenance === null ? {} : { provenance }),
      };
      if (Object.keys(patch).length === 0) states[next] = codeOf(state);
      else {
        states[next] = LEAVE;
        // The block leaves this cell out, since it is written with its details.
        cells.push({ item: items[i]!, rule: rules[j]!, patch: { raw_outcome: state, ...patch } });
      }
      next += 1;
    }),
  );
  return { blocks: [{ items, rules, states }], cells };
}

const NO_DETAIL = { source_value: null, notes: null, provenance: null };

/**
 * One undo step; values that it replaced are counted in the message. In an approved case it suggests.
 */
function perform(
  editor: Editor,
  label: string,
  parts: Pick<Edit, 'blocks' | 'cells'>,
): Promise<void> {
  if (onlySuggests(editor.session.saveStatus)) return suggestEdit(editor, parts);
  return editor.replace({ label, ...parts }, ({ cells, replaced }) => {
    if (replaced > 0)
      return {
        text: t(
          '{label}: {replaced, plural, one {# recorded value was replaced. Undo brings it back.} other {# recorded values were replaced. Undo brings them back.}}',
          { label, replaced },
        ),
        isSeen: true,
      };
    return {
      text:
        cells === 0
          ? t('{label}: no change', { label })
          : t('{label}: {cells, plural, one {# cell} other {# cells}} changed', { label, cells }),
      isSeen: false,
    };
  });
}

const fillLabel = (cells: number, way: string): string =>
  t(
    'Fill {cells, plural, one {# cell} other {# cells}} {way, select, down {down} up {up} left {left} other {right}}',
    { cells, way },
  );

const wayOf = ({ source, target }: Fill): string =>
  target.top > source.bottom
    ? 'down'
    : target.bottom < source.top
      ? 'up'
      : target.left > source.right
        ? 'right'
        : 'left';

/** By the handle: what was filled is selected afterwards, together with what it was filled from. */
export async function fillFrom(editor: Editor, fill: Fill): Promise<void> {
  const { view, selection } = editor.store.getState();
  const { source, target } = fill;
  const done = perform(
    editor,
    fillLabel(sizeOf(target), wayOf(fill)),
    planFill(fill, view, editor.session, false),
  );
  const whole = {
    top: Math.min(source.top, target.top),
    left: Math.min(source.left, target.left),
    bottom: Math.max(source.bottom, target.bottom),
    right: Math.max(source.right, target.right),
  };
  editor.select(selectionOf([whole], view, selection?.focus), { reveal: false });
  await done;
}

/**
 * By keys: the block's first row or column over the rest of it; a single one is filled from its
 * neighbour, as spreadsheets do.
 */
export function fillBlock(editor: Editor, way: 'down' | 'right', details: boolean): Promise<void> {
  const { view, selection } = editor.store.getState();
  const [rect, ...others] = rectsOf(selection, view);
  if (rect === undefined) return Promise.resolve();
  const [from, to] = way === 'down' ? (['top', 'bottom'] as const) : (['left', 'right'] as const);
  const isSingle = rect[from] === rect[to];
  const first = isSingle ? rect[from] - 1 : rect[from];
  if (others.length > 0 || first < 0) {
    notify(
      editor.store,
      others.length > 0
        ? t('Fill works on one block. Select one, and fill again.')
        : way === 'down'
          ? t('Nothing stands above to fill from.')
          : t('Nothing stands to the left to fill from.'),
    );
    return Promise.resolve();
  }
  const source = { ...rect, [from]: first, [to]: first };
  const target = isSingle ? rect : { ...rect, [from]: first + 1 };
  return perform(
    editor,
    details
      ? t(
          'Fill {cells, plural, one {# cell} other {# cells}} {way, select, down {down} other {right}} with details',
          { cells: sizeOf(target), way },
        )
      : fillLabel(sizeOf(target), way),
    planFill({ source, target }, view, editor.session, details),
  );
}

/** Every selected cell gets the value of the one that has the focus. */
export function fillSelection(editor: Editor): Promise<void> {
  const { view, selection } = editor.store.getState();
  const { session } = editor;
  if (selection === null) return Promise.resolve();
  const state = session.state(
    session.rowOf(selection.focus.item),
    session.columnOf(selection.focus.rule),
  );
  const blocks = blocksOf(selection, view, state);
  const size = blocks.reduce((sum, { items, rules }) => sum + items.length * rules.length, 0);
  return perform(
    editor,
    t('Set {size, plural, one {# cell} other {# cells}} to {outcome}', {
      size,
      outcome: STATE_WORDS[stateKey(state)].full,
    }),
    { blocks },
  );
}
