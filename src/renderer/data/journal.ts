import type { Database, GestureRow } from './db.ts';
import { CellPlan, WROTE_ASSERTION, WROTE_NOTES } from './cell-plan.ts';
import type { CellAddress } from './port.ts';
import type { ReplicaState } from './replica-state.ts';

/** Steps kept per matrix; older ones can no longer be undone. */
export const JOURNAL_STEPS = 2_000;
const RECENT = 20;

/** Which gestures can be undone and redone. The steps themselves are on disk; the last few stay in memory. */
export class Journal {
  readonly #db: Database;
  readonly #matrix: string;
  readonly #recent = new Map<string, GestureRow>();
  undo: string[] = [];
  redo: string[] = [];

  constructor(db: Database, matrix: string) {
    this.#db = db;
    this.#matrix = matrix;
  }

  async load(): Promise<void> {
    const ids = async (stack: 'undo' | 'redo'): Promise<string[]> => (await this.#db.gestures.where('[matrix+stack]').equals([this.#matrix, stack]).primaryKeys()).map(([, id]) => id).sort();
    const [undo, redo] = await Promise.all([ids('undo'), ids('redo')]);
    this.undo = undo;
    this.redo = redo;
  }

  /** Takes in a step; answers the steps that go for it: those past the limit, and for a new gesture all that could be redone. */
  add(row: GestureRow, isNew: boolean): string[] {
    this.#recent.set(row.id, row);
    for (const id of this.#recent.keys()) if (this.#recent.size > RECENT) this.#recent.delete(id);
    this[row.stack].push(row.id);
    const gone = this.undo.splice(0, Math.max(0, this.undo.length - JOURNAL_STEPS));
    if (isNew) gone.push(...this.redo.splice(0));
    return gone;
  }

  async get(id: string): Promise<GestureRow | undefined> {
    return this.#recent.get(id) ?? (await this.#db.gestures.get([this.#matrix, id]));
  }

  /** The step leaves its stack. */
  drop(id: string): void {
    this.#recent.delete(id);
    this.undo = this.undo.filter((other) => other !== id);
    this.redo = this.redo.filter((other) => other !== id);
  }
}

/** The inverse of a step: each cell back to what it was before, but for cells in which its writing is no longer the one displayed. */
export function invert(state: ReplicaState, step: GestureRow): { plan: CellPlan; cells: CellAddress[]; skipped: CellAddress[] } {
  const plan = new CellPlan(state);
  const cells: CellAddress[] = [];
  const skipped: CellAddress[] = [];
  const refs = step.changes.map((id) => state.names.find(id) ?? -1);
  const { store } = state;
  for (let at = 0; at < step.item.length; at += 1) {
    const address = { item: step.items[step.item[at] as number] ?? '', rule: step.rules[step.rule[at] as number] ?? '' };
    const slot = state.slots.get(address.item);
    const column = state.columns.get(address.rule);
    const wrote = step.wrote[at] as number;
    const detail = step.details[at];
    const cell = slot === undefined || column === undefined ? -1 : slot * store.columns + column;
    const isShown = cell >= 0 && (store.rows[slot as number] ?? -1) >= 0
      && ((wrote & WROTE_ASSERTION) === 0 || (store.ref[cell] === refs[step.change[at] as number] && store.index[cell] === step.entry[at]))
      && ((wrote & WROTE_NOTES) === 0 || isNotesHead(state, cell, refs, detail?.notes ?? null));
    if (!isShown) {
      skipped.push(address);
      continue;
    }
    const now = state.detail(cell);
    const code = (wrote & WROTE_ASSERTION) === 0 ? (store.raw[cell] as number) : (step.before[at] as number);
    if (detail === undefined) plan.want(cell, code, now);
    else {
      const { source_value, provenance } = (wrote & WROTE_ASSERTION) === 0 ? now : detail.before;
      plan.want(cell, code, { source_value, provenance, notes: (wrote & WROTE_NOTES) === 0 ? now.notes : detail.before.notes });
    }
    cells.push(address);
  }
  return { plan, cells, skipped };
}

function isNotesHead(state: ReplicaState, cell: number, refs: readonly number[], written: readonly [number, number] | null): boolean {
  const head = state.head({ kind: 'notes', cell });
  return head !== null && written !== null && head[0] === refs[written[0]] && head[1] === written[1];
}
