/** A sheet as a person keeps it in Calc, and what Calc makes of it for other programs. */
import type { Calc } from './calc.ts';

/**
 * Gene symbols that a spreadsheet may take for dates, labels that are looked for, a word that is no
 * outcome, one field left empty.
 */
export const SHEET_ITEMS = [
  ['SEPT2', 'septin, proband'],
  ['MARCH1', 'ring finger, proband'],
  ['DEC1', 'deleted in cancer'],
  ['MECP2', 'Rett candidate'],
  ['SCN1A', 'Dravet candidate'],
  ['CFTR', 'carrier, both parents'],
] as const;
export const SHEET_WORD = 'yes';
export const SHEET_CELLS = [
  ['FALSE', 'FALSE', 'NA', 'FALSE', 'FALSE'],
  ['FALSE', 'TRUE', 'FALSE', SHEET_WORD, 'FALSE'],
  ['TRUE', 'FALSE', 'FALSE', 'FALSE', ''],
  ['FALSE', 'FALSE', SHEET_WORD, 'NA', 'FALSE'],
  ['FALSE', 'FALSE', 'FALSE', 'FALSE', 'FALSE'],
  ['TRUE', 'FALSE', 'FALSE', 'TRUE', 'FALSE'],
] as const;

/**
 * Typed into Calc, saved, opened again, and given out as both forms that a copy puts on the
 * clipboard.
 */
export async function sheetFromCalc(
  calc: Calc,
  rules: readonly string[],
): Promise<{ text: string; html: string; items: string }> {
  const typed = [
    ['item_uid', 'label', ...rules],
    ...SHEET_ITEMS.map((item, row) => [...item, ...SHEET_CELLS[row]!]),
  ]
    .map((line) => `${line.join('\t')}\n`)
    .join('');
  const text = await calc.roundTrip(typed, { from: 'tsv', via: 'ods', to: 'tsv' });
  const html = await calc.roundTrip(typed, { from: 'tsv', via: 'ods', to: 'html' });
  // A copy of the first two columns.
  return {
    text,
    html,
    items: text
      .split('\n')
      .map((line) => line.split('\t').slice(0, 2).join('\t'))
      .join('\n'),
  };
}
