import { parseSpreadsheetDate } from '../../../../shared/domain/spreadsheet-damage.ts';
import { t } from '../../../text/t.ts';

/** An item that an ID may mean, and how they differ. */
export interface NearItem {
  uid: string;
  why: string;
}

/** Letters, digits and order; not case, leading zeros or which sign separates the parts. */
const looseKey = (text: string): string =>
  text
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replaceAll(/["'’“”]/g, '')
    .replaceAll(/[\s_.:/\\|>-]+/g, '-')
    .replaceAll(/(?<!\d)0+(?=\d)/g, '')
    .replace(/^(\d+)-0+$/, '$1');

const NAME_OF_DATE = /^(?:([a-z]{3})[a-z]*)[-_ ]?(\d{1,2})$/i;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const SHORTENED = /^-?(\d)(?:[.,](\d+))?E\+(\d{1,3})$/i;
const NUMERIC = /^(?:\d+E\d+|\d{8,})$/i;

/** SEPT2 as month and day; undefined for what no spreadsheet takes for a date. */
function dateKey(name: string): string | undefined {
  const [, month = '', day] = NAME_OF_DATE.exec(name.trim()) ?? [];
  const index = MONTHS.indexOf(month.toLowerCase());
  return index < 0 ? undefined : `date ${index + 1}-${Number(day)}`;
}

/** A number as a spreadsheet shows it with so many digits behind the point. */
const shortKey = (text: string, digits: number): string =>
  `number ${Number(text).toExponential(digits)}`;

const differsBy = (a: string, b: string): string =>
  a.toLowerCase() === b.toLowerCase()
    ? t('differs in capitals')
    : a.replaceAll(/\D/g, '') === b.replaceAll(/\D/g, '')
      ? t('differs in spaces, signs or capitals')
      : t('differs in leading zeros');

/** Finds near IDs among those that were added; nothing where several are as near. */
export interface NearItems {
  add(uid: string): void;
  find(uid: string): NearItem | undefined;
}

export function createNearItems(): NearItems {
  /** Null: more than one. */
  const keys = new Map<string, string | null>();
  const numeric: string[] = [];
  const put = (key: string, uid: string): void =>
    void keys.set(key, keys.has(key) && keys.get(key) !== uid ? null : uid);
  const get = (key: string | undefined, uid: string, why: (other: string) => string) => {
    const other = key === undefined ? undefined : keys.get(key);
    return other === undefined || other === null || other === uid
      ? undefined
      : { uid: other, why: why(other) };
  };
  return {
    add: (uid) => {
      put(`loose ${looseKey(uid)}`, uid);
      const date = dateKey(uid);
      if (date !== undefined) put(date, uid);
      if (NUMERIC.test(uid)) numeric.push(uid);
    },
    find: (uid) => {
      const date = parseSpreadsheetDate(uid);
      const [shortened, , digits = ''] = SHORTENED.exec(uid.trim()) ?? [];
      if (shortened !== undefined) {
        const key = shortKey(shortened.replace(',', '.'), digits.length);
        const alike = numeric.filter((other) => shortKey(other, digits.length) === key);
        if (alike.length === 1 && alike[0] !== uid)
          return { uid: alike[0]!, why: t('is what a spreadsheet shortens it to') };
      }
      return (
        get(`loose ${looseKey(uid)}`, uid, (other) => differsBy(uid, other)) ??
        get(date === undefined ? undefined : `date ${date.month}-${date.day}`, uid, () =>
          t('is the date that a spreadsheet makes of it'),
        )
      );
    },
  };
}
