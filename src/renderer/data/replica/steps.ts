import type { ItemField } from '../../../sync/register.ts';
import type { GestureRow, HeadRef, StoredHead, StoredHeads } from '../store/db.ts';
import type { Names } from '../store/names.ts';
import type { CellDetail } from '../store/port.ts';
import type { ReplicaState } from './replica-state.ts';

export const WROTE_ASSERTION = 1;
export const WROTE_NOTES = 2;

/** Heads of many cells, by numbers of this replica; 0 is none. */
export interface Heads {
  ref: Uint32Array;
  entry: Uint16Array;
}

export interface StepDetail {
  before: CellDetail;
  after: CellDetail;
  /** Heads of the notes, where notes were written. */
  head: HeadRef | null;
  former: HeadRef | null;
  root: HeadRef | null;
}

/** A written field of a row. `before` is its former value; the heads are as in `Step`. */
export interface RowStep {
  item: string;
  field: ItemField;
  before: unknown;
  head: HeadRef;
  former: HeadRef | null;
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
export interface StepTurn {
  reg: string;
  op: 'resolve' | 'set';
  heads: ContestHead[];
  value: unknown;
  head: HeadRef;
  former: HeadRef;
  root: HeadRef | null;
}

/**
 * One step of the undo journal. `head` is the head that the step wrote and `former` the one
 * displayed before it. An undo or redo writes a new change that brings back an older state; `root`
 * is the head that first showed that state. Steps below recognise by the root that the state they
 * wrote is displayed again.
 */
export interface Step extends Omit<
  GestureRow,
  'matrix' | 'ids' | 'head' | 'former' | 'root' | 'details' | 'rows' | 'turns'
> {
  head: Heads;
  former: Heads;
  root: Heads | null;
  details: Record<number, StepDetail>;
  rows: RowStep[];
  /**
   * A step either writes values or settles contested registers; where there are turns, the other
   * members are empty.
   */
  turns: StepTurn[];
}

export const noHeads = (length: number): Heads => ({
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
  about: Pick<Step, 'id' | 'stack' | 'label' | 'why' | 'at'>,
): Step {
  const { length } = cells;
  const { columns } = state.store;
  const items = placer(length === 0 ? 0 : state.items.length);
  const rules = placer(columns);
  const item = new Uint32Array(length);
  const rule = new Uint16Array(length);
  for (let at = 0; at < length; at += 1) {
    const cell = cells[at]!;
    const slot = Math.floor(cell / columns);
    item[at] = items.place(slot);
    rule[at] = rules.place(cell - slot * columns);
  }
  return {
    ...about,
    item,
    rule,
    items: items.things.map((slot) => state.items[slot]?.item_uid ?? ''),
    rules: rules.things.map((column) => state.rules[column] ?? ''),
    wrote: new Uint8Array(length),
    before: new Uint8Array(length),
    after: new Uint8Array(length),
    head: noHeads(length),
    former: noHeads(length),
    root: null,
    details: {},
    rows: [],
    turns: [],
  };
}

/** The step in its stored form. Every change that it names must be sealed by now. */
export function stepToRow(step: Step, matrix: string, names: Names): GestureRow {
  const ids = [''];
  const places = new Map<number, number>([[0, 0]]);
  let [last, lastPlace] = [0, 0];
  const place = (ref: number): number => {
    if (ref === last) return lastPlace;
    let index = places.get(ref);
    if (index === undefined) {
      places.set(ref, (index = ids.length));
      ids.push(names.id(ref) ?? '');
    }
    [last, lastPlace] = [ref, index];
    return index;
  };
  const many = ({ ref, entry }: Heads): StoredHeads => ({ id: ref.map(place), entry });
  const one = (head: HeadRef | null): StoredHead =>
    head === null ? [0, 0] : [place(head[0]), head[1]];
  const details: GestureRow['details'] = {};
  for (const [at, detail] of Object.entries(step.details))
    details[Number(at)] = {
      ...detail,
      head: one(detail.head),
      former: one(detail.former),
      root: one(detail.root),
    };
  const rows = step.rows.map((row) => ({
    ...row,
    head: one(row.head),
    former: one(row.former),
    root: one(row.root),
  }));
  const turns = step.turns.map((turn) => ({
    ...turn,
    heads: turn.heads.map((head) => ({ ...head, head: one(head.head) })),
    head: one(turn.head),
    former: one(turn.former),
    root: one(turn.root),
  }));
  return {
    ...step,
    matrix,
    head: many(step.head),
    former: many(step.former),
    root: step.root === null ? null : many(step.root),
    details,
    rows,
    turns,
    ids,
  };
}

export function rowToStep(row: GestureRow, names: Names): Step {
  // A change that this replica does not know gets a number all the same, so that two such changes
  // are told apart.
  const refs = row.ids.map((id, at) => (at === 0 ? 0 : names.intern(id, '', false)));
  const many = ({ id, entry }: StoredHeads): Heads => ({
    ref: id.map((place) => refs[place] ?? 0),
    entry,
  });
  const one = ([id, entry]: StoredHead): HeadRef | null =>
    id === 0 ? null : [refs[id] ?? 0, entry];
  const details: Step['details'] = {};
  for (const [at, detail] of Object.entries(row.details))
    details[Number(at)] = {
      ...detail,
      head: one(detail.head),
      former: one(detail.former),
      root: one(detail.root),
    };
  const { matrix: _, ids: __, ...rest } = row;
  const rows = row.rows.map((written): RowStep => ({
    ...written,
    head: one(written.head) ?? [0, 0],
    former: one(written.former),
    root: one(written.root),
  }));
  const sure = (head: StoredHead): HeadRef => one(head) ?? [0, 0];
  const turns = row.turns.map((turn): StepTurn => ({
    ...turn,
    heads: turn.heads.map((head) => ({ ...head, head: sure(head.head) })),
    head: sure(turn.head),
    former: sure(turn.former),
    root: one(turn.root),
  }));
  return {
    ...rest,
    head: many(row.head),
    former: many(row.former),
    root: row.root === null ? null : many(row.root),
    details,
    rows,
    turns,
  };
}

/** More than the entries of any change (MAX_ENTRIES), so that change and entry fit one number. */
const STRIDE = 4_096;
export const keyOf = (ref: number, entry: number): number => ref * STRIDE + entry;

/** Knows which head first showed the state that an undo or redo brought back. */
export class Roots {
  /** Roots as numbers, by change and then by entry; NaN for an entry that brought nothing back. */
  readonly #roots = new Map<number, Float64Array>();
  #last = -1;
  #ofLast: Float64Array | undefined;

  #ofChange(ref: number): Float64Array | undefined {
    if (ref !== this.#last) [this.#last, this.#ofLast] = [ref, this.#roots.get(ref)];
    return this.#ofLast;
  }
  /** The root of a head as one number. A head that brought nothing back is its own root. */
  of(ref: number, entry: number): number {
    const root = this.#ofChange(ref)?.[entry];
    return root === undefined || Number.isNaN(root) ? keyOf(ref, entry) : root;
  }
  ofHead(head: HeadRef | null): number {
    return head === null ? 0 : this.of(head[0], head[1]);
  }
  #set(ref: number, entry: number, root: number): void {
    let roots = this.#ofChange(ref);
    if (roots === undefined || entry >= roots.length) {
      const more = new Float64Array(Math.min(STRIDE, Math.max(4, 2 * entry))).fill(NaN);
      if (roots !== undefined) more.set(roots);
      this.#roots.set(ref, (roots = this.#ofLast = more));
    }
    roots[entry] = root;
  }

  add(step: Step): void {
    const { head, root, wrote } = step;
    for (const turn of step.turns)
      if (turn.root !== null) this.#set(...turn.head, keyOf(...turn.root));
    if (root === null) return;
    for (let at = 0; at < wrote.length; at += 1) {
      if ((wrote[at]! & WROTE_ASSERTION) !== 0)
        this.#set(head.ref[at]!, head.entry[at]!, keyOf(root.ref[at]!, root.entry[at]!));
    }
    for (const written of [...Object.values(step.details), ...step.rows]) {
      if (written.head !== null)
        this.#set(...written.head, written.root === null ? 0 : keyOf(...written.root));
    }
  }
}

/** The head behind a root's number. */
export const headOfKey = (key: number): HeadRef | null =>
  key === 0 ? null : [Math.floor(key / STRIDE), key % STRIDE];
