import type { CellState } from '../../../shared/domain/outcome.ts';
import type { CellAddress, CellPatch, MatrixSession, UndoOutcome } from '../../data/port.ts';
import { plural } from '../../state/format.ts';
import type { PastePlan } from './clipboard.ts';
import type { EditorStore } from './editor-state.ts';
import { cellsIn, disjoint, rectsOf, sameSelection, type Selection } from './selection.ts';
import { cellLabel, STATE_WORDS, stateKey } from './states.ts';

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
  /** How many cells changed; undefined where nothing was recorded. A failure is told to the user and never thrown. */
  write(label: string, cells: readonly CellAddress[], patch: CellPatch | ((cell: CellAddress) => CellPatch), why?: string): Promise<number | undefined>;
  /** All cells of a paste in one gesture. */
  paste(plan: PastePlan): Promise<void>;
  /** Settles a contested cell. */
  resolve(cell: CellAddress, patch: CellPatch, why: string): Promise<void>;
  retrace(way: 'undo' | 'redo'): Promise<void>;
}

/** Everything that changes evidence: one call of the session a gesture, and words for what came of it. */
export function createRecording({ session, store, announce, goTo, reveal }: Surroundings): Recording {
  const get = store.getState;

  const fail = (what: string, error: unknown): void => {
    const reason = error instanceof Error ? error.message : String(error);
    store.setState({ notice: { text: `${what}: ${reason}`, tone: 'problem' }, announcement: { text: `${what}: ${reason}` } });
  };

  /** As the session has it now: a contested cell stays contested when another value is recorded. */
  const nameOf = ({ item, rule }: CellAddress): string => {
    const [row, column] = [session.rowOf(item), session.columnOf(rule)];
    return cellLabel(item, rule, session.state(row, column), session.contested(row, column));
  };
  const selected = (): CellAddress[] => disjoint(rectsOf(get().selection, get().view)).flatMap((rect) => cellsIn(rect, get().view));
  const write: Recording['write'] = async (label, cells, patch, why) => {
    try {
      const { written } = await session.write(label, cells, patch, why);
      if (get().notice?.tone === 'problem') store.setState({ notice: null });
      return written;
    } catch (error) {
      fail('Not saved', error);
      return undefined;
    }
  };
  const setSelected = async (patch: CellPatch, words: string): Promise<void> => {
    const cells = selected();
    const first = cells[0];
    if (first === undefined) return;
    const label = cells.length === 1 ? `Set ${first.item}, ${first.rule} to ${words}` : `Set ${plural(cells.length, 'cell')} to ${words}`;
    const written = await write(label, cells, patch);
    if (written === undefined) return;
    if (cells.length === 1) announce(nameOf(first));
    else announce(written > 0 ? `${plural(cells.length, 'cell')}: ${words}` : `No change: ${plural(cells.length, 'cell')} already ${words}`);
  };

  /** Where the last of the retraces under way has led the selection. */
  let led: Selection | null = null;
  let underWay = 0;
  /** Leads to what was changed; where the person has gone on while it was being stored, the next key is meant for there. */
  const lead = (cells: readonly CellAddress[], from: Selection | null): void => {
    const { selection, view } = get();
    if (!sameSelection(selection, from) && !sameSelection(selection, led)) return;
    const first = cells.find((cell) => view.rowOf(cell.item) >= 0);
    if (first === undefined) return;
    if (cells.some((cell) => cell.item === selection?.focus.item && cell.rule === selection.focus.rule)) reveal(selection?.focus ?? first);
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
    const skipped = outcome.skippedCount === 0 ? '' : ` ${plural(outcome.skippedCount, 'cell was', 'cells were')} left alone: changed by someone else since.`;
    const text = `${word}: ${outcome.label}.${skipped}`;
    store.setState({ notice: { text, tone: 'plain' }, announcement: { text } });
    lead(outcome.cells, from);
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
    record: (state) => setSelected({ raw_outcome: state }, STATE_WORDS[stateKey(state)].full),
    clear: (everything) => setSelected(everything ? { raw_outcome: null, source_value: null, notes: null, provenance: null } : { raw_outcome: null }, everything ? 'unrecorded, without details' : 'unrecorded'),
    write,
    paste: async (plan) => {
      const states = new Map(plan.cells.map((cell) => [`${cell.rule} ${cell.item}`, cell.state]));
      const written = await write(`Paste ${plural(plan.cells.length, 'cell')}`, plan.cells.map(({ item, rule }) => ({ item, rule })), ({ item, rule }) => ({ raw_outcome: states.get(`${rule} ${item}`) ?? null }), 'Pasted');
      if (written !== undefined) announce(`${plural(written, 'cell')} pasted`);
    },
    resolve: async (cell, patch, why) => {
      try {
        await session.resolve(cell, patch, why);
        announce(`Settled: ${nameOf(cell)}`);
      } catch (error) {
        fail('Not settled', error);
      }
    },
    retrace,
  };
}
