import { agreementOf, type AgreementFigures } from '../../shared/domain/agreement.ts';
import type { CellState } from '../../shared/domain/outcome.ts';
import type { Assertion } from '../assertion.ts';
import { applyEntry, displayedHead, EMPTY_REGISTER, type RegisterState } from '../heads.ts';
import { formatRegister, parseRegister, type Register } from '../register.ts';
import { commitmentOf, isInRound, type Round } from './rounds.ts';
import type { Commitment, RoundTerms } from './values.ts';

/** What a layer says, as far as its recorder stands by it. */

/** A change of a layer, with the registers of its entries; undefined where one is quarantined. */
export interface LayerChange {
  id: string;
  hlc: string;
  entries: readonly {
    parents: readonly string[];
    value: unknown;
    register: Register | undefined;
  }[];
}

/**
 * `fits`: the changes that the recorder listed are here, and are those of the commitment. `awaited`:
 * some are not here, or the list is not. `differs`: the list is not what was committed to, or two
 * things were. `late`: it was made by somebody who knew of the release. Only what fits is counted.
 */
export type Fit = 'none' | 'fits' | 'awaited' | 'differs' | 'late';

export interface CommittedLayer {
  fit: Fit;
  /** The changes that count; empty unless the commitment fits. */
  ids: ReadonlySet<string>;
}

const NOTHING: ReadonlySet<string> = new Set();

/** Which changes of a layer its recorder committed to. Others are kept, shown, and not counted. */
export function committedLayer(
  commitments: readonly Commitment[],
  changes: readonly LayerChange[],
): CommittedLayer {
  const [commitment, ...others] = commitments;
  if (commitment === undefined) return { fit: 'none', ids: NOTHING };
  if (others.length > 0) return { fit: 'differs', ids: NOTHING };
  const { count, sum, after_release } = commitment;
  if (after_release === true) return { fit: 'late', ids: NOTHING };
  const listed = new Set(
    changes.flatMap(({ entries }) =>
      entries.flatMap(({ register, value }) =>
        register?.kind === 'committed' && register.sum === sum
          ? (value as { changes: string[] }).changes
          : [],
      ),
    ),
  );
  if (listed.size < count) return { fit: 'awaited', ids: NOTHING };
  if (listed.size > count || commitmentOf([...listed]).sum !== sum)
    return { fit: 'differs', ids: NOTHING };
  const held = new Set(changes.map(({ id }) => id));
  return [...listed].every((id) => held.has(id))
    ? { fit: 'fits', ids: listed }
    : { fit: 'awaited', ids: NOTHING };
}

/** An outcome that counts, by its entry. */
export interface Rating {
  name: string;
  outcome: CellState;
}

/**
 * What a recorder says of each cell of the round, by the address of the cell: the displayed of the
 * entries that count. What came later supersedes none of them.
 */
export function ratingsOf(
  terms: RoundTerms,
  changes: readonly LayerChange[],
  { ids }: CommittedLayer,
): Map<string, Rating> {
  const states = new Map<string, RegisterState>();
  const outcomes = new Map<string, CellState>();
  for (const { id, hlc, entries } of changes) {
    if (!ids.has(id)) continue;
    for (const [index, { register, parents, value }] of entries.entries()) {
      if (register?.kind !== 'assertion' || !isInRound(terms, register)) continue;
      const reg = formatRegister(register);
      const name = `${id}#${index}`;
      outcomes.set(name, (value as Assertion).raw_outcome);
      states.set(
        reg,
        applyEntry(states.get(reg) ?? EMPTY_REGISTER, { name, hlc }, parents, () => false),
      );
    }
  }
  const ratings = new Map<string, Rating>();
  for (const [reg, state] of states) {
    const name = displayedHead(state)?.name;
    const outcome = name === undefined ? undefined : outcomes.get(name);
    if (name !== undefined && outcome !== undefined && outcome !== null)
      ratings.set(reg, { name, outcome });
  }
  return ratings;
}

/** The figures of a round, and of each of its rules. Recorders are in the order of the terms. */
export interface RoundFigures {
  all: AgreementFigures;
  rules: { rule: string; figures: AgreementFigures }[];
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Agreement of the committed layers. A unit is a cell that somebody rated; where the terms list
 * items and rules, each of those cells.
 */
export function roundFigures(
  { terms }: Pick<Round, 'terms'>,
  ratings: ReadonlyMap<string, ReadonlyMap<string, Rating>>,
): RoundFigures {
  const { recorders, items, rules, profile_uid: profile, profile_version: version } = terms;
  const cells = new Set([...ratings.values()].flatMap((of) => [...of.keys()]));
  if (items !== 'all' && rules !== 'all')
    for (const item of items)
      for (const rule of rules)
        cells.add(formatRegister({ kind: 'assertion', profile, version, rule, item }));
  const byRule = new Map<string, CellState[][]>();
  for (const reg of [...cells].sort(inOrder)) {
    const register = parseRegister(reg);
    if (register?.kind !== 'assertion') continue;
    const unit = recorders.map((recorder) => ratings.get(recorder)?.get(reg)?.outcome ?? null);
    byRule.set(register.rule, [...(byRule.get(register.rule) ?? []), unit]);
  }
  return {
    all: agreementOf([...byRule.values()].flat(), recorders.length),
    rules: [...byRule]
      .sort(([a], [b]) => inOrder(a, b))
      .map(([rule, units]) => ({ rule, figures: agreementOf(units, recorders.length) })),
  };
}

/** Cells that at least two recorders rated, and not alike: what there is to adjudicate. */
export function differingCells(
  ratings: ReadonlyMap<string, ReadonlyMap<string, Rating>>,
): string[] {
  const said = new Map<string, Set<CellState>>();
  for (const of of ratings.values())
    for (const [reg, { outcome }] of of) said.set(reg, (said.get(reg) ?? new Set()).add(outcome));
  return [...said].flatMap(([reg, outcomes]) => (outcomes.size > 1 ? [reg] : [])).sort(inOrder);
}
