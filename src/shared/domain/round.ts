import { z } from 'zod';
import { KeyId, UserId } from '../contract/ids.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import type { Hasher } from '../lib/hash.ts';
import { agreementOf, type AgreementFigures } from './agreement.ts';
import { type CellState, RawOutcome } from './outcome.ts';
import { ItemUid, ProfileUid, ProfileVersion, RuleUid } from './uid.ts';

/**
 * Rounds of independent recording (chapter Y of src/sync/SPEC.md): their terms, their figures, and
 * what of one a run freezes.
 */

/** Who suggests, or records in a round: a person by user, an agent by key. */
export const ParticipantId = z.union([UserId, KeyId]);

export const RoundId = z
  .string()
  .regex(/^rnd_[A-Za-z0-9_-]{26}$/, 'Must be a round identifier as the service returned it.');

const MOST_LISTED = 5_000;
const listed = <T extends z.ZodType>(uid: T, most = MOST_LISTED) =>
  z
    .array(uid)
    .min(1)
    .max(most)
    .refine((uids) => new Set(uids).size === uids.length, 'Must not name anything twice.');

/**
 * The terms of a round: written once, as one value, since nobody opened a round of one's recorders
 * with another's quorum. The round's id is their hash.
 */
export const RoundTerms = z
  .strictObject({
    recorders: listed(ParticipantId, 50),
    profile_uid: ProfileUid,
    profile_version: ProfileVersion,
    items: z.union([z.literal('all'), listed(ItemUid)]),
    rules: z.union([z.literal('all'), listed(RuleUid)]),
    quorum: z.int().min(1),
    opened_by: UserId,
    /** Whether its recorders are shown the record of its cells while it is open. */
    record: z.enum(['hidden', 'shown']),
    na_is_a_category: z.literal(true),
    nonce: z.string().regex(/^[0-9a-f]{32}$/),
  })
  .refine(({ quorum, recorders }) => quorum <= recorders.length, {
    path: ['quorum'],
    message: 'Must not be more than there are recorders.',
  });
export type RoundTerms = z.infer<typeof RoundTerms>;

/** The name of a round: the hash of its terms, so that no other terms stand under it. */
export const roundId = (terms: RoundTerms, hasher: Hasher): string =>
  `rnd_${hasher.sha256Base64url(canonicalJson(terms)).slice(0, 26)}`;

/** Size and sum (L3) of the changes that a recorder stands by. */
export const Commitment = z.strictObject({
  count: z.int().min(0),
  sum: z.string().regex(/^[0-9a-f]{64}$/),
  /** Whoever committed knew that the round was released. */
  after_release: z.literal(true).optional(),
});
export type Commitment = z.infer<typeof Commitment>;

/**
 * `fits`: the changes that the recorder listed are here, and are those of the commitment.
 * `awaited`: some are not here, or the list is not. `differs`: the list is not what was committed
 * to, or two things were. `late`: it was made by somebody who knew of the release. Only what fits
 * is counted.
 */
export const Fit = z.enum(['none', 'fits', 'awaited', 'differs', 'late']);
export type Fit = z.infer<typeof Fit>;

/**
 * Whether the recorders who are counted agree in a cell: `differing` where their ratings are not
 * alike, `agreed` where all of them rated it alike, and there are two at least; `incomplete`
 * otherwise.
 */
export const CellAgreement = z.enum(['differing', 'agreed', 'incomplete']);
export type CellAgreement = z.infer<typeof CellAgreement>;

/** The figures of a round, and of each of its rules. */
export interface RoundFigures {
  all: AgreementFigures;
  rules: { rule: string; figures: AgreementFigures }[];
}

/** What recorders said, as letters (T, F, N and - for missing), row by row of items and rules. */
export interface RatingTable {
  terms: Pick<RoundTerms, 'items' | 'rules'>;
  items: readonly string[];
  rules: readonly string[];
  /** For each recorder in the order of the terms. */
  letters: readonly string[];
}

const LETTERS: ReadonlyMap<string, CellState> = new Map([
  ['T', 'TRUE'],
  ['F', 'FALSE'],
  ['N', 'NA'],
]);
export const letterOf = (state: CellState): string => (state === null ? '-' : state.charAt(0));

/**
 * Agreement over the cells that somebody rated; where the terms list items and rules, over each of
 * those.
 */
export function figuresOf({ terms, items, rules, letters }: RatingTable): RoundFigures {
  const isListed = terms.items !== 'all' && terms.rules !== 'all';
  const byRule = rules.map((rule, column) => ({
    rule,
    units: items
      .map((_, row) =>
        letters.map((of) => LETTERS.get(of.charAt(row * rules.length + column)) ?? null),
      )
      .filter((unit) => isListed || unit.some((state) => state !== null)),
  }));
  return {
    all: agreementOf(
      byRule.flatMap(({ units }) => units),
      letters.length,
    ),
    rules: byRule
      .filter(({ units }) => units.length > 0)
      .map(({ rule, units }) => ({ rule, figures: agreementOf(units, letters.length) })),
  };
}

const count = z.int().min(0);
const figure = z.number().nullable();
const Figures = z.strictObject({
  units: count,
  units_with_one: count,
  units_with_two: count,
  percent: figure,
  ac1: figure,
  ac1_se: figure,
  ac1_low: figure,
  ac1_high: figure,
  alpha: figure,
  pairs: z.array(
    z.strictObject({
      a: count,
      b: count,
      n: count,
      percent: figure,
      kappa: figure,
      kappa_ase: figure,
      kappa_low: figure,
      kappa_high: figure,
      confusion: z.array(z.array(count).length(3)).length(3),
    }),
  ),
});

/** What a run that names a round freezes of it. It needs nothing beside it to be checked. */
export const FrozenRound = z.strictObject({
  round_id: RoundId,
  terms: RoundTerms,
  items: z.array(ItemUid),
  rules: z.array(RuleUid),
  recorders: z.array(
    z.strictObject({
      recorder: ParticipantId,
      commitments: z.array(Commitment),
      fit: Fit,
      ratings: z.string().regex(/^[TFN-]*$/),
    }),
  ),
  figures: z.strictObject({
    all: Figures,
    rules: z.array(z.strictObject({ rule: RuleUid, figures: Figures })),
  }),
  settled: z.array(
    z.strictObject({
      item_uid: ItemUid,
      rule_uid: RuleUid,
      raw_outcome: RawOutcome.nullable(),
      kind: z.enum(['agreed', 'adjudicated']),
      by: UserId,
      reason: z.string().nullable(),
    }),
  ),
});
export type FrozenRound = z.infer<typeof FrozenRound>;

/** Figures are compared at this many significant digits, since engines may differ in the last. */
const DIGITS = 12;
const rounded = (figures: RoundFigures): string =>
  // Whatever the order of members: a stored run has them in another one.
  canonicalJson(
    JSON.parse(
      JSON.stringify(figures, (_, value: unknown) =>
        typeof value === 'number' ? value.toPrecision(DIGITS) : value,
      ),
    ),
  );

/**
 * Whether a frozen round is what it says: its terms are those of its id, each recorder of them is
 * there once with a letter a cell (and none where the commitment does not fit), and the figures
 * come out again.
 */
export function isReproduced(frozen: FrozenRound, hasher: Hasher): boolean {
  const { round_id, terms, items, rules, recorders, figures } = frozen;
  const letters = recorders.map(({ ratings }) => ratings);
  return (
    roundId(terms, hasher) === round_id &&
    recorders.length === terms.recorders.length &&
    recorders.every(
      ({ recorder, ratings, fit }, place) =>
        recorder === terms.recorders[place] &&
        ratings.length === items.length * rules.length &&
        (fit === 'fits' || /^-*$/.test(ratings)),
    ) &&
    rounded(figuresOf({ terms, items, rules, letters })) === rounded(figures)
  );
}
