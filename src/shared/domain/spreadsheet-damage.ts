const MONTHS =
  'jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|mrz|mär|mai|okt|dez|' +
  'janv|févr|mars|avr|juin|juil|août|déc|ene|abr|ago|dic|gen|mag|giu|lug|set|ott';
const DAY_MONTH = new RegExp(`^\\d{1,2}[-/. ]{1,2}(?:${MONTHS})\\.?(?:[-/. ]\\d{2,4})?$`, 'iu');
const MONTH_YEAR = new RegExp(`^(?:${MONTHS})\\.?[-/ ]\\d{2}(?:\\d{2})?$`, 'iu');
const DATE =
  /^(?:\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?|\d{1,2}[/.]\d{1,2}[/.]\d{2}(?:\d{2})?)$/;
const SCIENTIFIC = /^-?\d(?:[.,]\d+)?E\+\d{1,3}$/i;
const ERROR = /^#(?:NAME|REF|VALUE|NUM|NULL|SPILL|CALC|DIV\/0|N\/A|GETTING_DATA)[!?]?$|^#{3,}$/i;
const LONG_NUMBER = /^[1-9]\d{14,}0{1,}$/;
/** Days since 1900 of the years 2000 to 2049, as a spreadsheet stores a date. */
const [SERIAL_FROM, SERIAL_TO] = [36_526, 54_788];

/**
 * Why a text looks as if a spreadsheet had converted something else into it (SEPT2 into 2-Sep), in
 * a sentence; null if it does not. A guess, and never a reason to refuse the text.
 */
export function spreadsheetDamage(text: string): string | null {
  const plain = text.trim();
  if (DAY_MONTH.test(plain) || MONTH_YEAR.test(plain) || DATE.test(plain))
    return 'Looks like a date that a spreadsheet made of a name such as SEPT2 or MARCH1.';
  if (SCIENTIFIC.test(plain))
    return 'Looks like a long number, or a name such as 2310009E13, that a spreadsheet shortened.';
  if (ERROR.test(plain))
    return 'Is what a spreadsheet shows in place of a value that it could not work out or show.';
  if (LONG_NUMBER.test(plain) && plain.length > 15)
    return 'Looks like a long number whose last digits a spreadsheet replaced by 0.';
  if (/^\d{5}$/.test(plain) && Number(plain) >= SERIAL_FROM && Number(plain) <= SERIAL_TO)
    return 'Could be the number by which a spreadsheet stores a date.';
  return null;
}

const ENGLISH = [
  'jan',
  'feb',
  'mar',
  'apr',
  'may',
  'jun',
  'jul',
  'aug',
  'sep',
  'oct',
  'nov',
  'dec',
];
const monthOf = (word: string): number => ENGLISH.indexOf(word.slice(0, 3).toLowerCase()) + 1;
const DAY_MS = 86_400_000;
/** Day 25,569 of a spreadsheet's calendar is 1 January 1970. */
const EPOCH = 25_569;

/**
 * The month and day of what a spreadsheet shows or stores for a name such as SEPT2: 2-Sep, Sep-02,
 * 2016-09-02, 42615. Undefined for everything else.
 */
export function parseSpreadsheetDate(text: string): { month: number; day: number } | undefined {
  const plain = text.trim();
  const [, day, name] = /^(\d{1,2})[-/. ]([a-z]{3,9})(?:[-/. ]\d{2,4})?$/i.exec(plain) ?? [];
  if (name !== undefined && monthOf(name) > 0) return { month: monthOf(name), day: Number(day) };
  const [, first, number] = /^([a-z]{3,9})[-/. ](\d{2})$/i.exec(plain) ?? [];
  if (first !== undefined && monthOf(first) > 0)
    return { month: monthOf(first), day: Number(number) };
  const [, month, date] = /^\d{4}-(\d{2})-(\d{2})(?:[T ].*)?$/.exec(plain) ?? [];
  if (month !== undefined) return { month: Number(month), day: Number(date) };
  const serial = /^\d{5}$/.test(plain) ? Number(plain) : 0;
  if (serial < SERIAL_FROM || serial > SERIAL_TO) return undefined;
  const at = new Date((serial - EPOCH) * DAY_MS);
  return { month: at.getUTCMonth() + 1, day: at.getUTCDate() };
}
