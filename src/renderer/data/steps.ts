import type { GestureRow, HeadRef, StoredHead, StoredHeads } from './db.ts';
import type { Names } from './names.ts';
import type { CellDetail } from './port.ts';
import type { ReplicaState } from './replica-state.ts';

export const WROTE_ASSERTION = 1;
export const WROTE_NOTES = 2;

/** Heads of many cells by replica-local numbers; 0 is none. */
export interface Heads { ref: Uint32Array; entry: Uint16Array }

export interface StepDetail {
  before: CellDetail;
  after: CellDetail;
  /** Of the notes, where they were written. */
  head: HeadRef | null;
  former: HeadRef | null;
  root: HeadRef | null;
}

/**
 * One step of the undo journal. `head` is what it wrote, `former` what was displayed before. Undoing or redoing writes a new change that brings
 * back an older state; its `root` is the head that first showed that state, so that the steps below find "theirs" still standing.
 */
export interface Step extends Omit<GestureRow, 'matrix' | 'ids' | 'head' | 'former' | 'root' | 'details'> {
  head: Heads;
  former: Heads;
  root: Heads | null;
  details: Record<number, StepDetail>;
}

export const noHeads = (length: number): Heads => ({ ref: new Uint32Array(length), entry: new Uint16Array(length) });

/** An empty record for these cells. */
export function newStep(state: ReplicaState, cells: readonly number[], about: Pick<Step, 'id' | 'stack' | 'label' | 'why' | 'at'>): Step {
  const { length } = cells;
  const items = new Map<number, number>();
  const rules = new Map<number, number>();
  const item = new Uint32Array(length);
  const rule = new Uint16Array(length);
  const place = (map: Map<number, number>, key: number): number => {
    let index = map.get(key);
    if (index === undefined) map.set(key, (index = map.size));
    return index;
  };
  cells.forEach((cell, at) => {
    const slot = Math.floor(cell / state.store.columns);
    item[at] = place(items, slot);
    rule[at] = place(rules, cell - slot * state.store.columns);
  });
  return {
    ...about, item, rule,
    items: [...items.keys()].map((slot) => state.items[slot]?.item_uid ?? ''),
    rules: [...rules.keys()].map((column) => state.rules[column] ?? ''),
    wrote: new Uint8Array(length), before: new Uint8Array(length), after: new Uint8Array(length),
    head: noHeads(length), former: noHeads(length), root: null, details: {},
  };
}

/** The step as it is stored. Every change that it names must be sealed by now. */
export function stepToRow(step: Step, matrix: string, names: Names): GestureRow {
  const ids = [''];
  const places = new Map<number, number>([[0, 0]]);
  const place = (ref: number): number => {
    let index = places.get(ref);
    if (index === undefined) {
      places.set(ref, (index = ids.length));
      ids.push(names.id(ref) ?? '');
    }
    return index;
  };
  const many = ({ ref, entry }: Heads): StoredHeads => ({ id: ref.map(place), entry });
  const one = (head: HeadRef | null): StoredHead => (head === null ? [0, 0] : [place(head[0]), head[1]]);
  const details: GestureRow['details'] = {};
  for (const [at, detail] of Object.entries(step.details)) details[Number(at)] = { ...detail, head: one(detail.head), former: one(detail.former), root: one(detail.root) };
  return { ...step, matrix, head: many(step.head), former: many(step.former), root: step.root === null ? null : many(step.root), details, ids };
}

export function rowToStep(row: GestureRow, names: Names): Step {
  // A change that a replica read anew has not met gets a number all the same: two of them must not look like one.
  const refs = row.ids.map((id, at) => (at === 0 ? 0 : names.intern(id, '', false)));
  const many = ({ id, entry }: StoredHeads): Heads => ({ ref: id.map((place) => refs[place] ?? 0), entry });
  const one = ([id, entry]: StoredHead): HeadRef | null => (id === 0 ? null : [refs[id] ?? 0, entry]);
  const details: Step['details'] = {};
  for (const [at, detail] of Object.entries(row.details)) details[Number(at)] = { ...detail, head: one(detail.head), former: one(detail.former), root: one(detail.root) };
  const { matrix: _, ids: __, ...rest } = row;
  return { ...rest, head: many(row.head), former: many(row.former), root: row.root === null ? null : many(row.root), details };
}

/** Entries of one change are fewer than this (MAX_ENTRIES). */
const STRIDE = 4_096;
export const keyOf = (ref: number, entry: number): number => ref * STRIDE + entry;

/** Which head first showed the state that an undo or redo brought back. */
export class Roots {
  readonly #roots = new Map<number, number>();

  /** The root of a head, as one number; a head that brought nothing back is its own. */
  of(ref: number, entry: number): number {
    const key = keyOf(ref, entry);
    return this.#roots.get(key) ?? key;
  }
  ofHead(head: HeadRef | null): number {
    return head === null ? 0 : this.of(head[0], head[1]);
  }

  add(step: Step): void {
    if (step.root === null) return;
    const { head, root, wrote } = step;
    for (let at = 0; at < wrote.length; at += 1) {
      if (((wrote[at] as number) & WROTE_ASSERTION) !== 0) this.#roots.set(keyOf(head.ref[at] as number, head.entry[at] as number), keyOf(root.ref[at] as number, root.entry[at] as number));
    }
    for (const detail of Object.values(step.details)) {
      if (detail.head !== null) this.#roots.set(keyOf(...detail.head), detail.root === null ? 0 : keyOf(...detail.root));
    }
  }
}

/** The head behind a root's number. */
export const headOfKey = (key: number): HeadRef | null => (key === 0 ? null : [Math.floor(key / STRIDE), key % STRIDE]);
