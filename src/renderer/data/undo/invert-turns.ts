import { parseRegister } from '../../../sync/register.ts';
import { placeOf } from '../editing/contests.ts';
import { type CellAddress, MAX_LISTED, type UndoOutcome } from '../store/port.ts';
import type { ReplicaState } from '../replica/replica-state.ts';
import type { Target } from '../replica/registers.ts';
import { headOfKey, type Roots, type Step, type StepTurn } from '../replica/steps.ts';
import type { Turn } from '../editing/turn-plan.ts';

const isShown = (state: ReplicaState, target: Target): boolean =>
  target.kind === 'item'
    ? target.field === 'x' || (state.store.rows[target.slot] ?? -1) >= 0
    : (state.store.rows[Math.floor(target.cell / state.store.columns)] ?? -1) >= 0;

/**
 * Undoes a settlement by writing again what each head said, each in its author's name; redoes it by
 * settling the same heads again. Undefined where the register has changed since the step.
 */
function turnBack(state: ReplicaState, turn: StepTurn, roots: Roots): Turn | undefined {
  const target = placeOf(state, turn.reg);
  if (target === undefined || !isShown(state, target)) return undefined;
  const now = state.conflicts.heads(target);
  const common = {
    reg: turn.reg,
    target,
    value: turn.value,
    root: headOfKey(roots.ofHead(turn.former)),
  };
  if (turn.op === 'resolve') {
    const settled = now.find(({ ref, index }) => roots.of(ref, index) === roots.ofHead(turn.head));
    if (settled === undefined) return undefined;
    const writes = turn.heads.map(({ value, of }) => ({ value, restores: of })).reverse();
    return {
      ...common,
      op: 'set',
      parents: [[settled.ref, settled.index]],
      writes,
      heads: [],
      former: [settled.ref, settled.index],
    };
  }
  const isSame =
    now.length === turn.heads.length &&
    now.every(({ ref, index }) =>
      turn.heads.some(({ head }) => head[0] === ref && head[1] === index),
    );
  return isSame
    ? {
        ...common,
        op: 'resolve',
        parents: turn.heads.map(({ head }) => head),
        writes: [{ value: turn.value, restores: null }],
        heads: turn.heads,
        former: turn.head,
      }
    : undefined;
}

/** The inverse of a step that settled contests or brought them back. */
export function invertTurns(
  state: ReplicaState,
  step: Step,
  roots: Roots,
): { turns: Turn[]; outcome: UndoOutcome } {
  const turns: Turn[] = [];
  const [taken, left]: [Set<string>, Set<string>] = [new Set(), new Set()];
  for (const turn of step.turns) {
    const back = turnBack(state, turn, roots);
    if (back !== undefined) turns.push(back);
    (back === undefined ? left : taken).add(turn.reg);
  }
  return { turns, outcome: outcomeOf(step.label, taken, left) };
}

/**
 * Notes the roots of the states that were displayed before, for steps that are undone after this
 * one: `step`, from which the roots are known, leaves the journal.
 */
export function rootTurns(own: Step, roots: Roots): void {
  own.turns = own.turns.map((turn) => ({
    ...turn,
    former: headOfKey(roots.ofHead(turn.former)) ?? turn.former,
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
