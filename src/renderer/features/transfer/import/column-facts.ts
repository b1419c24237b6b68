import { readOutcomeWord } from '../../../../shared/domain/outcome-words.ts';
import { pairHalves } from '../../../../shared/domain/outcome-pairs.ts';
import type { Pace } from '../../../files/pace.ts';
import type { Table } from '../../../files/table.ts';
import { t } from '../../../text/t.ts';

/** What a column holds, as far as its first rows show. */
export interface ColumnFacts {
  /** Cells that are not empty, of `rows`. */
  filled: number;
  rows: number;
  /** Different texts. */
  different: number;
  /** Whether only the first of the rows were looked at. */
  isSample: boolean;
  /** Cells whose text is an ID of an item of the case. */
  known: number;
  /** Cells that hold an outcome, or half of a pair such as yes and no. */
  outcomes: number;
  hgvsC: number;
  hgvsP: number;
  dates: number;
  /** Numbers from 0 to 1, and numbers that are neither 0 nor 1. */
  shares: number;
  fractions: number;
}

const LOOKED_AT = 2_000;
const HGVS_C = /^(?:[A-Z]{2}_\d+(?:\.\d+)?(?:\([^)]*\))?:)?[cn]\.[-*\d_?(]/;
const HGVS_P = /^(?:[A-Z]{2}_\d+(?:\.\d+)?(?:\([^)]*\))?:)?p\.[(A-Z*?=0]/;
const DATE = /^(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})(?:[ T].*)?$/;

/** Marks of each different word, so that it is looked at once however often it stands there. */
function looker(table: Table, isItem: (uid: string) => boolean) {
  const halfOf = pairHalves(table.words.slice(0, 5_000).map(({ text }) => text));
  const marks = new Map<number, number>();
  return (index: number): number => {
    let mark = marks.get(index);
    if (mark !== undefined) return mark;
    const { text, kind } = table.words[index]!;
    const trimmed = text.trim();
    const number = trimmed === '' ? Number.NaN : Number(trimmed.replace(',', '.'));
    mark =
      (isItem(text) ? 1 : 0) |
      (readOutcomeWord(text) !== undefined || halfOf(text) !== undefined ? 2 : 0) |
      (HGVS_C.test(trimmed) ? 4 : 0) |
      (HGVS_P.test(trimmed) ? 8 : 0) |
      (kind === 'date' || DATE.test(trimmed) ? 16 : 0) |
      (number >= 0 && number <= 1 ? 32 : 0) |
      (number > 0 && number < 1 ? 64 : 0);
    marks.set(index, mark);
    return mark;
  };
}

/** Looks at the first rows below the headings. */
export async function factsOf(
  table: Table,
  headerRow: number,
  isItem: (uid: string) => boolean,
  pace: Pace,
): Promise<ColumnFacts[]> {
  const end = Math.min(table.rows.length, headerRow + 1 + LOOKED_AT);
  const markOf = looker(table, isItem);
  const facts: ColumnFacts[] = [];
  for (let column = 0; column < table.width; column += 1) {
    const counts = [0, 0, 0, 0, 0, 0, 0];
    const different = new Set<number>();
    let filled = 0;
    for (let row = headerRow + 1; row < end; row += 1) {
      const word = table.rows[row]![column] ?? 0;
      if (word === 0) continue;
      filled += 1;
      different.add(word);
      const mark = markOf(word);
      for (let bit = 0; bit < counts.length; bit += 1)
        if ((mark & (1 << bit)) !== 0) counts[bit]! += 1;
    }
    const [known = 0, outcomes = 0, hgvsC = 0, hgvsP = 0, dates = 0, shares = 0, fractions = 0] =
      counts;
    facts.push({
      filled,
      rows: end - headerRow - 1,
      different: different.size,
      isSample: end < table.rows.length,
      ...{ known, outcomes, hgvsC, hgvsP, dates, shares, fractions },
    });
    await pace(column / table.width);
  }
  return facts;
}

/** "40 different values", "3 different values in 40 rows". */
export function contentWords({ filled, different, isSample }: ColumnFacts): string {
  if (filled === 0) return t('empty');
  const counts = { different, filled };
  if (different === filled)
    return isSample
      ? t(
          '{different, plural, one {# different value} other {# different values}} of the first rows',
          counts,
        )
      : t('{different, plural, one {# different value} other {# different values}}', counts);
  return isSample
    ? t(
        '{different, plural, one {# different value} other {# different values}} in {filled, number} cells of the first rows',
        counts,
      )
    : t(
        '{different, plural, one {# different value} other {# different values}} in {filled, number} cells',
        counts,
      );
}
