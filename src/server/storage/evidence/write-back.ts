import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Assertion } from '../../../sync/assertion.ts';
import type { Entry } from '../../../sync/change.ts';
import { participantOf } from '../../../sync/layers/authors.ts';
import { isOfItem } from '../../../sync/layers/record.ts';
import { takenBack } from '../../../sync/layers/suggestions.ts';
import { From, type SuggestionDecision } from '../../../sync/layers/values.ts';
import { formatRegister, type Register, type RegisterCell } from '../../../sync/register.ts';
import type { Actor } from '../db/actor.ts';
import { authorOf } from '../log/author.ts';
import type { ChangeIndex, EntryPosition } from '../log/change-index.ts';
import type { Gesture } from '../log/gesture.ts';
import type { RegisterBinding } from '../log/head-map.ts';

/**
 * The value of a register before the changes that are taken back, and the entry that wrote it; null
 * where it had none.
 */
export type RegisterBefore = { value: unknown; name: string; from: unknown } | null;

/** A register of the changes that are taken back. */
export interface TouchedRegister {
  reg: string;
  register: Register;
  binding: RegisterBinding;
}

interface GoingBack extends TouchedRegister {
  value: unknown;
  restores: string | undefined;
  from: unknown;
}

/**
 * Whether a revert takes back what was written to a register: the items', and what was suggested.
 */
export const mayGoBack = (register: Register): boolean =>
  isOfItem(register) || register.kind === 'suggestion' || register.kind === 'decision';

/** What to write to restore a register's earlier value; undefined where a revert may not. */
function backTo(
  { register }: TouchedRegister,
  before: RegisterBefore | undefined,
  actor: Actor,
): Pick<GoingBack, 'value' | 'restores' | 'from'> | undefined {
  if (before === undefined) return undefined;
  const nothing = { restores: undefined, from: undefined };
  const back = before !== null && { value: before.value, restores: before.name, from: before.from };
  if (register.kind === 'assertion') return back || { value: { raw_outcome: null }, ...nothing };
  if (register.kind === 'notes') return back || { value: null, ...nothing };
  // Only a source takes back what it said, and only a person what was decided.
  if (register.kind === 'suggestion')
    return participantOf(authorOf(actor)) === register.source
      ? { value: before?.value ?? null, ...nothing }
      : undefined;
  if (register.kind === 'decision')
    return actor.kind === 'human' ? { value: before?.value ?? null, ...nothing } : undefined;
  // An item that was added stays; only a person brings back one that was removed.
  if (
    !back ||
    (register.kind === 'item' &&
      register.field === 'x' &&
      (actor.kind !== 'human' || (back.value as { deleted: boolean }).deleted))
  )
    return undefined;
  return back;
}

/** What goes back of the registers that still show what is taken back, by their addresses. */
export function backsOf(
  current: readonly TouchedRegister[],
  before: ReadonlyMap<string, RegisterBefore>,
  actor: Actor,
): Map<string, GoingBack> {
  return new Map(
    current.flatMap((one) => {
      const back = backTo(one, before.get(one.reg), actor);
      return back === undefined ? [] : [[one.reg, { ...one, ...back }] as const];
    }),
  );
}

type DecisionBack = GoingBack & { register: RegisterCell & { kind: 'decision'; source: string } };
const isDecision = (one: GoingBack): one is DecisionBack => one.register.kind === 'decision';

/** Writes it: an outcome that had been accepted comes back with its decision behind it (YD6). */
export function writeBack(
  changes: ChangeIndex,
  gesture: Gesture,
  backs: ReadonlyMap<string, GoingBack>,
): void {
  const nameOf = ({ binding }: GoingBack): string => changes.nameOf(binding.head as EntryPosition);
  const decisions = [...backs.values()].filter(isDecision);
  const byOutcome = Map.groupBy(decisions, ({ register }) => outcomeReg(register));
  const bound = new Set<GoingBack>();
  for (const one of backs.values()) {
    if (isDecision(one)) continue;
    const decision = byOutcome.get(one.reg)?.find((other) => isBoundTo(one, other));
    if (decision === undefined) {
      if (one.register.kind === 'suggestion')
        gesture.whole(one.binding, entryOf(one, nameOf(one), one.value), one.register);
      else
        gesture.entry(one.binding, nameOf(one), canonicalJson(one.value), one.value, one.restores);
      continue;
    }
    bound.add(decision);
    const value = one.value as Assertion;
    const [first, second] = takenBack(
      decision.register.source,
      decision.register,
      {
        record: { name: nameOf(one), value },
        decision: { name: nameOf(decision), value: null },
      },
      {
        record: { name: one.restores as string, value, from: one.from },
        decision: decision.value as SuggestionDecision,
      },
    );
    gesture.whole(one.binding, { ...first, reg: one.reg }, one.register);
    gesture.whole(decision.binding, { ...second, reg: decision.reg }, decision.register, true);
  }
  for (const one of decisions.filter((decision) => !bound.has(decision))) {
    const value = one.value as SuggestionDecision | null;
    // An acceptance without its outcome would be none.
    const kept = value?.verdict === 'accepted' ? null : value;
    gesture.whole(one.binding, entryOf(one, nameOf(one), kept), one.register);
  }
}

const entryOf = ({ reg }: GoingBack, parent: string, value: unknown): Entry => ({
  op: 'set',
  parents: [parent],
  reg,
  value,
});

/** The register of the outcome that a decision is about. */
const outcomeReg = ({ profile, version, rule, item }: RegisterCell): string =>
  formatRegister({ kind: 'assertion', profile, version, rule, item });

/** Whether a decision comes back as the acceptance of what the outcome comes back as. */
function isBoundTo(record: GoingBack, decision: DecisionBack): boolean {
  const from = From.safeParse(record.from);
  const value = decision.value as SuggestionDecision | null;
  return (
    value?.verdict === 'accepted' &&
    record.restores !== undefined &&
    from.success &&
    from.data.length === 1 &&
    from.data[0] === value.entry
  );
}
