import type { CellAddress, MatrixSession, UndoOutcome } from '../../../data/store/port.ts';
import { plural } from '../../../state/format.ts';
import { itemName } from '../model/names.ts';
import { isSelected, rectsOf, sameSelection, type Selection } from '../model/selection.ts';
import { notify } from './editor-state.ts';
import type { Surroundings } from './recording.ts';
import { showFailure } from './storing.ts';

/** Items that news names one by one; more are counted. */
const NAMED = 3;

/** What undo or redo did, and what it left alone. */
function undoWords(
  session: MatrixSession,
  way: 'undo' | 'redo',
  { label, items, skippedCount, skippedItems }: UndoOutcome,
): string {
  const word = way === 'undo' ? 'Undone' : 'Redone';
  const nameAll = (uids: readonly string[]): string[] => uids.map((uid) => itemName(session, uid));
  const names = items.length <= NAMED ? nameAll(items).filter((name) => !label.includes(name)) : [];
  const left = [
    ...(skippedCount === 0 ? [] : [plural(skippedCount, 'cell')]),
    ...(skippedItems.length === 0
      ? []
      : [
          skippedItems.length <= NAMED
            ? `${skippedItems.length === 1 ? 'item' : 'items'} ${nameAll(skippedItems).join(', ')}`
            : plural(skippedItems.length, 'item'),
        ]),
  ].join(' and ');
  const isOne = skippedCount + skippedItems.length === 1;
  const done = `${word}: ${label}${names.length === 0 ? '' : ` (${names.join(', ')})`}.`;
  return left === ''
    ? done
    : `${done} ${left.charAt(0).toUpperCase()}${left.slice(1)} ${isOne ? 'was' : 'were'} left alone: changed by someone else since.`;
}

/** Undo and redo, each of which leads to what it changed. */
export function createUndoing(surroundings: Surroundings): (way: 'undo' | 'redo') => Promise<void> {
  const { session, store, announce } = surroundings;
  const lead = createLead(surroundings);
  let underWay = 0;
  const takeBack = async (way: 'undo' | 'redo'): Promise<void> => {
    const from = store.getState().selection;
    let outcome: UndoOutcome | null;
    try {
      outcome = await session[way]();
    } catch (error) {
      showFailure(store, `Could not ${way}`, error);
      return;
    }
    if (outcome === null) {
      announce(`Nothing to ${way}`);
      return;
    }
    store.setState({ copied: null });
    notify(store, undoWords(session, way, outcome));
    lead.to(outcome, from);
  };
  return async (way) => {
    if (underWay === 0) lead.forget();
    underWay += 1;
    try {
      await takeBack(way);
    } finally {
      underWay -= 1;
    }
  };
}

/**
 * Moves the selection to what was changed; but if the person has moved on while it was being
 * stored, the selection stays.
 */
function createLead({ store, goTo, reveal }: Surroundings): {
  to(outcome: UndoOutcome, from: Selection | null): void;
  forget(): void;
} {
  /** Where the last undo or redo under way has led the selection. */
  let led: Selection | null = null;
  return {
    forget: () => {
      led = null;
    },
    to: ({ cells, items, includes }, from) => {
      const { selection, view } = store.getState();
      if (!sameSelection(selection, from) && !sameSelection(selection, led)) return;
      const place = ({ item, rule }: CellAddress): [number, number] => [
        view.rowOf(item),
        view.columnOf(rule),
      ];
      const item = items.find((uid) => view.rowOf(uid) >= 0);
      const ofItem =
        item === undefined ? [] : [{ item, rule: selection?.focus.rule ?? view.ruleAt(0) }];
      const first = [...cells, ...ofItem].find((cell) => Math.min(...place(cell)) >= 0);
      if (first === undefined) return;
      const rects = rectsOf(selection, view);
      if (selection !== null && includes(selection.focus)) reveal(selection.focus);
      else if (cells.length > 0 && cells.every((cell) => isSelected(rects, ...place(cell))))
        reveal(first);
      else goTo(first);
      led = store.getState().selection;
    },
  };
}
