import { type PairHalf, pairHalves } from '../../../../shared/domain/outcome-pairs.ts';
import { readOutcomeWord, type WordReading } from '../../../../shared/domain/outcome-words.ts';
import type { Pace } from '../../../files/pace.ts';
import type { Table, Word } from '../../../files/table.ts';
import type { Mapping } from './mapping.ts';

/** What a value of the file maps to; `skip` leaves its cells as they are. */
export type Meaning = 'TRUE' | 'FALSE' | 'NA' | 'unrecorded' | 'skip';

/** What the positive half of a pair, or TRUE itself, means in a column. */
export type Polarity = 'evidence' | 'problem';

export interface FoundValue {
  word: Word;
  count: number;
  /** Rows of the table that show it, the first ones. */
  rows: number[];
  /** The outcome that it names, and in which language; undefined where it names none. */
  reading: WordReading | undefined;
  /** Which half of a pair such as yes and no it is. */
  half: PairHalf | undefined;
}

/** The different values of one column of outcomes, the unread ones first. */
export interface ColumnValues {
  column: number;
  values: readonly FoundValue[];
  /** Cells that are not empty. */
  filled: number;
}

/** What a value maps to, and whether it says so plainly. */
export interface Mapped {
  meaning: Meaning;
  /** It is the outcome's own word: it changes no cell that has the outcome already. */
  isPlain: boolean;
}

export function outcomeColumns({ form, roles }: Mapping): number[] {
  return roles.flatMap((role, index) =>
    (form === 'long' ? role === 'outcome' : role.startsWith('rule:')) ? [index] : [],
  );
}

const SAMPLE_ROWS = 3;
/** A column with more different values holds no outcomes; those beyond are not asked about. */
const MOST_DIFFERENT = 2_000;

/**
 * Every different value of each column of outcomes. Values that differ in case or outer white space
 * stay apart.
 */
export async function collectValues(
  table: Table,
  firstRow: number,
  mapping: Mapping,
  pace: Pace,
): Promise<ColumnValues[]> {
  const columns = outcomeColumns(mapping);
  const found = columns.map(() => new Map<number, { count: number; rows: number[] }>());
  for (let row = firstRow; row < table.rows.length; row += 1) {
    const fields = table.rows[row]!;
    for (const [at, column] of columns.entries()) {
      const index = fields[column] ?? 0;
      if (index === 0) continue;
      const known = found[at]!.get(index);
      if (known === undefined) {
        if (found[at]!.size < MOST_DIFFERENT) found[at]!.set(index, { count: 1, rows: [row] });
      } else {
        known.count += 1;
        if (known.rows.length < SAMPLE_ROWS) known.rows.push(row);
      }
    }
    if (row % 500 === 0) await pace(row / table.rows.length);
  }
  return columns.map((column, at) => valuesOf(column, found[at]!, table.words));
}

function valuesOf(
  column: number,
  found: ReadonlyMap<number, { count: number; rows: number[] }>,
  words: readonly Word[],
): ColumnValues {
  const entries = [...found].filter(([index]) => words[index]!.text.trim() !== '');
  const halfOf = pairHalves(entries.map(([index]) => words[index]!.text));
  const values = entries.map(([index, { count, rows }]): FoundValue => {
    const word = words[index]!;
    const reading = readOutcomeWord(word.text);
    return {
      ...{ word, count, rows, reading },
      half:
        reading === undefined
          ? halfOf(word.text)
          : reading.state === 'NA'
            ? undefined
            : reading.state === 'TRUE'
              ? 'so'
              : 'not',
    };
  });
  const rank = ({ reading, half }: FoundValue): number =>
    reading === undefined ? (half === undefined ? 0 : 1) : reading.language === null ? 3 : 2;
  return {
    column,
    values: values.toSorted((a, b) => rank(a) - rank(b) || b.count - a.count),
    filled: values.reduce((sum, { count }) => sum + count, 0),
  };
}

export const wordKey = ({ text, kind }: Word): string => `${kind} ${text}`;

/** What a person chose for values, by column and `wordKey`. */
export type ChosenMeanings = ReadonlyMap<number, ReadonlyMap<string, Meaning>>;
export type Polarities = ReadonlyMap<number, Polarity>;

const OPPOSITE: Record<Polarity, Polarity> = { evidence: 'problem', problem: 'evidence' };
const MEANS: Record<Polarity, Meaning> = { evidence: 'FALSE', problem: 'TRUE' };

/**
 * What a value maps to: what was chosen for it, what the column's switch says of its half, or the
 * outcome that it names. Undefined: a person has to decide.
 */
export function meaningOf(
  { word, reading, half }: FoundValue,
  chosen: ReadonlyMap<string, Meaning> | undefined,
  polarity: Polarity | undefined,
): Meaning | undefined {
  const own = chosen?.get(wordKey(word));
  if (own !== undefined) return own;
  if (half !== undefined && polarity !== undefined)
    return MEANS[half === 'so' ? polarity : OPPOSITE[polarity]];
  return reading?.state;
}

/** Of each column, what its values map to, by `wordKey`; those not mapped are missing. */
export function mapValues(
  columns: readonly ColumnValues[],
  chosen: ChosenMeanings,
  polarities: Polarities,
): Map<number, ReadonlyMap<string, Mapped>> {
  return new Map(
    columns.map(({ column, values }) => [
      column,
      new Map(
        values.flatMap((value): [string, Mapped][] => {
          const meaning = meaningOf(value, chosen.get(column), polarities.get(column));
          if (meaning === undefined) return [];
          const isPlain = value.reading?.language === null && value.reading.state === meaning;
          return [[wordKey(value.word), { meaning, isPlain }]];
        }),
      ),
    ]),
  );
}

/** Cells of a column in which TRUE or FALSE itself is read as another outcome. */
export const remappedCells = (
  { column, values }: ColumnValues,
  chosen: ChosenMeanings,
  polarities: Polarities,
): number =>
  values
    .filter((value) => {
      if (value.reading === undefined || value.reading.state === 'NA') return false;
      const meaning = meaningOf(value, chosen.get(column), polarities.get(column));
      return meaning === 'TRUE' || meaning === 'FALSE' || meaning === 'NA'
        ? meaning !== value.reading.state
        : false;
    })
    .reduce((sum, { count }) => sum + count, 0);
