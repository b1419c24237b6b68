import { move, nextOf, nextUnrecorded, type GridPosition } from '../model/motion.ts';
import { allOf, cornerOf, extendTo, rectsOf, single, sizeOfAll } from '../model/selection.ts';
import type { Cursor, Parts } from './cursor.ts';
import type { Editor } from './editor.ts';
import { t } from '../../../text/t.ts';

export interface Moves extends Pick<
  Editor,
  'move' | 'moveToUnrecorded' | 'moveToContested' | 'selectAll' | 'collapse' | 'focusGrid'
> {
  /** After a cell was recorded, where the person wants that. */
  advance(): void;
}

export function createMoves(parts: Parts, cursor: Cursor): Moves {
  const get = parts.store.getState;
  const { select, cellAt, here, field } = cursor;
  return {
    move: moveFrom(parts, cursor),
    ...createJumps(parts, cursor),
    selectAll: () => {
      const { selection, view } = get();
      if (view.rowCount > 0) select(allOf(view, selection?.focus), { reveal: false });
    },
    collapse: () => {
      const { selection, copied } = get();
      if (copied !== null) parts.store.setState({ copied: null });
      else if (selection !== null) select(single(selection.focus));
    },
    focusGrid: () => {
      const { selection, view } = get();
      if (selection !== null) select(selection);
      else if (view.rowCount > 0) select(single(cellAt({ row: 0, column: 0 })));
    },
    advance: () => {
      const { selection, view, preferences } = get();
      if (preferences.advance === 'off' || sizeOfAll(rectsOf(selection, view)) !== 1) return;
      const at = here();
      const to = at === null ? null : move(preferences.advance, at, field());
      if (to !== null) select(single(cellAt(to)));
    },
  };
}

function moveFrom({ store }: Parts, cursor: Cursor): Editor['move'] {
  const { select, cellAt, positionOf, field } = cursor;
  return (motion, extend) => {
    const { view, selection } = store.getState();
    const at = positionOf(
      selection === null ? null : extend ? cornerOf(selection) : selection.focus,
    );
    if (at === null || selection === null) {
      if (view.rowCount === 0) return false;
      select(single(cellAt({ row: 0, column: 0 })));
      return true;
    }
    const moved = move(motion, at, field());
    if (moved === null) return extend;
    // A block is of outcomes or of fields, never of both.
    const isOfRules = view.fieldOf(selection.anchor.rule) < 0;
    const column = isOfRules ? Math.max(moved.column, 0) : Math.min(moved.column, -1);
    const to = extend ? { ...moved, column } : moved;
    select(extend ? extendTo(selection, cellAt(to), view) : single(cellAt(to)), {
      reveal: cellAt(to),
    });
    return true;
  };
}

/** To the next cell that wants work, wherever that is. */
function createJumps(
  { session, store, announce }: Parts,
  { select, cellAt, here, field }: Cursor,
): Pick<Editor, 'moveToUnrecorded' | 'moveToContested'> {
  const goTo = (to: GridPosition | null, noneWords: string): void => {
    if (to === null) announce(noneWords);
    else select(single(cellAt(to)));
  };
  return {
    moveToUnrecorded: (backwards) => {
      const at = here() ?? { row: 0, column: 0 };
      const { view } = store.getState();
      const unrecorded = (row: number): number => session.rowCounts(view.storeRow(row))[3];
      goTo(
        view.rowCount === 0 ? null : nextUnrecorded(at, backwards, field(), unrecorded),
        t('No unrecorded cell in the items shown'),
      );
    },
    moveToContested: (backwards) => {
      const { view } = store.getState();
      const places: GridPosition[] = [];
      session.eachContested((row, column) => {
        const place = { row: view.displayRow(row), column: view.displayColumn(column) };
        if (place.row >= 0 && place.column >= 0) places.push(place);
      });
      goTo(nextOf(places, here(), backwards), t('No conflict in the items shown'));
    },
  };
}
