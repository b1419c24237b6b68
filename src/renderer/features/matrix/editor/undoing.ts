import type { CellAddress, MatrixSession, UndoOutcome } from '../../../data/store/port.ts';
import { itemName } from '../model/names.ts';
import { isSelected, rectsOf, sameSelection, type Selection } from '../model/selection.ts';
import { notify } from './editor-state.ts';
import type { Surroundings } from './recording.ts';
import { showFailure } from './storing.ts';
import { t } from '../../../text/t.ts';

/** Items that news names one by one; more are counted. */
const NAMED = 3;

/** What undo or redo did, and what it left alone. */
function undoWords(
  session: MatrixSession,
  way: 'undo' | 'redo',
  { label, items, skippedCount, skippedItems }: UndoOutcome,
): string {
  const nameAll = (uids: readonly string[]): string[] => uids.map((uid) => itemName(session, uid));
  const names = items.length <= NAMED ? nameAll(items).filter((name) => !label.includes(name)) : [];
  const step = names.length === 0 ? label : `${label} (${names.join(', ')})`;
  const done = way === 'undo' ? t('Undone: {step}.', { step }) : t('Redone: {step}.', { step });
  const left = leftAloneWords(
    skippedCount,
    skippedItems.length,
    skippedItems.length <= NAMED ? nameAll(skippedItems).join(', ') : '',
  );
  return left === '' ? done : `${done} ${left}`;
}

/** `names`: of the items, where they are few. */
function leftAloneWords(cells: number, items: number, names: string): string {
  if (items === 0)
    return cells === 0
      ? ''
      : t(
          '{cells, plural, one {# cell was} other {# cells were}} left alone: changed by someone else since.',
          { cells },
        );
  if (cells === 0)
    return names === ''
      ? t(
          '{items, plural, one {# item was} other {# items were}} left alone: changed by someone else since.',
          { items },
        )
      : t(
          '{items, plural, one {Item {names} was} other {Items {names} were}} left alone: changed by someone else since.',
          { items, names },
        );
  return names === ''
    ? t(
        '{cells, plural, one {# cell} other {# cells}} and {items, plural, one {# item} other {# items}} were left alone: changed by someone else since.',
        { cells, items },
      )
    : t(
        '{cells, plural, one {# cell} other {# cells}} and {items, plural, one {item {names}} other {items {names}}} were left alone: changed by someone else since.',
        { cells, items, names },
      );
}

/** Undo and redo, each of which leads to what it changed. */
export function createUndoing(surroundings: Surroundings): (way: 'undo' | 'redo') => Promise<void> {
  const { session, store, announce } = surroundings;
  const lead = createLead(surroundings);
  let underWay = 0;
  const takeBack = async (way: 'undo' | 'redo'): Promise<void> => {
    const from = store.getState().selection;
    const hasGone = surroundings.watchFocus();
    let outcome: UndoOutcome | null;
    try {
      outcome = await session[way]();
    } catch (error) {
      showFailure(store, way === 'undo' ? t('Could not undo') : t('Could not redo'), error);
      return;
    }
    if (outcome === null) {
      announce(way === 'undo' ? t('Nothing to undo') : t('Nothing to redo'));
      return;
    }
    store.setState({ copied: null });
    notify(store, undoWords(session, way, outcome));
    if (!hasGone()) lead.to(outcome, from);
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
