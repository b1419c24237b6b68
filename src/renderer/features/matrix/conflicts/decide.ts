import { isMaterial } from '../../../../shared/domain/contested.ts';
import { canonicalJson } from '../../../../shared/lib/canonical-json.ts';
import type {
  Alternative,
  Contest,
  MatrixSession,
  Settling,
  EntryAuthor,
} from '../../../data/store/port.ts';
import { t } from '../../../text/t.ts';

/** Ways to resolve many at once. Each says which of several values holds, or nothing. */
export const BULK_RULES = [
  'shown',
  'mine',
  'theirs',
  'author',
  'newest',
  'problem',
  'measured',
  'sourced',
] as const;
export type BulkRule = (typeof BULK_RULES)[number];

export const BULK_RULE_LABELS: Record<BulkRule, string> = {
  shown: t('Take what is shown now'),
  mine: t('Take mine'),
  theirs: t('Take theirs'),
  author: t('Take one author’s value'),
  newest: t('Take the newest by its author’s clock'),
  problem: t('TRUE (problem found) wins'),
  measured: t('NA (not available) and unrecorded lose'),
  sourced: t('Take the one with a source'),
};

const ANOTHER_DEVICE = t('another device');

/** What two values must share to say the same, as the review compares them. */
export const contentKey = ({ field, value, raw_outcome, source_value }: Alternative): string =>
  field === 'outcome' ? canonicalJson([raw_outcome, source_value]) : canonicalJson(value ?? null);

/**
 * The same person on another device is another author here: else nothing could be chosen between
 * the two.
 */
export const authorOf = ({ by, mine, here }: EntryAuthor): string =>
  mine && !here ? `${by}, ${ANOTHER_DEVICE}` : by;

/** The value to take, if all values that a rule allows say the same. */
function onlyOne(heads: readonly Alternative[]): Alternative | null {
  const [first] = heads;
  return first !== undefined && heads.every((head) => contentKey(head) === contentKey(first))
    ? first
    : null;
}

/**
 * Another outcome in place of one of the heads': the sources that they gave are theirs, one that
 * was typed for it stays.
 */
export function withOutcome(
  heads: readonly Alternative[],
  value: Pick<Alternative, 'raw_outcome'> & { source_value?: string; provenance?: unknown },
  raw_outcome: Alternative['raw_outcome'],
): typeof value {
  if (raw_outcome === value.raw_outcome) return value;
  const { source_value } = value;
  return {
    raw_outcome,
    ...(source_value === undefined || heads.some((head) => head.source_value === source_value)
      ? {}
      : { source_value }),
  };
}

const hasSource = ({ source_value, provenance }: Alternative): boolean =>
  (source_value !== null && source_value.trim() !== '') ||
  (provenance !== null && provenance !== undefined && provenance !== '');

/** Which of the heads holds by a rule; null where the rule does not say. */
export function decide(
  heads: readonly Alternative[],
  rule: BulkRule,
  writers: ReadonlyMap<string, EntryAuthor>,
  author: string | null,
): Alternative | null {
  const isOutcome = heads[0]?.field === 'outcome';
  const by = (test: (writer: EntryAuthor) => boolean): Alternative | null =>
    heads.every(({ entry }) => writers.has(entry))
      ? onlyOne(heads.filter(({ entry }) => test(writers.get(entry)!)))
      : null;
  switch (rule) {
    case 'shown':
      return heads[0] ?? null;
    case 'mine':
      return by(({ mine, here }) => mine && here) ?? by(({ mine }) => mine);
    case 'theirs':
      return by(({ mine, here }) => !mine || !here);
    case 'author':
      return by((writer) => authorOf(writer) === author);
    case 'newest': {
      const newest = heads.reduce(
        (last, { entry }) =>
          (writers.get(entry)?.at ?? '') > last ? (writers.get(entry)?.at ?? '') : last,
        '',
      );
      return by(({ at }) => at === newest);
    }
    case 'problem':
      return isOutcome ? onlyOne(heads.filter(({ raw_outcome }) => raw_outcome === 'TRUE')) : null;
    case 'measured':
      return isOutcome
        ? onlyOne(
            heads.filter(({ raw_outcome }) => raw_outcome === 'TRUE' || raw_outcome === 'FALSE'),
          )
        : null;
    case 'sourced':
      return isOutcome ? onlyOne(heads.filter(hasSource)) : null;
  }
}

/** A register with the heads that were shown, and which of them is to hold. */
export interface Decision {
  contest: Contest;
  heads: readonly Alternative[];
  taken: Alternative | null;
}

export function planBulk(
  session: Pick<MatrixSession, 'headsOf'>,
  contests: readonly Contest[],
  rule: BulkRule,
  writers: ReadonlyMap<string, EntryAuthor>,
  author: string | null,
): Decision[] {
  return contests.map((contest) => {
    const heads = session.headsOf(contest.reg);
    return { contest, heads, taken: decide(heads, rule, writers, author) };
  });
}

export const namesOf = (heads: readonly Alternative[]): string[] => heads.map(({ entry }) => entry);
export const sameHeads = (a: readonly Alternative[], b: readonly Alternative[]): boolean =>
  a.length === b.length && a.every(({ entry }, at) => entry === b[at]?.entry);

export const toSettlings = (plan: readonly Decision[]): Settling[] =>
  plan.flatMap(({ contest, heads, taken }) =>
    taken === null ? [] : [{ reg: contest.reg, heads: namesOf(heads), value: taken.value }],
  );

/** Whether it matters to a run which of the heads holds. */
export const changesResult = (heads: readonly Alternative[]): boolean =>
  heads[0]?.field === 'outcome' &&
  isMaterial(
    heads[0].raw_outcome,
    heads.slice(1).map(({ raw_outcome }) => raw_outcome),
  );

export interface BulkSums {
  /** Registers resolved, by what they are to be; notes and fields of items stand together. */
  to: Record<'FALSE' | 'TRUE' | 'NA' | 'unrecorded' | 'other', number>;
  resolved: number;
  /** Where something else than what is shown now is taken. */
  changed: number;
  undecided: number;
}

export function sumsOf(plan: readonly Decision[]): BulkSums {
  const sums: BulkSums = {
    to: { FALSE: 0, TRUE: 0, NA: 0, unrecorded: 0, other: 0 },
    resolved: 0,
    changed: 0,
    undecided: 0,
  };
  for (const { heads, taken } of plan) {
    if (taken === null) {
      sums.undecided += 1;
      continue;
    }
    sums.resolved += 1;
    sums.to[taken.field === 'outcome' ? (taken.raw_outcome ?? 'unrecorded') : 'other'] += 1;
    if (heads[0] !== undefined && contentKey(heads[0]) !== contentKey(taken)) sums.changed += 1;
  }
  return sums;
}
