import type { ItemField } from '../../../sync/register.ts';
import type { HeadRef, UndoStepRow } from '../store/db.ts';
import type { CellDetail } from '../store/port.ts';
import type { ReplicaState } from './replica-state.ts';

export const WROTE_ASSERTION = 1;
export const WROTE_NOTES = 2;

/** Heads of many cells, by numbers of this replica; 0 is none. */
export interface StepHeads {
  ref: Uint32Array;
  entry: Uint16Array;
}

export interface StepDetail {
  before: CellDetail;
  after: CellDetail;
  /** Heads of the notes, where notes were written. */
  head: HeadRef | null;
  previous: HeadRef | null;
  root: HeadRef | null;
}

/** A written field of a row. `before` is its value before; the heads are as in `UndoStep`. */
export interface StepRow {
  item: string;
  field: ItemField;
  before: unknown;
  head: HeadRef;
  previous: HeadRef | null;
  root: HeadRef | null;
}

/** One head of a contested register: its value, and the entry that first said it. */
export interface ContestHead {
  head: HeadRef;
  value: unknown;
  of: string;
}

/**
 * A register that was settled, or made contested again. `heads` are those that contradict each
 * other, the displayed one first; `value` is what settles them.
 */
export interface StepResolution {
  reg: string;
  op: 'resolve' | 'set';
  heads: ContestHead[];
  value: unknown;
  /** The entries that an outcome comes from. */
  from?: readonly string[];
  head: HeadRef;
  previous: HeadRef;
  root: HeadRef | null;
}

/**
 * One step of the undo journal. `head` is the head that the step wrote and `previous` the one
 * displayed before it. An undo or redo writes a new change that brings back an older state; `root`
 * is the head that first showed that state. Steps below recognise by the root that the state they
 * wrote is displayed again.
 */
export interface UndoStep extends Omit<
  UndoStepRow,
  'matrix' | 'ids' | 'head' | 'former' | 'root' | 'details' | 'rows' | 'turns'
> {
  head: StepHeads;
  previous: StepHeads;
  root: StepHeads | null;
  details: Record<number, StepDetail>;
  rows: StepRow[];
  /**
   * A step either writes values or settles contested registers; where there are resolutions, the
   * other members are empty.
   */
  resolutions: StepResolution[];
}

export const noHeads = (length: number): StepHeads => ({
  ref: new Uint32Array(length),
  entry: new Uint16Array(length),
});

/** Numbers things in the order of their first use. */
function placer(most: number): { place(thing: number): number; things: number[] } {
  const places = new Int32Array(most);
  const things: number[] = [];
  return { things, place: (thing) => (places[thing] ||= things.push(thing)) - 1 };
}

/** An empty record for these cells. */
export function newStep(
  state: ReplicaState,
  cells: ArrayLike<number>,
  about: Pick<UndoStep, 'id' | 'stack' | 'label' | 'why' | 'at'>,
): UndoStep {
  const { length } = cells;
  const { columns } = state.store;
  const items = placer(length === 0 ? 0 : state.items.length);
  const rules = placer(columns);
  const item = new Uint32Array(length);
  const rule = new Uint16Array(length);
  for (let at = 0; at < length; at += 1) {
    const cell = cells[at]!;
    const itemIndex = Math.floor(cell / columns);
    item[at] = items.place(itemIndex);
    rule[at] = rules.place(cell - itemIndex * columns);
  }
  return {
    ...about,
    item,
    rule,
    items: items.things.map((itemIndex) => state.items[itemIndex]?.item_uid ?? ''),
    rules: rules.things.map((column) => state.rules[column] ?? ''),
    wrote: new Uint8Array(length),
    before: new Uint8Array(length),
    after: new Uint8Array(length),
    head: noHeads(length),
    previous: noHeads(length),
    root: null,
    details: {},
    rows: [],
    resolutions: [],
  };
}
