import { UNRECORDED } from '../../../shared/domain/outcome.ts';
import { CellPlan } from '../editing/cell-plan.ts';
import type { HeadRef } from '../store/db.ts';
import type { ItemWrite } from '../store/item-edits.ts';
import { type CellAddress, MAX_LISTED, type UndoOutcome } from '../store/port.ts';
import type { ReplicaState } from '../replica/replica-state.ts';
import {
  type StepHeads,
  noHeads,
  type StepRow,
  type UndoStep,
  WROTE_ASSERTION,
  WROTE_NOTES,
} from '../replica/undo-steps.ts';
import { headOfKey, type Roots } from '../replica/roots.ts';

export interface Inverse {
  writes: ItemWrite[];
  cells: CellPlan;
  /**
   * For each write and each cell of the plan: the index of the step's row or cell that it takes
   * back.
   */
  rowOrigin: number[];
  cellOrigin: Uint32Array;
  outcome: UndoOutcome;
}

const isHidden = (row: StepRow): boolean =>
  row.field === 'x' && (row.before as { deleted: boolean }).deleted;

/** Numbers of the changes that a step consists of. */
function changesOf(step: UndoStep): Set<number> {
  const changes = new Set(step.rows.map(({ head }) => head[0]));
  for (const ref of step.head.ref) changes.add(ref);
  for (const { head } of Object.values(step.details)) if (head !== null) changes.add(head[0]);
  return changes;
}

/**
 * Whether a row that undo is about to hide was written to after the step that showed it, by a
 * change that the journal does not know.
 */
function isUsedSince(
  state: ReplicaState,
  step: UndoStep,
  own: ReadonlySet<number>,
  shown: StepRow,
  roots: Roots,
): boolean {
  const itemIndex = state.itemIndexes.get(shown.item);
  if (itemIndex === undefined) return false;
  const { columns, ref, index } = state.store;
  const isLater = (head: HeadRef | null): boolean => {
    const root = headOfKey(roots.ofHead(head));
    if (root === null || own.has(root[0])) return false;
    const clock = state.changeIds.clock(root[0]);
    // A head from a snapshot has no clock here. If this step created the row, the head can only be
    // later.
    return clock === '' ? shown.previous === null : clock > step.id;
  };
  for (let cell = itemIndex * columns; cell < (itemIndex + 1) * columns; cell += 1) {
    if ((ref[cell] ?? 0) !== 0 && isLater([ref[cell]!, index[cell]!])) return true;
    if (isLater(state.head({ kind: 'notes', cell }))) return true;
  }
  return (['label', 'item_type', 'metadata', 'position'] as const).some((field) =>
    isLater(state.head({ kind: 'item', itemIndex, field })),
  );
}

/**
 * Which fields of rows are taken back: those that still have the step's own value. A row is hidden
 * again only if nobody has changed anything in it since.
 */
function invertRows(
  state: ReplicaState,
  step: UndoStep,
  roots: Roots,
): Pick<Inverse, 'writes' | 'rowOrigin'> & { items: string[]; skippedItems: string[] } {
  const left = new Set<string>();
  const whole = new Set<string>();
  const shown = new Map(
    step.rows.flatMap((row) => (isHidden(row) ? [[row.item, row] as const] : [])),
  );
  const stands = step.rows.map((row) => {
    const itemIndex = state.itemIndexes.get(row.item);
    return (
      itemIndex !== undefined &&
      roots.ofHead(state.head({ kind: 'item', itemIndex, field: row.field })) ===
        roots.ofHead(row.head)
    );
  });
  step.rows.forEach((row, at) => {
    if (stands[at] === true) return;
    left.add(row.item);
    if (row.field === 'x' || shown.has(row.item)) whole.add(row.item);
  });
  const own = shown.size > 0 ? changesOf(step) : new Set<number>();
  for (const [item, row] of shown) {
    if (whole.has(item) || !isUsedSince(state, step, own, row, roots)) continue;
    left.add(item);
    whole.add(item);
  }
  const writes: ItemWrite[] = [];
  const rowOrigin: number[] = [];
  const items = new Set<string>();
  step.rows.forEach((row, at) => {
    if (stands[at] !== true || whole.has(row.item)) return;
    items.add(row.item);
    // The first values of a new row stay with the hidden row: there is no earlier value to go back
    // to.
    if (row.field !== 'x' && row.previous === null && shown.get(row.item)?.previous === null)
      return;
    writes.push({ item: row.item, field: row.field, value: row.before });
    rowOrigin.push(at);
  });
  return { writes, rowOrigin, items: [...items], skippedItems: [...left] };
}

/** Which indexes a step's items have, by their place in it; -1 where the item is not shown. */
function itemIndexesOf(
  state: ReplicaState,
  step: UndoStep,
  writes: readonly ItemWrite[],
): Int32Array {
  const back = new Set(
    writes.flatMap(({ item, field, value }) =>
      field === 'x' && !(value as { deleted: boolean }).deleted ? [item] : [],
    ),
  );
  return Int32Array.from(step.items, (item) => {
    const itemIndex = state.itemIndexes.get(item);
    return itemIndex !== undefined && ((state.store.rows[itemIndex] ?? -1) >= 0 || back.has(item))
      ? itemIndex
      : -1;
  });
}

/** Whether a cell still shows what the step wrote to it. */
function isShown(
  state: ReplicaState,
  step: UndoStep,
  at: number,
  cell: number,
  roots: Roots,
): boolean {
  const wrote = step.wrote[at]!;
  const { store } = state;
  return (
    ((wrote & WROTE_ASSERTION) === 0 ||
      roots.of(store.ref[cell]!, store.index[cell]!) ===
        roots.of(step.head.ref[at]!, step.head.entry[at]!)) &&
    ((wrote & WROTE_NOTES) === 0 ||
      roots.ofHead(state.head({ kind: 'notes', cell })) ===
        roots.ofHead(step.details[at]?.head ?? null))
  );
}

/** Places of cells in a step, as many as were added. */
class Places {
  readonly #places: Uint32Array;
  count = 0;
  constructor(most: number) {
    this.#places = new Uint32Array(most);
  }
  add(at: number): void {
    this.#places[this.count] = at;
    this.count += 1;
  }
  get all(): Uint32Array {
    return this.#places.subarray(0, this.count);
  }
  /** The first of them as addresses. */
  listed(step: UndoStep): CellAddress[] {
    return Array.from(this.all.subarray(0, MAX_LISTED), (at) => ({
      item: step.items[step.item[at]!] ?? '',
      rule: step.rules[step.rule[at]!] ?? '',
    }));
  }
  includes(step: UndoStep, { item, rule }: CellAddress): boolean {
    const [itemPlace, rulePlace] = [step.items.indexOf(item), step.rules.indexOf(rule)];
    return (
      itemPlace >= 0 &&
      rulePlace >= 0 &&
      this.all.some((at) => step.item[at] === itemPlace && step.rule[at] === rulePlace)
    );
  }
}

/**
 * The inverse of a step: everything it wrote goes back to what it was before, except what has been
 * changed since.
 */
export function invert(state: ReplicaState, step: UndoStep, roots: Roots): Inverse {
  const { writes, rowOrigin, items, skippedItems } = invertRows(state, step, roots);
  const { length } = step.item;
  const itemIndexes = itemIndexesOf(state, step, writes);
  const columns = Int32Array.from(step.rules, (rule) => state.columns.get(rule) ?? -1);
  const cells = new CellPlan(state, { capacity: length, restoring: true });
  const [taken, left] = [new Places(length), new Places(length)];
  const cellOrigin = new Uint32Array(length);
  for (let at = 0; at < length; at += 1) {
    const itemIndex = itemIndexes[step.item[at]!]!;
    const column = columns[step.rule[at]!]!;
    const cell = itemIndex * state.store.columns + column;
    if (itemIndex < 0 || column < 0 || !isShown(state, step, at, cell, roots)) {
      left.add(at);
      continue;
    }
    const planned = cells.length;
    wantBack(state, step, at, cell, cells, roots);
    if (cells.length > planned) cellOrigin[planned] = at;
    taken.add(at);
  }
  const outcome: UndoOutcome = {
    label: step.label,
    cells: taken.listed(step),
    count: taken.count,
    skipped: left.listed(step),
    skippedCount: left.count,
    items,
    skippedItems,
    includes: (address) => taken.includes(step, address),
  };
  return { writes, cells, rowOrigin, cellOrigin, outcome };
}

function wantBack(
  state: ReplicaState,
  step: UndoStep,
  at: number,
  cell: number,
  plan: CellPlan,
  roots: Roots,
): void {
  const wrote = step.wrote[at]!;
  const code =
    (wrote & WROTE_ASSERTION) === 0 ? (state.store.raw[cell] ?? UNRECORDED) : step.before[at]!;
  const detail = step.details[at];
  const assertion = roots.of(step.previous.ref[at]!, step.previous.entry[at]!);
  if (detail === undefined) return plan.wantOutcome(cell, code, assertion);
  const now = state.detail(cell);
  const { source_value, provenance } = (wrote & WROTE_ASSERTION) === 0 ? now : detail.before;
  plan.want(
    cell,
    code,
    {
      source_value,
      provenance,
      notes: (wrote & WROTE_NOTES) === 0 ? now.notes : detail.before.notes,
    },
    {
      restores: { assertion, notes: roots.ofHead(detail.previous) },
      isWritten: (wrote & WROTE_ASSERTION) !== 0,
    },
  );
}

/**
 * Notes in the undo's own step (`own`) which older states it brought back: those displayed before
 * `step`. The states it took away are also named by their roots, because `step`, from which those
 * are known, leaves the journal.
 */
export function rootInverse(
  own: UndoStep,
  step: UndoStep,
  { rowOrigin, cellOrigin }: Pick<Inverse, 'rowOrigin' | 'cellOrigin'>,
  roots: Roots,
): void {
  const root = noHeads(own.item.length);
  const copy = (to: StepHeads, at: number, key: number): void => {
    const head = headOfKey(key);
    to.ref[at] = head?.[0] ?? 0;
    to.entry[at] = head?.[1] ?? 0;
  };
  for (let at = 0; at < own.item.length; at += 1) {
    const from = cellOrigin[at]!;
    copy(root, at, roots.of(step.previous.ref[from]!, step.previous.entry[from]!));
    copy(own.previous, at, roots.of(own.previous.ref[at]!, own.previous.entry[at]!));
    const detail = own.details[at];
    if (detail !== undefined)
      own.details[at] = {
        ...detail,
        previous: headOfKey(roots.ofHead(detail.previous)),
        root: headOfKey(roots.ofHead(step.details[from]?.previous ?? null)),
      };
  }
  own.root = root;
  own.rows = own.rows.map((row, at) => ({
    ...row,
    previous: headOfKey(roots.ofHead(row.previous)),
    root: headOfKey(roots.ofHead(step.rows[rowOrigin[at]!]?.previous ?? null)),
  }));
}
