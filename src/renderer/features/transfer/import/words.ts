import { readOutcomeWord, type WordReading } from '../../../../shared/domain/outcome-words.ts';
import type { Pace } from '../../../files/pace.ts';
import type { Table, Word } from '../../../files/table.ts';
import type { Mapping } from './mapping.ts';

/** What a value of the file maps to; `skip` leaves its cells as they are. */
export type Meaning = 'TRUE' | 'FALSE' | 'NA' | 'unrecorded' | 'skip';

export interface FoundWord {
  word: Word;
  count: number;
  /** Where it is first: row of the file, column index. */
  line: number;
  column: number;
  /** The outcome that it names, and in which language; undefined: a person has to decide. */
  reading: WordReading | undefined;
}

export function outcomeColumns({ form, roles }: Mapping): number[] {
  return roles.flatMap((role, index) =>
    (form === 'long' ? role === 'outcome' : role.startsWith('rule:')) ? [index] : [],
  );
}

/**
 * Every different word in the columns of outcomes, the unread ones first. Words that differ in case
 * or outer white space stay apart.
 */
export async function collectWords(
  table: Table,
  firstRow: number,
  mapping: Mapping,
  pace: Pace,
): Promise<FoundWord[]> {
  const counts = new Uint32Array(table.words.length);
  const first = new Map<number, { line: number; column: number }>();
  const columns = outcomeColumns(mapping);
  for (let row = firstRow; row < table.rows.length; row += 1) {
    const fields = table.rows[row]!;
    for (const column of columns) {
      const index = fields[column] ?? 0;
      if (counts[index] === 0) first.set(index, { line: table.lines[row]!, column });
      counts[index]! += 1;
    }
    if (row % 500 === 0) await pace(row / table.rows.length);
  }
  const found: FoundWord[] = [];
  for (const [index, place] of first) {
    const word = table.words[index]!;
    if (word.text.trim() === '') continue;
    found.push({ word, count: counts[index]!, ...place, reading: readOutcomeWord(word.text) });
  }
  const rank = ({ reading }: FoundWord): number =>
    reading === undefined ? 0 : reading.language === null ? 2 : 1;
  return found.toSorted((a, b) => rank(a) - rank(b) || b.count - a.count);
}

export const wordKey = ({ text, kind }: Word): string => `${kind} ${text}`;

/** The meanings known before anyone is asked. */
export function knownMeanings(words: readonly FoundWord[]): Map<string, Meaning> {
  return new Map(
    words.flatMap(({ word, reading }) =>
      reading === undefined ? [] : [[wordKey(word), reading.state] as const],
    ),
  );
}

/** The word says its outcome plainly; any other is kept as the cell's source value. */
export const isPlain = ({ reading }: FoundWord): boolean => reading?.language === null;
