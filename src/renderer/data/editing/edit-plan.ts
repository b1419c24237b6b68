import { codeOf, UNRECORDED } from '../../../shared/domain/outcome.ts';
import { CellPlan, detailAfter, InvalidPatchError } from './cell-plan.ts';
import { type ItemWrite, resolveItems, type ItemRows } from '../store/item-edits.ts';
import {
  type CellAddress,
  type CellBlock,
  type CellPatch,
  type Edit,
  InvalidEditError,
  LEAVE,
  MAX_EDIT_CELLS,
} from '../store/port.ts';
import type { ReplicaState } from '../replica/replica-state.ts';
import { t } from '../../text/t.ts';

export function rowsOfState(state: ReplicaState): ItemRows {
  return {
    get: (uid) => state.items[state.itemIndexes.get(uid) ?? -1],
    ordered: () => state.sorted().map((itemIndex) => state.items[itemIndex]!),
    shown: state.store.order.length,
  };
}

/** Checked before memory is allocated for them. */
function requireFew(part: 'blocks' | 'cells', cells: number): void {
  if (cells > MAX_EDIT_CELLS)
    throw new InvalidEditError(
      part,
      0,
      t('One step changes at most {most, number} cells; this would be {cells, number}.', {
        most: MAX_EDIT_CELLS,
        cells,
      }),
    );
}

/**
 * The index that an item will have once the writes are shown; new rows get the next free indexes.
 */
function itemIndexesAfter(
  state: ReplicaState,
  writes: readonly ItemWrite[],
): { count: number; itemIndexOf(uid: string): number } {
  const shown = new Map<string, number>();
  let count = state.items.length;
  for (const { item, field, value } of writes) {
    if (field !== 'x') continue;
    const itemIndex = state.itemIndexes.get(item) ?? count++;
    shown.set(item, (value as { deleted: boolean }).deleted ? -1 : itemIndex);
  }
  const itemIndexOf = (uid: string): number => {
    const changed = shown.get(uid);
    if (changed !== undefined) return changed;
    const itemIndex = state.itemIndexes.get(uid) ?? -1;
    return (state.store.rows[itemIndex] ?? -1) >= 0 ? itemIndex : -1;
  };
  return { count, itemIndexOf };
}

function wantPatch(state: ReplicaState, plan: CellPlan, cell: number, wish: CellPatch): void {
  const was = state.store.raw[cell] ?? UNRECORDED;
  const code = wish.raw_outcome === undefined ? was : codeOf(wish.raw_outcome);
  const { source_value, notes, provenance, from } = wish;
  if (source_value === undefined && notes === undefined && provenance === undefined && !from)
    return plan.wantOutcome(cell, code);
  plan.want(cell, code, detailAfter(state.detail(cell), wish, code === was), { from });
}

/** The cells of blocks that all get a value; cells outside the matrix are left out. */
export function planCells(
  state: ReplicaState,
  cells: readonly CellAddress[],
  patch: CellPatch | ((cell: CellAddress) => CellPatch),
): CellPlan {
  requireFew('cells', cells.length);
  const plan = new CellPlan(state, { capacity: cells.length });
  for (const address of cells) {
    const itemIndex = state.itemIndexes.get(address.item);
    const column = state.columns.get(address.rule);
    if (itemIndex === undefined || column === undefined || (state.store.rows[itemIndex] ?? -1) < 0)
      continue;
    const cell = itemIndex * state.store.columns + column;
    wantPatch(state, plan, cell, typeof patch === 'function' ? patch(address) : patch);
  }
  return plan;
}

function wantBlock(
  state: ReplicaState,
  plan: CellPlan,
  { items, rules, states }: CellBlock,
  index: number,
  itemIndexOf: (uid: string) => number,
): void {
  const many = states instanceof Uint8Array ? states : null;
  const one = many === null ? codeOf(states as Exclude<CellBlock['states'], Uint8Array>) : LEAVE;
  if (many !== null && many.length !== items.length * rules.length)
    throw new InvalidEditError(
      'blocks',
      index,
      'There must be one outcome for each item and rule.',
    );
  const columns = Int32Array.from(rules, (rule) => state.columns.get(rule) ?? -1);
  const missing = columns.indexOf(-1);
  if (missing >= 0)
    throw new InvalidEditError(
      'blocks',
      index,
      t('The rule {rule} is not in the matrix.', { rule: rules[missing]! }),
    );
  const width = rules.length;
  for (let row = 0; row < items.length; row += 1) {
    const itemIndex = itemIndexOf(items[row]!);
    if (itemIndex < 0)
      throw new InvalidEditError(
        'blocks',
        index,
        t('The item {item} is not in the matrix.', { item: items[row]! }),
      );
    const base = itemIndex * state.store.columns;
    for (let column = 0; column < width; column += 1) {
      const code = many === null ? one : many[row * width + column]!;
      if (code === LEAVE) continue;
      if (code > UNRECORDED)
        throw new InvalidEditError('blocks', index, `${code} stands for no outcome.`);
      plan.wantOutcome(base + columns[column]!, code);
    }
  }
}

/** Turns an edit into a plan. Throws, with nothing changed, if any part of it cannot be applied. */
export function planEdit(
  state: ReplicaState,
  { items = [], blocks = [], cells = [] }: Edit,
): { writes: ItemWrite[]; cells: CellPlan } {
  const inBlocks = blocks.reduce((sum, block) => sum + block.items.length * block.rules.length, 0);
  requireFew(inBlocks > 0 ? 'blocks' : 'cells', inBlocks + cells.length);
  const { writes, problems } =
    items.length === 0 ? { writes: [], problems: [] } : resolveItems(rowsOfState(state), items);
  const [problem] = problems;
  if (problem !== undefined) throw new InvalidEditError('items', problem.index, problem.message);
  const { count, itemIndexOf } = itemIndexesAfter(state, writes);
  const plan = new CellPlan(state, { capacity: inBlocks + cells.length, items: count });
  blocks.forEach((block, index) => wantBlock(state, plan, block, index, itemIndexOf));
  cells.forEach(({ item, rule, patch }, index) => {
    const [itemIndex, column] = [itemIndexOf(item), state.columns.get(rule)];
    if (itemIndex < 0 || column === undefined)
      throw new InvalidEditError(
        'cells',
        index,
        t('{item}, {rule}: is not in the matrix.', { item, rule }),
      );
    try {
      wantPatch(state, plan, itemIndex * state.store.columns + column, patch);
    } catch (error) {
      throw error instanceof InvalidPatchError
        ? new InvalidEditError('cells', index, `${item}, ${rule}: ${error.message}`)
        : error;
    }
  });
  return { writes, cells: plan };
}
