import { cellName, itemName, ruleName } from '../model/names.ts';
import { type CellState, UNRECORDED } from '../../../../shared/domain/outcome.ts';
import {
  type CellAddress,
  type CellBlock,
  type CellDetail,
  type CellPatch,
  type Edit,
  LEAVE,
  type MatrixSession,
  type Settling,
  type UndoOutcome,
} from '../../../data/store/port.ts';
import { formatCount, plural } from '../../../state/format.ts';
import { type EditorStore, tell } from './editor-state.ts';
import { replacedBy } from './reason.ts';
import {
  blocksOf,
  isSelected,
  rectsOf,
  sameSelection,
  type Selection,
  sizeOfAll,
} from '../model/selection.ts';
import { cellLabel, STATE_WORDS, stateKey } from '../model/states.ts';
import type { View } from '../model/view.ts';

/**
 * Recorded cells that one act may replace without a word in sight, and from how many on it asks
 * first.
 */
const REPLACED_QUIETLY = 20;
const REPLACED_ASKED = 200;

/** Items that news names one by one; more are counted. */
const NAMED = 3;

/** A letter typed there means the whole column, which is easily overlooked. */
const isHeadingFocused = (): boolean =>
  'document' in globalThis &&
  document.activeElement !== null &&
  document.activeElement.closest('.ag-header-cell') !== null;

const hasDetail = ({ source_value, notes, provenance }: CellDetail): boolean =>
  source_value !== null || notes !== null || provenance !== null;

interface Surroundings {
  session: MatrixSession;
  store: EditorStore;
  announce(text: string): void;
  goTo(cell: CellAddress): void;
  reveal(cell: CellAddress): void;
}

export interface Recording {
  record(state: CellState): Promise<void>;
  clear(everything: boolean): Promise<void>;
  /**
   * How many cells changed; undefined where nothing was recorded. A failure is told to the user and
   * never thrown.
   */
  write(
    label: string,
    cells: readonly CellAddress[],
    patch: CellPatch | ((cell: CellAddress) => CellPatch),
    why?: string,
  ): Promise<number | undefined>;
  /**
   * One gesture of rows, blocks and cells; undefined where nothing was recorded, which the user has
   * been told.
   */
  apply(edit: Edit): Promise<{ items: number; cells: number } | undefined>;
  /**
   * Like `apply`, for one key or one stroke: says in sight that many recorded cells were replaced,
   * and asks first where they are very many.
   */
  replace(
    edit: Edit,
    words: (done: { cells: number; replaced: number }) => { text: string; isSeen: boolean },
  ): Promise<void>;
  /**
   * Settles what is contested, as one gesture; answers whether anything was settled, which is told
   * either way.
   */
  settle(settlings: readonly Settling[], why: string, label: string): Promise<boolean>;
  retrace(way: 'undo' | 'redo'): Promise<void>;
}

/**
 * Everything that changes evidence: one call of the session a gesture, and words for what came of
 * it.
 */
export function createRecording({
  session,
  store,
  announce,
  goTo,
  reveal,
}: Surroundings): Recording {
  const get = store.getState;

  const fail = (what: string, error: unknown): void => {
    const reason = error instanceof Error ? error.message : String(error);
    tell(store, `${what}: ${reason}`, 'problem');
  };

  /** As the session has it now: a contested cell stays contested when another value is recorded. */
  const nameOf = ({ item, rule }: CellAddress): string => {
    const [row, column] = [session.rowOf(item), session.columnOf(rule)];
    return cellLabel(
      itemName(session, item),
      ruleName(session, rule),
      session.state(row, column),
      session.contested(row, column),
    );
  };
  const write: Recording['write'] = async (label, cells, patch, why) => {
    try {
      const { written } = await session.write(label, cells, patch, why);
      if (get().notice?.tone === 'problem' || get().notice?.undo === true)
        store.setState({ notice: null });
      return written;
    } catch (error) {
      fail('Not saved', error);
      return undefined;
    }
  };
  const apply: Recording['apply'] = async (edit) => {
    try {
      const done = await session.apply(edit);
      if (get().notice?.tone === 'problem' || get().notice?.undo === true)
        store.setState({ notice: null });
      return done;
    } catch (error) {
      fail('Not saved', error);
      return undefined;
    }
  };
  /** Before a reason is asked for, the dialog for it says how many cells change. */
  const isAsked = (replaced: number): boolean =>
    (replaced >= REPLACED_ASKED || (replaced > 0 && isHeadingFocused())) &&
    !get().preferences.askReason;
  const replace: Recording['replace'] = async (edit, words) => {
    const replaced = replacedBy(session, edit);
    const wasAsked = isAsked(replaced);
    if (
      wasAsked &&
      !(await new Promise<boolean>((answer) =>
        store.setState({ replacing: { replaced, label: edit.label, answer } }),
      ))
    )
      return announce('Left as it is');
    const done = await apply(edit);
    if (done === undefined) return undefined;
    const { text, isSeen } = words({ cells: done.cells, replaced });
    if (wasAsked || replaced > REPLACED_QUIETLY)
      tell(
        store,
        isSeen ? text : `${plural(replaced, 'recorded cell')} replaced. ${text}.`,
        'plain',
        true,
      );
    else if (isSeen) tell(store, text);
    else announce(text);
    return undefined;
  };
  const setSelected = async (
    parts: (selection: Selection, view: View) => Pick<Edit, 'blocks' | 'cells'>,
    words: string,
  ): Promise<void> => {
    const { selection, view } = get();
    const size = sizeOfAll(rectsOf(selection, view));
    if (selection === null || size === 0) return;
    const { focus } = selection;
    const label =
      size === 1
        ? `Set ${cellName(session, focus)} to ${words}`
        : `Set ${plural(size, 'cell')} to ${words}`;
    const edit = { label, ...parts(selection, view) };
    if (size > 1)
      return replace(edit, ({ cells }) => ({
        text:
          cells > 0
            ? `${plural(size, 'cell')}: ${words}`
            : `No change: ${plural(size, 'cell')} already ${words}`,
        isSeen: false,
      }));
    if ((await apply(edit)) !== undefined) announce(nameOf(focus));
  };
  /** Only cells with details are named one by one. */
  const withoutDetails = (selection: Selection, view: View): Pick<Edit, 'blocks' | 'cells'> => {
    const blocks = blocksOf(selection, view, null);
    const cells = blocks.flatMap(({ items, rules }) =>
      items.flatMap((item) => {
        const row = session.rowOf(item);
        return rules
          .filter((rule) => hasDetail(session.detail(row, session.columnOf(rule))))
          .map((rule) => ({
            item,
            rule,
            patch: { raw_outcome: null, source_value: null, notes: null, provenance: null },
          }));
      }),
    );
    const named = new Set(cells.map(({ item, rule }) => `${rule} ${item}`));
    const states = ({ items, rules }: CellBlock): Uint8Array =>
      Uint8Array.from(
        items.flatMap((item) =>
          rules.map((rule) => (named.has(`${rule} ${item}`) ? LEAVE : UNRECORDED)),
        ),
      );
    return {
      blocks:
        named.size === 0 ? blocks : blocks.map((block) => ({ ...block, states: states(block) })),
      cells,
    };
  };

  /** Where the last undo or redo under way has led the selection. */
  let led: Selection | null = null;
  let underWay = 0;
  /**
   * Moves the selection to what was changed; but if the person has moved on while it was being
   * stored, the selection stays.
   */
  const lead = ({ cells, items, includes }: UndoOutcome, from: Selection | null): void => {
    const { selection, view } = get();
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
    led = get().selection;
  };
  const takeBack = async (way: 'undo' | 'redo'): Promise<void> => {
    const from = get().selection;
    const word = way === 'undo' ? 'Undone' : 'Redone';
    let outcome: UndoOutcome | null;
    try {
      outcome = await session[way]();
    } catch (error) {
      fail(`Could not ${way}`, error);
      return;
    }
    if (outcome === null) {
      announce(`Nothing to ${way}`);
      return;
    }
    const { label, items, skippedCount, skippedItems } = outcome;
    const names =
      items.length > 0 && items.length <= NAMED
        ? items.map((uid) => itemName(session, uid)).filter((name) => !label.includes(name))
        : [];
    const left = [
      ...(skippedCount === 0 ? [] : [plural(skippedCount, 'cell')]),
      ...(skippedItems.length === 0
        ? []
        : [
            skippedItems.length <= NAMED
              ? `${skippedItems.length === 1 ? 'item' : 'items'} ${skippedItems.map((uid) => itemName(session, uid)).join(', ')}`
              : plural(skippedItems.length, 'item'),
          ]),
    ].join(' and ');
    const isOne = skippedCount + skippedItems.length === 1;
    const text = `${word}: ${label}${names.length === 0 ? '' : ` (${names.join(', ')})`}.${left === '' ? '' : ` ${left.charAt(0).toUpperCase()}${left.slice(1)} ${isOne ? 'was' : 'were'} left alone: changed by someone else since.`}`;
    tell(store, text);
    lead(outcome, from);
  };
  const retrace = async (way: 'undo' | 'redo'): Promise<void> => {
    if (underWay === 0) led = null;
    underWay += 1;
    try {
      await takeBack(way);
    } finally {
      underWay -= 1;
    }
  };

  return {
    record: (state) =>
      setSelected(
        (selection, view) => ({ blocks: blocksOf(selection, view, state) }),
        STATE_WORDS[stateKey(state)].full,
      ),
    clear: (everything) =>
      everything
        ? setSelected(withoutDetails, 'unrecorded, without details')
        : setSelected(
            (selection, view) => ({ blocks: blocksOf(selection, view, null) }),
            'unrecorded',
          ),
    write,
    apply,
    replace,
    settle: async (settlings, why, label) => {
      try {
        const { settled, left } = await session.settle(settlings, why, label);
        const words = [
          ...(settled === 0 ? [] : [`${label}: ${formatCount(settled)} resolved`]),
          ...(left.length === 0
            ? []
            : [
                `${plural(left.length, 'choice')} not applied: other values have come meanwhile. Look again.`,
              ]),
        ].join('. ');
        if (left.length > 0) tell(store, words, 'problem');
        else tell(store, words);
        return settled > 0;
      } catch (error) {
        fail('Not resolved', error);
        return false;
      }
    },
    retrace,
  };
}
