import { LongText } from '../../../shared/contract/common.ts';
import { compareHeads } from '../../../sync/heads.ts';
import { parseRegister } from '../../../sync/register.ts';
import { Assertion, sameContent } from '../../../sync/assertion.ts';
import { InvalidPatchError } from './cell-plan.ts';
import type { ConflictingHead } from '../store/db.ts';
import type { Alternative, Contest, ContestField, Settling } from '../store/port.ts';
import type { Target } from '../replica/registers.ts';
import type { ReplicaState } from '../replica/replica-state.ts';
import type { Resolution } from './resolution-plan.ts';
import { editsUnder } from '../replica/under-deletion.ts';
import { tOf } from '../../text/t.ts';

const KINDS: readonly Contest['kind'][] = ['value', 'source', 'notes', 'item', 'removed'];

/**
 * Where a register is in this replica; undefined for registers of other matrices and of unknown
 * items.
 */
export function placeOf(state: ReplicaState, reg: string): Target | undefined {
  const register = parseRegister(reg);
  return register === undefined || !('item' in register) || !state.itemIndexes.has(register.item)
    ? undefined
    : state.target(register);
}

/**
 * Of a hidden row only its existence can be contested; the rest counts again when the row comes
 * back.
 */
function rowOf(state: ReplicaState, target: Target): number {
  const { rows, columns } = state.store;
  if (target.kind !== 'item') return rows[Math.floor(target.cell / columns)] ?? -1;
  return target.field === 'x'
    ? Math.max(0, rows[target.itemIndex] ?? 0)
    : (rows[target.itemIndex] ?? -1);
}

const fieldOf = (target: Target): ContestField =>
  target.kind === 'item' ? target.field : target.kind === 'notes' ? 'notes' : 'outcome';

/** What the heads of a register differ in; null where they say the same (V3). */
function kindOf(
  reg: string,
  { kind }: Target,
  [shown, ...others]: readonly ConflictingHead[],
): Contest['kind'] | null {
  const register = parseRegister(reg);
  if (shown === undefined || register === undefined) return null;
  const { value } = shown;
  if (others.every((other) => sameContent(register, other.value, value))) return null;
  if (kind !== 'assertion') return kind;
  const { raw_outcome } = value as Assertion;
  return others.every((other) => (other.value as Assertion).raw_outcome === raw_outcome)
    ? 'source'
    : 'value';
}

/** Every register that is contested, outcomes first, in row order. */
export function contestsOf(state: ReplicaState): Contest[] {
  const found: (Contest & { row: number; column: number })[] = [];
  for (const [reg, { others }] of state.conflicts.registers) {
    const target = others.length === 0 ? undefined : placeOf(state, reg);
    const row = target === undefined ? -1 : rowOf(state, target);
    const kind =
      target === undefined || row < 0 ? null : kindOf(reg, target, state.conflicts.heads(target));
    if (target === undefined || kind === null) continue;
    const itemIndex =
      target.kind === 'item' ? target.itemIndex : Math.floor(target.cell / state.store.columns);
    const column = target.kind === 'item' ? -1 : target.cell % state.store.columns;
    found.push({
      reg,
      item: state.items[itemIndex]?.item_uid ?? '',
      rule: state.rules[column] ?? null,
      field: fieldOf(target),
      kind,
      row,
      column,
    });
  }
  for (const [itemIndex, { item_uid, exists }] of state.items.entries()) {
    const reg = `item/x/${item_uid}`;
    if (
      exists ||
      editsUnder(state, itemIndex).length === 0 ||
      found.some((contest) => contest.reg === reg)
    )
      continue;
    found.push({
      reg,
      item: item_uid,
      rule: null,
      field: 'x',
      kind: 'removed',
      row: 0,
      column: -1,
    });
  }
  found.sort(
    (a, b) =>
      KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
      a.row - b.row ||
      a.column - b.column ||
      (a.reg < b.reg ? -1 : 1),
  );
  return found.map(({ row: _, column: __, ...contest }) => contest);
}

/** How many cells are contested, and fields of items. */
export function contestCount(state: ReplicaState): number {
  const { columns, rows } = state.store;
  let count = 0;
  for (const cell of state.conflicts.cells)
    if ((rows[Math.floor(cell / columns)] ?? -1) >= 0) count += 1;
  for (const [reg, { others }] of state.conflicts.registers) {
    const target =
      others.length === 0 || !reg.startsWith('item/') ? undefined : placeOf(state, reg);
    if (
      target !== undefined &&
      rowOf(state, target) >= 0 &&
      kindOf(reg, target, state.conflicts.heads(target)) !== null
    )
      count += 1;
  }
  for (const [itemIndex, { exists }] of state.items.entries())
    if (!exists && editsUnder(state, itemIndex).length > 0) count += 1;
  return count;
}

/**
 * What each head of a register says: the displayed one first, the others by rank, so that every
 * window shows the same order.
 */
export function headsOf(state: ReplicaState, target: Target): Alternative[] {
  const [reg, field] = [state.address(target), fieldOf(target)];
  const ranked = state.conflicts.heads(target).map((head, at) => ({
    ...head,
    displayed: at === 0,
    name: state.headName([head.ref, head.index]),
    hlc: state.changeIds.clock(head.ref),
  }));
  ranked.sort((a, b) => Number(b.displayed) - Number(a.displayed) || compareHeads(b, a));
  return ranked.map(({ value, displayed, name }): Alternative => {
    const {
      raw_outcome = null,
      source_value = null,
      provenance = null,
    } = target.kind === 'assertion' ? (value as Assertion) : {};
    return {
      reg,
      field,
      entry: name,
      displayed,
      value,
      raw_outcome,
      source_value,
      provenance,
      notes: target.kind === 'notes' ? (value as string | null) : null,
    };
  });
}

function check({ kind }: Target, value: unknown): void {
  const schema = kind === 'assertion' ? Assertion : kind === 'notes' ? LongText.nullable() : null;
  const issue = schema?.safeParse(value).error?.issues[0];
  if (issue !== undefined)
    throw new InvalidPatchError(
      `${issue.path.join('.') || fieldOf({ kind } as Target)}: ${tOf(issue.message)}`,
    );
}

/**
 * Plans the settlement of registers whose heads are still those that were shown; the others are
 * left out.
 */
export function planSettling(
  state: ReplicaState,
  settlings: readonly Settling[],
): { resolutions: Resolution[]; left: string[] } {
  const resolutions: Resolution[] = [];
  const left: string[] = [];
  const seen = new Set<string>();
  for (const { reg, heads: shown, value, from } of settlings) {
    if (seen.has(reg)) continue;
    seen.add(reg);
    const target = placeOf(state, reg);
    const heads = target === undefined ? [] : state.conflicts.heads(target);
    const names = heads.map(({ ref, index }) => state.headName([ref, index]));
    const previous = heads[0];
    if (
      target === undefined ||
      previous === undefined ||
      heads.length < 2 ||
      names.length !== shown.length ||
      !names.every((name) => shown.includes(name))
    ) {
      left.push(reg);
      continue;
    }
    check(target, value);
    resolutions.push({
      reg,
      target,
      op: 'resolve',
      value,
      from,
      writes: [{ value, restores: null }],
      parents: heads.map(({ ref, index }) => [ref, index]),
      heads: heads.map((head, at) => ({
        head: [head.ref, head.index],
        value: head.value,
        of: names[at] ?? '',
      })),
      previous: [previous.ref, previous.index],
      root: null,
    });
  }
  return { resolutions, left };
}

/**
 * What was written in a removed item by people who did not know of the removal: the heads of those
 * registers.
 */
export function alternativesUnder(state: ReplicaState, item: string): Alternative[] {
  const itemIndex = state.itemIndexes.get(item);
  return itemIndex === undefined
    ? []
    : editsUnder(state, itemIndex).flatMap((target) => headsOf(state, target));
}
