import { codeOf } from '../../../../shared/domain/outcome.ts';
import {
  LEAVE,
  MAX_EDIT_CELLS,
  type CellBlock,
  type CellPatch,
  type CellAddress,
  type MatrixSession,
} from '../../../data/store/port.ts';

export interface CarryCounts {
  /** Written into the target. */
  copied: number;
  /** Already recorded in the target: left as they are. */
  kept: number;
  /** Two people disagree on the source: nobody's value is chosen here. */
  contested: number;
  /** Undo steps made. */
  gestures: number;
}

export interface CarryOptions {
  signal: AbortSignal;
  onProgress: (done: number, all: number) => void;
  /** Lets the window draw between parts. */
  pause: () => Promise<void>;
}

/** A gesture's block and its single cells together stay below the most that one may hold. */
const PART = MAX_EDIT_CELLS / 2;
/** Cells looked at between two drawings. */
const AT_ONCE = 200_000;

export const pause = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve);
  });

type CarryReads = Pick<
  MatrixSession,
  'state' | 'detail' | 'contested' | 'rowOf' | 'columnOf' | 'items'
>;

function isRecorded(session: CarryReads, row: number, column: number): boolean {
  if (session.state(row, column) !== null || session.contested(row, column)) return true;
  const { source_value, notes, provenance } = session.detail(row, column);
  return source_value !== null || notes !== null || provenance !== null;
}

/**
 * The part of one gesture: outcomes alone in a block, cells with a source, notes or provenance one
 * by one.
 */
function partOf(
  source: CarryReads,
  target: CarryReads,
  rules: readonly string[],
  uids: readonly string[],
) {
  const items = uids.filter((uid) => source.rowOf(uid) >= 0 && target.rowOf(uid) >= 0);
  const states = new Uint8Array(items.length * rules.length).fill(LEAVE);
  const cells: (CellAddress & { patch: CellPatch })[] = [];
  const counts = { copied: 0, kept: 0, contested: 0 };
  const columns = rules.map((rule) => ({
    rule,
    here: source.columnOf(rule),
    there: target.columnOf(rule),
  }));
  let at = -1;
  for (const item of items) {
    const row = source.rowOf(item);
    const goal = target.rowOf(item);
    for (const { rule, here, there } of columns) {
      at += 1;
      if (!isRecorded(source, row, here)) continue;
      if (isRecorded(target, goal, there)) counts.kept += 1;
      else if (source.contested(row, here)) counts.contested += 1;
      else {
        counts.copied += 1;
        const raw_outcome = source.state(row, here);
        const { source_value, notes, provenance } = source.detail(row, here);
        if (raw_outcome === null || source_value !== null || notes !== null || provenance !== null)
          cells.push({ item, rule, patch: { raw_outcome, source_value, notes, provenance } });
        else states[at] = codeOf(raw_outcome);
      }
    }
  }
  const block: CellBlock = { items, rules, states };
  return { block, cells, counts };
}

/** How many undo steps a carry of so many rows takes. */
export const gesturesFor = (items: number, rules: number): number =>
  rules === 0 ? 0 : Math.ceil(items / Math.floor(PART / rules));

/**
 * Copies outcome, source value, notes and provenance of these rules into the other version's
 * matrix, where nothing is recorded yet. What the target holds is looked at just before each
 * gesture; the source is only read. Stopping leaves whole gestures behind.
 */
export async function carryCells(
  source: CarryReads,
  target: MatrixSession,
  rules: readonly string[],
  label: string,
  why: string,
  { signal, onProgress, pause }: CarryOptions,
): Promise<CarryCounts> {
  const total: CarryCounts = { copied: 0, kept: 0, contested: 0, gestures: 0 };
  // Between two parts others may add, move and remove rows.
  const uids = source.items.map((item) => item.item_uid);
  const all = uids.length;
  const height = Math.floor(PART / Math.max(1, rules.length));
  for (let from = 0; from < all && rules.length > 0 && !signal.aborted; from += height) {
    const to = Math.min(all, from + height);
    const { block, cells, counts } = partOf(source, target, rules, uids.slice(from, to));
    total.kept += counts.kept;
    total.contested += counts.contested;
    if (counts.copied > 0) {
      await target.apply({ label, why, blocks: [block], cells });
      total.copied += counts.copied;
      total.gestures += 1;
    }
    onProgress(to, all);
    await pause();
  }
  return total;
}

export interface RuleCount {
  recorded: number;
  /** Of those, with nothing recorded in the target yet. */
  open: number;
}

/** Cells recorded under each rule of the source, without writing anything. */
export async function countCells(
  source: CarryReads,
  target: CarryReads,
  rules: readonly string[],
  { signal, pause }: Pick<CarryOptions, 'signal' | 'pause'>,
): Promise<Map<string, RuleCount>> {
  const counts = new Map<string, RuleCount>(rules.map((rule) => [rule, { recorded: 0, open: 0 }]));
  const step = Math.max(1, Math.floor(AT_ONCE / Math.max(1, rules.length)));
  const { items } = source;
  for (const [index, { item_uid }] of items.entries()) {
    if (index % step === step - 1) await pause();
    if (signal.aborted) break;
    const row = source.rowOf(item_uid);
    const goal = target.rowOf(item_uid);
    if (row < 0) continue;
    for (const rule of rules) {
      const here = source.columnOf(rule);
      if (here < 0 || !isRecorded(source, row, here)) continue;
      const count = counts.get(rule)!;
      count.recorded += 1;
      const there = target.columnOf(rule);
      if (goal >= 0 && there >= 0 && !isRecorded(target, goal, there)) count.open += 1;
    }
  }
  return counts;
}
