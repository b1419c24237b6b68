import {
  type HeadingKind,
  KIND_WORDS,
  rankAs,
  wordsOf,
} from '../../../../shared/domain/heading-words.ts';
import {
  clearlyNearest,
  type NamedRule,
  type NearRule,
  nearRules,
} from '../../../../shared/domain/near-rule.ts';
import { ruleNames } from '../../../../shared/domain/rule-words.ts';
import type { Pace } from '../../../files/pace.ts';
import { GUARD_HEADER } from '../../../files/sheet.ts';
import { METADATA } from '../metadata-text.ts';
import { type ColumnFacts, contentWords } from './column-facts.ts';
import {
  CELL_ROLES,
  type ColumnRole,
  type FileLayout,
  ITEM_ROLES,
  type Mapping,
} from './mapping.ts';
import { t, tOf } from '../../../text/t.ts';

/** What a column is taken for, and why, in words for the person who may choose otherwise. */
interface Guess {
  role: ColumnRole;
  reason: string;
}

/** Columns of which the format says what they are. */
export type KnownColumns = ReadonlyMap<number, Guess>;

export interface GuessedMapping extends Mapping {
  /** Of each column. */
  reasons: readonly string[];
}

/** A guess, and how it compares with guesses of the same role for other columns. */
interface Candidate extends Guess {
  column: number;
  score: number;
}

/** Comparing a heading with every rule is for files of a person's size. */
const COMPARED = 300;

const share = (count: number, { filled }: ColumnFacts): number =>
  filled === 0 ? 0 : count / filled;
const says = (heading: string): string => t('Heading says {heading}', { heading: heading.trim() });

function likeness(by: NearRule['by']): string {
  switch (by.kind) {
    case 'initials':
      return t('Heading is made of the initials of the rule’s name');
    case 'letters':
      return t(
        'Heading is the rule’s name but for {letters, plural, one {one letter} other {# letters}}',
        { letters: by.letters },
      );
    case 'name':
      return t('Heading shares {words} with the rule’s name', { words: quoted(by.words) });
    case 'description':
      return t('Heading shares {words} with what the rule says to check', {
        words: quoted(by.words),
      });
  }
}

const quoted = (words: readonly string[]): string =>
  words.map((word) => t('“{word}”', { word })).join(', ');

/** What the format itself calls its columns: as exported here. */
function byOwnName(heading: string, form: FileLayout): Guess | undefined {
  const word = heading.trim().toLowerCase();
  if (word === GUARD_HEADER)
    return { role: 'guard', reason: t('An export marks added apostrophes by this heading') };
  const named = [...ITEM_ROLES, ...(form === 'long' ? CELL_ROLES : [])].find(
    (role) => role === word,
  );
  if (named !== undefined) return { role: named, reason: says(heading) };
  return word.startsWith(METADATA) && heading.length > METADATA.length
    ? {
        role: `metadata:${heading.slice(METADATA.length)}`,
        reason: t('An export names fields of items so'),
      }
    : undefined;
}

/** Words by which a heading says ID even where some rows repeat one. */
const ID_WORDS = new Set(['id', 'uid', 'identifier', 'accession', 'rsid']);

/** How likely a column holds the items' IDs. */
function asId(heading: string, column: number, facts: ColumnFacts): Candidate | undefined {
  const { filled, rows, different, known } = facts;
  const rank = rankAs(heading, 'id');
  const isUnlike = filled > 0 && different >= 0.95 * filled && filled >= 0.9 * rows;
  const isKnown = share(known, facts) >= 0.5 && filled > 0;
  if (rank === undefined && !isKnown && !isUnlike) return undefined;
  const saysId = wordsOf(heading).some((word) => ID_WORDS.has(word));
  // Without a heading that says so, a column of dates, measures or descriptions is no ID.
  const isOther =
    rank === undefined && !isKnown && facts.dates + facts.hgvsP + facts.fractions > filled / 2;
  if (isOther || (filled > 0 && !isUnlike && !isKnown && !saysId)) return undefined;
  const reason = [
    ...(rank === undefined ? [] : [says(heading)]),
    ...(isKnown ? [t('{known, number} of its values are items of this case', { known })] : []),
    contentWords(facts),
    ...(rank === undefined && filled === rows ? [t('no cell is empty')] : []),
  ].join('; ');
  return {
    ...{ role: 'item_uid', reason, column },
    score:
      (rank === undefined ? 0 : 10 - rank / 10) +
      (isKnown ? 6 : 0) -
      (isUnlike ? 0 : 4) -
      column / 10_000,
  };
}

const FIELDS = ['hgvs_c', 'hgvs_p', 'gene', 'allele_frequency', 'date', 'notes'] as const;
type Field = (typeof FIELDS)[number];

/** Whether the content of a column does not speak against a field. */
function fits(field: Field, facts: ColumnFacts): boolean {
  if (facts.filled === 0) return true;
  if (field === 'allele_frequency') return share(facts.shares, facts) > 0.5;
  return field === 'notes' || share(facts.outcomes, facts) < 0.5;
}

/** A field of items that is known by its heading, else by its content. */
function asField(heading: string, facts: ColumnFacts): Guess | undefined {
  const key = heading.trim();
  if (key === '') return undefined;
  const words = wordsOf(heading);
  const named = FIELDS.find(
    (field) =>
      (rankAs(heading, field) !== undefined ||
        (field === 'allele_frequency' && words.includes('af')) ||
        (field === 'date' && words.includes('date')) ||
        (field === 'notes' && words.some((word) => rankAs(word, 'notes') !== undefined))) &&
      fits(field, facts),
  );
  const role = `metadata:${key}` as const;
  if (named !== undefined)
    return {
      role,
      reason: t('Heading says {kind}: kept as a field of the item', {
        kind: tOf(KIND_WORDS[named]),
      }),
    };
  const held: HeadingKind | undefined =
    share(facts.hgvsC, facts) > 0.6
      ? 'hgvs_c'
      : share(facts.hgvsP, facts) > 0.6
        ? 'hgvs_p'
        : share(facts.dates, facts) > 0.8
          ? 'date'
          : undefined;
  return held === undefined
    ? undefined
    : {
        role,
        reason: t('Values look like {kind}: kept as a field of the item', {
          kind: tOf(KIND_WORDS[held]),
        }),
      };
}

const looksLikeOutcomes = (facts: ColumnFacts): boolean =>
  facts.filled === 0 || share(facts.outcomes, facts) >= 0.4;

/** Rules whose name is like a heading, for columns whose values may be outcomes. */
async function byNearName(
  headings: readonly string[],
  facts: readonly ColumnFacts[],
  rules: readonly NamedRule[],
  isOpen: (column: number) => boolean,
  pace: Pace,
): Promise<{ found: Candidate[]; unclear: Map<number, string> }> {
  const near = nearRules(rules);
  const found: Candidate[] = [];
  const unclear = new Map<number, string>();
  for (const [column, heading] of headings.slice(0, COMPARED).entries()) {
    if (!isOpen(column) || heading.trim() === '' || !looksLikeOutcomes(facts[column]!)) continue;
    await pace(column / headings.length);
    const ranked = near(heading);
    const clear = clearlyNearest(ranked);
    if (clear !== undefined)
      found.push({
        role: `rule:${clear.ruleUid}`,
        reason: `${likeness(clear.by)}; ${contentWords(facts[column]!)}`,
        column,
        score: clear.score,
      });
    else if (ranked.length > 1 && ranked[0]!.score >= 0.5)
      unclear.set(column, t('Heading is like the names of several rules: choose one'));
  }
  return { found: found.toSorted((a, b) => b.score - a.score), unclear };
}

/** The columns of one file, each with what it is taken for so far. */
class Guesser {
  readonly #guesses: (Guess | undefined)[];
  readonly #taken = new Map<ColumnRole, number>();
  readonly headings: readonly string[];

  constructor(headings: readonly string[]) {
    this.headings = headings;
    this.#guesses = headings.map(() => undefined);
  }

  readonly isOpen = (column: number): boolean => this.#guesses[column] === undefined;

  /** Takes a guess unless the column or its use is taken: the first one counts. */
  take(column: number, guess: Guess | undefined): void {
    if (guess === undefined || !this.isOpen(column)) return;
    const other = this.#taken.get(guess.role);
    if (other === undefined) {
      this.#taken.set(guess.role, column);
      this.#guesses[column] = guess;
    } else if (guess.role.startsWith('rule:') || guess.role === 'item_uid')
      this.leave(
        column,
        t('“{heading}” is used for the same', { heading: this.headings[other]?.trim() ?? '' }),
      );
  }

  leave(column: number, reason: string): void {
    if (this.isOpen(column)) this.#guesses[column] = { role: 'ignore', reason };
  }

  has(role: ColumnRole): boolean {
    return this.#taken.has(role);
  }

  finish(form: FileLayout): GuessedMapping {
    const guesses = this.#guesses.map(
      (guess): Guess =>
        guess ?? { role: 'ignore', reason: t('Not known by its heading or values') },
    );
    return {
      form,
      roles: guesses.map(({ role }) => role),
      reasons: guesses.map(({ reason }) => reason),
    };
  }
}

function layoutOf(headings: readonly string[]): FileLayout {
  const words = headings.map((heading) => heading.trim().toLowerCase());
  return words.includes('rule_uid') && words.includes('outcome') ? 'long' : 'wide';
}

/**
 * What each column of a file is probably for, by its heading and its values. What is not clear is
 * left out. Everything is shown with its reason before it is used.
 */
export async function guessColumns(
  headings: readonly string[],
  facts: readonly ColumnFacts[],
  rules: readonly NamedRule[],
  pace: Pace,
  asked?: FileLayout,
  known: KnownColumns = new Map(),
): Promise<GuessedMapping> {
  const form = asked ?? layoutOf(headings);
  const guesser = new Guesser(headings);
  const each = (guess: (heading: string, column: number) => Guess | undefined): void => {
    for (const [column, heading] of headings.entries())
      if (guesser.isOpen(column)) guesser.take(column, guess(heading, column));
  };
  for (const [column, guess] of known) guesser.take(column, guess);
  each((heading) => byOwnName(heading, form));
  if (form === 'wide') each(byRuleName(rules));
  if (!guesser.has('item_uid')) takeId(guesser, facts);
  each((heading, column) => asField(heading, facts[column]!));
  for (const role of ['item_type', 'label'] as const)
    each((heading, column) =>
      rankAs(heading, role) === undefined || share(facts[column]!.outcomes, facts[column]!) > 0.5
        ? undefined
        : { role, reason: `${says(heading)}; ${contentWords(facts[column]!)}` },
    );
  if (form === 'wide') {
    const { found, unclear } = await byNearName(headings, facts, rules, guesser.isOpen, pace);
    for (const candidate of found) guesser.take(candidate.column, candidate);
    for (const [column, reason] of unclear) guesser.leave(column, reason);
    for (const [column, held] of facts.entries())
      if (held.filled > 0 && looksLikeOutcomes(held))
        guesser.leave(column, t('Values look like outcomes, but no rule has such a name'));
  }
  return guesser.finish(form);
}

function byRuleName(rules: readonly NamedRule[]): (heading: string) => Guess | undefined {
  const find = ruleNames(rules);
  return (heading) => {
    const rule = find(heading);
    return rule === undefined
      ? undefined
      : {
          role: `rule:${rule.ruleUid}`,
          reason:
            rule.by === 'uid' ? t('Heading is the rule’s ID') : t('Heading is the rule’s name'),
        };
  };
}

function takeId(guesser: Guesser, facts: readonly ColumnFacts[]): void {
  const [best] = guesser.headings
    .flatMap((heading, column) =>
      guesser.isOpen(column) ? [asId(heading, column, facts[column]!)] : [],
    )
    .filter((candidate) => candidate !== undefined)
    .toSorted((a, b) => b.score - a.score);
  if (best !== undefined) guesser.take(best.column, best);
}
