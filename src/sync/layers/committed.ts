import {
  type Commitment,
  figuresOf,
  type Fit,
  type FrozenRound,
  letterOf,
  type RatingTable,
  type RoundFigures,
  type RoundTerms,
  type CellAgreement,
} from '../../shared/domain/round.ts';
import type { CellState } from '../../shared/domain/outcome.ts';
import type { Assertion } from '../assertion.ts';
import { applyEntry, displayedHead, EMPTY_REGISTER, type RegisterState } from '../heads.ts';
import { formatRegister, parseRegister, type Register } from '../register.ts';
import { MOST_COMMITTED } from './values.ts';
import type { Entry } from '../change.ts';
import { commitmentOf, isInRound, type RecordingRound } from './rounds.ts';

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

export interface CommittedLayer {
  fit: Fit;
  /** The changes that count; empty unless the commitment fits. */
  ids: ReadonlySet<string>;
}

/** How a recorder commits: the entries for the layer, and the value of `done` for the case. */
export interface Committing {
  parts: Entry[];
  done: Commitment;
}

/**
 * Commits to all that a layer holds, except lists of earlier commitments (YC1). The parts go into
 * the layer, in changes as small as they have to be (C3), before `done` goes into the case.
 */
export function commitTo(changes: readonly LayerChange[], isReleased: boolean): Committing {
  const ids = changes
    .filter(({ entries }) => entries.some(({ register }) => register?.kind !== 'committed'))
    .map(({ id }) => id)
    .sort();
  const done = commitmentOf(ids);
  const parts: Entry[] = [];
  for (let from = 0; from < ids.length; from += MOST_COMMITTED)
    parts.push({
      op: 'announce',
      parents: [],
      reg: formatRegister({ kind: 'committed', sum: done.sum, part: parts.length }),
      value: { changes: ids.slice(from, from + MOST_COMMITTED) },
    });
  return { parts, done: isReleased ? { ...done, after_release: true } : done };
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

/** What recorders said of a cell, by its address, for each recorder. */
export type Ratings = ReadonlyMap<string, ReadonlyMap<string, Rating>>;

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The ratings as a table of the items and rules that occur, both in order of their uids. */
export function tableOf({ terms }: Pick<RecordingRound, 'terms'>, ratings: Ratings): RatingTable {
  const isListed = terms.items !== 'all' && terms.rules !== 'all';
  const items = new Set(isListed ? terms.items : []);
  const rules = new Set(isListed ? terms.rules : []);
  for (const reg of new Set([...ratings.values()].flatMap((of) => [...of.keys()]))) {
    const register = parseRegister(reg);
    if (register?.kind !== 'assertion') continue;
    items.add(register.item);
    rules.add(register.rule);
  }
  const [rows, columns] = [[...items].sort(inOrder), [...rules].sort(inOrder)];
  const place = { profile: terms.profile_uid, version: terms.profile_version };
  const letters = terms.recorders.map((recorder) =>
    rows
      .flatMap((item) =>
        columns.map((rule) => {
          const reg = formatRegister({ kind: 'assertion', ...place, rule, item });
          return letterOf(ratings.get(recorder)?.get(reg)?.outcome ?? null);
        }),
      )
      .join(''),
  );
  return { terms, items: rows, rules: columns, letters };
}

/** Agreement of the committed layers. */
export const roundFigures = (
  round: Pick<RecordingRound, 'terms'>,
  ratings: Ratings,
): RoundFigures => figuresOf(tableOf(round, ratings));

/** What a run freezes of a round; `fits` says of each recorder whether the commitment fits. */
export function freezeRound(
  round: RecordingRound,
  ratings: Ratings,
  fits: ReadonlyMap<string, Fit>,
  settled: FrozenRound['settled'],
): FrozenRound {
  const table = tableOf(round, ratings);
  return {
    round_id: round.id,
    terms: round.terms,
    items: [...table.items],
    rules: [...table.rules],
    recorders: round.terms.recorders.map((recorder, place) => ({
      recorder,
      commitments: [...(round.commitments.get(recorder) ?? [])],
      fit: fits.get(recorder) ?? 'none',
      ratings: table.letters[place] ?? '',
    })),
    figures: figuresOf(table),
    settled: [...settled].sort(
      (a, b) => inOrder(a.item_uid, b.item_uid) || inOrder(a.rule_uid, b.rule_uid),
    ),
  };
}

/** The rated cells and whether the recorders agree in them, in order of their addresses. */
export function agreementByCell(
  ratings: Ratings,
  fits: ReadonlyMap<string, Fit>,
): ReadonlyMap<string, CellAgreement> {
  const counted = [...fits.values()].filter((fit) => fit === 'fits').length;
  const said = new Map<string, CellState[]>();
  for (const of of ratings.values())
    for (const [reg, { outcome }] of of) said.set(reg, [...(said.get(reg) ?? []), outcome]);
  return new Map(
    [...said]
      .sort(([a], [b]) => inOrder(a, b))
      .map(([reg, outcomes]) => [
        reg,
        new Set(outcomes).size > 1
          ? 'differing'
          : outcomes.length > 1 && outcomes.length === counted
            ? 'agreed'
            : 'incomplete',
      ]),
  );
}

/** Cells that at least two recorders rated, and not alike: what there is to adjudicate. */
export const differingCells = (ratings: Ratings): string[] =>
  [...agreementByCell(ratings, new Map())].flatMap(([reg, agreement]) =>
    agreement === 'differing' ? [reg] : [],
  );
