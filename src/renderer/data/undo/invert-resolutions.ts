import { parseRegister } from '../../../sync/register.ts';
import { placeOf } from '../editing/contests.ts';
import { type CellAddress, MAX_LISTED, type UndoOutcome } from '../store/port.ts';
import type { ReplicaState } from '../replica/replica-state.ts';
import type { Target } from '../replica/registers.ts';
import { headOfKey, type Roots } from '../replica/roots.ts';
import type { UndoStep, StepResolution } from '../replica/undo-steps.ts';
import type { Resolution } from '../editing/resolution-plan.ts';

const isShown = (state: ReplicaState, target: Target): boolean =>
  target.kind === 'item'
    ? target.field === 'x' || (state.store.rows[target.itemIndex] ?? -1) >= 0
    : (state.store.rows[Math.floor(target.cell / state.store.columns)] ?? -1) >= 0;

/**
 * Undoes a settlement by writing again what each head said, each in its author's name; redoes it by
 * settling the same heads again. Undefined where the register has changed since the step.
 */
function inverseOf(
  state: ReplicaState,
  resolution: StepResolution,
  roots: Roots,
): Resolution | undefined {
  const target = placeOf(state, resolution.reg);
  if (target === undefined || !isShown(state, target)) return undefined;
  const now = state.conflicts.heads(target);
  const common = {
    reg: resolution.reg,
    target,
    value: resolution.value,
    from: resolution.from,
    root: headOfKey(roots.ofHead(resolution.previous)),
  };
  if (resolution.op === 'resolve') {
    const settled = now.find(
      ({ ref, index }) => roots.of(ref, index) === roots.ofHead(resolution.head),
    );
    if (settled === undefined) return undefined;
    const writes = resolution.heads.map(({ value, of }) => ({ value, restores: of })).reverse();
    return {
      ...common,
      op: 'set',
      parents: [[settled.ref, settled.index]],
      writes,
      heads: [],
      previous: [settled.ref, settled.index],
    };
  }
  const isSame =
    now.length === resolution.heads.length &&
    now.every(({ ref, index }) =>
      resolution.heads.some(({ head }) => head[0] === ref && head[1] === index),
    );
  return isSame
    ? {
        ...common,
        op: 'resolve',
        parents: resolution.heads.map(({ head }) => head),
        writes: [{ value: resolution.value, restores: null }],
        heads: resolution.heads,
        previous: resolution.head,
      }
    : undefined;
}

/** The inverse of a step that settled contests or brought them back. */
export function invertResolutions(
  state: ReplicaState,
  step: UndoStep,
  roots: Roots,
): { resolutions: Resolution[]; outcome: UndoOutcome } {
  const resolutions: Resolution[] = [];
  const [taken, left]: [Set<string>, Set<string>] = [new Set(), new Set()];
  for (const resolution of step.resolutions) {
    const back = inverseOf(state, resolution, roots);
    if (back !== undefined) resolutions.push(back);
    (back === undefined ? left : taken).add(resolution.reg);
  }
  return { resolutions, outcome: outcomeOf(step.label, taken, left) };
}

/**
 * Notes the roots of the states that were displayed before, for steps that are undone after this
 * one: `step`, from which the roots are known, leaves the journal.
 */
export function rootResolutions(own: UndoStep, roots: Roots): void {
  own.resolutions = own.resolutions.map((resolution) => ({
    ...resolution,
    previous: headOfKey(roots.ofHead(resolution.previous)) ?? resolution.previous,
  }));
}

function outcomeOf(
  label: string,
  taken: ReadonlySet<string>,
  left: ReadonlySet<string>,
): UndoOutcome {
  const split = (
    regs: ReadonlySet<string>,
  ): { cells: Map<string, CellAddress>; items: Set<string> } => {
    const cells = new Map<string, CellAddress>();
    const items = new Set<string>();
    for (const reg of regs) {
      const register = parseRegister(reg);
      if (register?.kind === 'item') items.add(register.item);
      else if (register?.kind === 'assertion' || register?.kind === 'notes')
        cells.set(`${register.rule}/${register.item}`, {
          item: register.item,
          rule: register.rule,
        });
    }
    return { cells, items };
  };
  const [done, skipped] = [split(taken), split(left)];
  return {
    label,
    cells: [...done.cells.values()].slice(0, MAX_LISTED),
    count: done.cells.size,
    skipped: [...skipped.cells.values()].slice(0, MAX_LISTED),
    skippedCount: skipped.cells.size,
    items: [...done.items],
    skippedItems: [...skipped.items],
    includes: ({ item, rule }) => done.cells.has(`${rule}/${item}`),
  };
}
