import type { Word } from '../../../files/table.ts';

/**
 * Whether an identifier or a label looks like what a spreadsheet makes of another one. The changes are those of gene symbols and clone identifiers:
 * doi:10.1186/1471-2105-5-80, doi:10.1186/s13059-016-1044-7, doi:10.1371/journal.pcbi.1008984.
 */
export interface Suspicion {
  /** It has probably been changed; else it is one that the next spreadsheet would change. */
  isChanged: boolean;
  why: string;
}

/** Short names of months as spreadsheets of several languages show them. */
const MONTHS = 'jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|mrz|mär|mai|okt|dez|janv|févr|mars|avr|juin|juil|août|déc|ene|abr|ago|dic|gen|mag|giu|lug|set|ott|fev|out|maj|kvě|srp';
const CHANGED: readonly [RegExp, string][] = [
  [new RegExp(`^\\d{1,2}[-/. ](?:${MONTHS})\\.?(?:[-/. ]\\d{2,4})?$`, 'i'), 'Reads as a day of a month: a spreadsheet makes that of names such as SEPT2 or MARCH1.'],
  [new RegExp(`^(?:${MONTHS})\\.?[-/. ]\\d{1,4}$`, 'i'), 'Reads as a month: a spreadsheet makes that of names such as SEPT2 or MARCH1.'],
  [/^\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?$/, 'Reads as a date.'],
  [/^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$/, 'Reads as a date.'],
  [/^\d(?:[.,]\d+)?E[+-]?\d{2,}$/i, 'Reads as a number in scientific notation: a spreadsheet makes that of identifiers such as 2310009E13.'],
  [/^[34]\d{4}$/, 'May be the number of a day: a spreadsheet stores dates so.'],
  [/^\d{12,}0{4,}$/, 'A long number that ends in zeros: a spreadsheet keeps 15 digits.'],
  [/^#(?:N\/A|REF!|NAME\?|VALUE!|DIV\/0!|NUM!|NULL!|SPILL!|CALC!)$/i, 'An error of a spreadsheet.'],
];
const AT_RISK: readonly [RegExp, string][] = [
  [/^(?:sept?|march|mar|dec|oct|apr|feb|nov|jan|jun|jul|aug|may)-?\d{1,2}$/i, 'A spreadsheet that opens it as text turns it into a date.'],
  [/^\d+E\d+$/i, 'A spreadsheet that opens it as text turns it into a number in scientific notation.'],
];
const MOST_DIGITS = 15;

export function suspicion({ text, kind }: Word): Suspicion | undefined {
  if (kind === 'date') return { isChanged: true, why: 'The cell is a date: a spreadsheet makes that of names such as SEPT2 or MARCH1.' };
  if (kind === 'error') return { isChanged: true, why: 'The cell is an error.' };
  if (kind === 'boolean') return { isChanged: true, why: 'The cell is a truth value, not a text.' };
  if (kind === 'number') {
    if (text.includes('e') || text.replace(/\D/g, '').length > MOST_DIGITS) return { isChanged: true, why: 'The cell is a number beyond 15 digits: its last digits are lost, or it was an identifier such as 2310009E13.' };
    if (text.includes('.')) return { isChanged: true, why: 'The cell is a number with decimals.' };
  }
  const changed = CHANGED.find(([pattern]) => pattern.test(text));
  if (changed !== undefined) return { isChanged: true, why: changed[1] };
  const atRisk = AT_RISK.find(([pattern]) => pattern.test(text));
  return atRisk === undefined ? undefined : { isChanged: false, why: atRisk[1] };
}
