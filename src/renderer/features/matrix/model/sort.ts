import { z } from 'zod';
import type { MatrixSession } from '../../../data/store/port.ts';
import { FIELD_TYPES, fieldText, type FieldType, memberOf } from './fields.ts';
import { recordedOf, STATE_KEYS, type StateKey, stateKey, withMeaning } from './states.ts';
import { t } from '../../../text/t.ts';

export const SORT_KEYS = ['label', 'uid', 'type', 'progress'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/**
 * In which order items are shown. The case's own order is untouched by it, and decides between
 * equals.
 */
export const Sort = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('case') }),
  z.strictObject({ by: z.enum(SORT_KEYS), descending: z.boolean() }),
  z.strictObject({
    by: z.literal('rule'),
    rule: z.string(),
    first: z.enum(['TRUE', 'FALSE', 'unrecorded']),
  }),
  z.strictObject({
    by: z.literal('field'),
    key: z.string(),
    type: z.enum(FIELD_TYPES),
    descending: z.boolean(),
  }),
]);
export type Sort = z.infer<typeof Sort>;

export const CASE_ORDER: Sort = { by: 'case' };

export const sameSort = (a: Sort, b: Sort): boolean => JSON.stringify(a) === JSON.stringify(b);

const KEY_ORDER_WORDS: Record<SortKey, readonly [up: string, down: string]> = {
  label: [t('By label, A to Z'), t('By label, Z to A')],
  uid: [t('By ID, A to Z'), t('By ID, Z to A')],
  type: [t('By type, A to Z'), t('By type, Z to A')],
  progress: [t('Least recorded first'), t('Most recorded first')],
};

/** Which outcome of a rule comes first. */
export const firstWords = (outcome: 'TRUE' | 'FALSE' | 'unrecorded'): string =>
  t('{outcome} first', { outcome: withMeaning(outcome) });

/** The two orders of a field's values, in words. */
export const FIELD_ORDER_WORDS: Record<FieldType, readonly [up: string, down: string]> = {
  text: [t('A to Z'), t('Z to A')],
  link: [t('A to Z'), t('Z to A')],
  number: [t('Lowest first'), t('Highest first')],
  date: [t('Earliest first'), t('Latest first')],
};

export function sortWords(sort: Sort, nameOf: (rule: string) => string): string {
  switch (sort.by) {
    case 'case':
      return t('Order of the case');
    case 'rule':
      return `${nameOf(sort.rule)}, ${firstWords(sort.first)}`;
    case 'field':
      return `${sort.key}, ${FIELD_ORDER_WORDS[sort.type][sort.descending ? 1 : 0]}`;
    default:
      return KEY_ORDER_WORDS[sort.by][sort.descending ? 1 : 0];
  }
}

/** What stands behind the state that comes first, and behind each other. */
const RANKS: Record<'TRUE' | 'FALSE' | 'unrecorded', readonly StateKey[]> = {
  TRUE: ['TRUE', 'FALSE', 'NA', 'unrecorded'],
  FALSE: ['FALSE', 'TRUE', 'NA', 'unrecorded'],
  unrecorded: ['unrecorded', 'TRUE', 'FALSE', 'NA'],
};

/**
 * A text whose plain order is the order people expect: case aside, accents after their letter,
 * numbers by value.
 */
const readable = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\d+/g, (digits) => digits.padStart(15, '0'));

type SortReads = Pick<MatrixSession, 'items' | 'rules' | 'columnOf' | 'state' | 'rowCounts'>;

/** Rows of equal key keep the case's order, whichever way the keys run. */
function byBucket(count: number, buckets: number, bucketOf: (row: number) => number): Int32Array {
  const keys = Uint32Array.from({ length: count }, (_, row) => bucketOf(row));
  const next = new Uint32Array(buckets + 1);
  for (const key of keys) next[key + 1]! += 1;
  for (let bucket = 0; bucket < buckets; bucket += 1) next[bucket + 1]! += next[bucket]!;
  const order = new Int32Array(count);
  keys.forEach((key, row) => {
    order[next[key]!++] = row;
  });
  return order;
}

function byText(texts: readonly string[], descending: boolean): Int32Array {
  const way = descending ? -1 : 1;
  return Int32Array.from(texts, (_, row) => row).sort((a, b) =>
    texts[a]! < texts[b]! ? -way : texts[a]! > texts[b]! ? way : a - b,
  );
}

/** Numbers by value, all else as texts behind them; items without a value come last either way. */
function byField(values: readonly unknown[], type: FieldType, descending: boolean): Int32Array {
  const way = descending ? -1 : 1;
  const texts = values.map(fieldText);
  const numbers = Float64Array.from(texts, (text) =>
    type !== 'number' || text.trim() === '' ? Number.NaN : Number(text),
  );
  const keys = texts.map((text) => (type === 'number' ? text : readable(text)));
  /** 0 a number, 1 another value, 2 none. */
  const rank = (row: number): number =>
    texts[row] === '' ? 2 : type === 'number' && Number.isNaN(numbers[row]!) ? 1 : 0;
  const ranks = Uint8Array.from(texts, (_, row) => rank(row));
  return Int32Array.from(texts, (_, row) => row).sort((a, b) => {
    if (ranks[a] !== ranks[b]) return ranks[a]! - ranks[b]!;
    if (ranks[a] === 2) return a - b;
    if (type === 'number' && ranks[a] === 0) return way * (numbers[a]! - numbers[b]!) || a - b;
    return keys[a]! < keys[b]! ? -way : keys[a]! > keys[b]! ? way : a - b;
  });
}

/**
 * The session's rows in the order asked for; undefined where that is the case's own. A rule the
 * profile has not sorts nothing.
 */
export function sortedRows(sort: Sort, session: SortReads): Int32Array | undefined {
  const { items, rules } = session;
  switch (sort.by) {
    case 'case':
      return undefined;
    case 'rule': {
      const column = session.columnOf(sort.rule);
      if (column < 0) return undefined;
      const ranks = RANKS[sort.first];
      return byBucket(items.length, STATE_KEYS.length, (row) =>
        ranks.indexOf(stateKey(session.state(row, column))),
      );
    }
    case 'field':
      return byField(
        items.map(({ metadata }) => memberOf(metadata, sort.key)),
        sort.type,
        sort.descending,
      );
    case 'progress':
      return byBucket(items.length, rules.length + 1, (row) =>
        sort.descending
          ? rules.length - recordedOf(session.rowCounts(row))
          : recordedOf(session.rowCounts(row)),
      );
    case 'label':
      return byText(
        items.map(({ label, item_uid }) => readable(label === '' ? item_uid : label)),
        sort.descending,
      );
    case 'uid':
      return byText(
        items.map(({ item_uid }) => readable(item_uid)),
        sort.descending,
      );
    case 'type':
      return byText(
        items.map(({ item_type }) => readable(item_type)),
        sort.descending,
      );
  }
}

/** Could a change of this column have moved a row? */
export function dependsOn(sort: Sort, rule: string): boolean {
  return sort.by === 'progress' || (sort.by === 'rule' && sort.rule === rule);
}
