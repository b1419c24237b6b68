import { spreadsheetDamage } from '../../../../shared/domain/spreadsheet-damage.ts';
import type { Word } from '../../../files/table.ts';
import { t, tOf } from '../../../text/t.ts';

export interface Suspicion {
  /** It has probably been changed; else it is one that the next spreadsheet would change. */
  isChanged: boolean;
  why: string;
}

const AT_RISK: readonly [RegExp, string][] = [
  [
    /^(?:sept?|march|mar|dec|oct|apr|feb|nov|jan|jun|jul|aug|may)-?\d{1,2}$/i,
    t('A spreadsheet that opens it as text turns it into a date.'),
  ],
  [
    /^\d+E\d+$/i,
    t('A spreadsheet that opens it as text turns it into a number in scientific notation.'),
  ],
  [/^0\d+$/, t('A spreadsheet that opens it as text drops its leading zeros.')],
];
const MAX_DIGITS = 15;

const changed = (why: string): Suspicion => ({ isChanged: true, why });

/**
 * Whether an identifier or a label is what a spreadsheet makes of another one: by the kind of its
 * cell, then by its looks.
 */
export function suspicion({ text, kind }: Word): Suspicion | undefined {
  if (kind === 'date')
    return changed(
      t('The cell is a date: a spreadsheet makes that of names such as SEPT2 or MARCH1.'),
    );
  if (kind === 'error') return changed(t('The cell is an error.'));
  if (kind === 'boolean') return changed(t('The cell is a truth value, not a text.'));
  if (kind === 'number' && (text.includes('e') || text.replace(/\D/g, '').length > MAX_DIGITS))
    return changed(
      t(
        'The cell is a number beyond 15 digits: its last digits are lost, or it was an identifier such as 2310009E13.',
      ),
    );
  const damage = spreadsheetDamage(text);
  if (damage !== null) return changed(tOf(damage));
  const atRisk = AT_RISK.find(([pattern]) => pattern.test(text));
  return atRisk === undefined ? undefined : { isChanged: false, why: atRisk[1] };
}
