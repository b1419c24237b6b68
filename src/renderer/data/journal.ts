import { CellPlan } from './cell-plan.ts';
import type { Database, GestureRow, HeadRef } from './db.ts';
import type { Names } from './names.ts';
import type { CellAddress } from './port.ts';
import type { ReplicaState } from './replica-state.ts';
import { type Heads, headOfKey, noHeads, Roots, rowToStep, type Step, WROTE_ASSERTION, WROTE_NOTES } from './steps.ts';

/** Steps kept per matrix; older ones can no longer be undone. */
export const JOURNAL_STEPS = 2_000;
const RECENT = 20;

/** Which gestures can be undone and redone. The steps themselves are on disk; the last few stay in memory. */
export class Journal {
  readonly #db: Database;
  readonly #matrix: string;
  readonly #names: () => Names;
  readonly #recent = new Map<string, Step>();
  #roots: Promise<Roots> | null = null;
  #loaded: Roots | null = null;
  undo: string[] = [];
  redo: string[] = [];
  past: string[] = [];
  /** Grows with each step added or dropped. */
  acts = 0;

  constructor(db: Database, matrix: string, names: () => Names) {
    this.#db = db;
    this.#matrix = matrix;
    this.#names = names;
  }

  /** Reads the stacks. Also after the replica was read again: its numbers are others then, and other windows may have written steps. */
  async load(): Promise<void> {
    const { acts: before } = this;
    const ids = async (stack: GestureRow['stack']): Promise<string[]> => (await this.#db.gestures.where('[matrix+stack]').equals([this.#matrix, stack]).primaryKeys()).map(([, id]) => id).sort();
    this.#recent.clear();
    this.#roots = null;
    this.#loaded = null;
    const stacks = await Promise.all([ids('undo'), ids('redo'), ids('past')]);
    // What was done here meanwhile may not be on disk yet: then this window's own stacks stand.
    if (this.acts === before) [this.undo, this.redo, this.past] = stacks;
  }

  /** Takes in a step; answers the ids that go for good, and those that can no longer be redone. */
  add(step: Step, isNew: boolean): { gone: string[]; past: string[] } {
    this.acts += 1;
    this.#recent.set(step.id, step);
    for (const id of this.#recent.keys()) if (this.#recent.size > RECENT) this.#recent.delete(id);
    this.#loaded?.add(step);
    this[step.stack].push(step.id);
    const past = isNew ? this.redo.splice(0) : [];
    this.past.push(...past);
    return { gone: [...this.undo.splice(0, Math.max(0, this.undo.length - JOURNAL_STEPS)), ...this.past.splice(0, Math.max(0, this.past.length - JOURNAL_STEPS))], past };
  }

  async get(id: string): Promise<Step | undefined> {
    const recent = this.#recent.get(id);
    if (recent !== undefined) return recent;
    const row = await this.#db.gestures.get([this.#matrix, id]);
    return row === undefined ? undefined : rowToStep(row, this.#names());
  }

  /** What undoing and redoing has brought back so far; read when it is first asked for. */
  async roots(): Promise<Roots> {
    this.#roots ??= this.#readRoots();
    return this.#roots;
  }
  async #readRoots(): Promise<Roots> {
    const roots = new Roots();
    const names = this.#names();
    await this.#db.gestures.where('[matrix+id]').between([this.#matrix, ''], [this.#matrix, '\uffff']).each((row) => {
      if (row.root !== null) roots.add(rowToStep(row, names));
    });
    for (const step of this.#recent.values()) roots.add(step);
    this.#loaded = roots;
    return roots;
  }

  /** The step leaves its stack. */
  drop(id: string): void {
    this.acts += 1;
    this.#recent.delete(id);
    this.undo = this.undo.filter((other) => other !== id);
    this.redo = this.redo.filter((other) => other !== id);
  }
}

export interface Inverse {
  plan: CellPlan;
  cells: CellAddress[];
  skipped: CellAddress[];
  /** For each cell of the plan, which of the step's cells it is. */
  origin: number[];
}

/** The inverse of a step: each cell back to what it was before, but for cells where the state that it made is no longer the one displayed. */
export function invert(state: ReplicaState, step: Step, roots: Roots): Inverse {
  const inverse: Inverse = { plan: new CellPlan(state), cells: [], skipped: [], origin: [] };
  const { plan } = inverse;
  const { store } = state;
  for (let at = 0; at < step.item.length; at += 1) {
    const address = { item: step.items[step.item[at] as number] ?? '', rule: step.rules[step.rule[at] as number] ?? '' };
    const slot = state.slots.get(address.item);
    const column = state.columns.get(address.rule);
    const wrote = step.wrote[at] as number;
    const detail = step.details[at];
    const cell = slot === undefined || column === undefined ? -1 : slot * store.columns + column;
    const stands = cell >= 0 && (store.rows[slot as number] ?? -1) >= 0
      && ((wrote & WROTE_ASSERTION) === 0 || roots.of(store.ref[cell] as number, store.index[cell] as number) === roots.of(step.head.ref[at] as number, step.head.entry[at] as number))
      && ((wrote & WROTE_NOTES) === 0 || roots.ofHead(state.head({ kind: 'notes', cell })) === roots.ofHead(detail?.head ?? null));
    if (!stands) {
      inverse.skipped.push(address);
      continue;
    }
    const now = state.detail(cell);
    const planned = plan.cells.length;
    const code = (wrote & WROTE_ASSERTION) === 0 ? (store.raw[cell] as number) : (step.before[at] as number);
    if (detail === undefined) plan.want(cell, code, now);
    else {
      const { source_value, provenance } = (wrote & WROTE_ASSERTION) === 0 ? now : detail.before;
      plan.want(cell, code, { source_value, provenance, notes: (wrote & WROTE_NOTES) === 0 ? now.notes : detail.before.notes });
    }
    if (plan.cells.length > planned) inverse.origin.push(at);
    inverse.cells.push(address);
  }
  return inverse;
}

/**
 * Says of the inverse's own step which states it has brought back: those from before `step`. What it took away is named by its root as well,
 * because `step`, which knows that root, leaves the journal.
 */
export function rootInverse(own: Step, step: Step, origin: readonly number[], roots: Roots): void {
  const root = noHeads(own.item.length);
  origin.forEach((from, at) => {
    [root.ref[at], root.entry[at]] = rootOf(step.former, from, roots);
    [own.former.ref[at], own.former.entry[at]] = rootOf(own.former, at, roots);
    const detail = own.details[at];
    if (detail !== undefined) own.details[at] = { ...detail, former: headOfKey(roots.ofHead(detail.former)), root: headOfKey(roots.ofHead(step.details[from]?.former ?? null)) };
  });
  own.root = root;
}

function rootOf({ ref, entry }: Heads, at: number, roots: Roots): HeadRef {
  return headOfKey(roots.of(ref[at] as number, entry[at] as number)) ?? [0, 0];
}
