import { z } from 'zod';
import { dateProblem } from './date.ts';
import { addressOf } from './reference.ts';
import { t } from '../../../text/t.ts';

/** How a field's values are read, shown and sorted; its items keep them as JSON. */
export const FIELD_TYPES = ['text', 'number', 'date', 'link'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export const FIELD_TYPE_LABELS: Record<FieldType, string> = {
  text: t('Text'),
  number: t('Number'),
  date: t('Date'),
  link: t('Link'),
};

/** A member of the items' metadata that is shown as a column. */
export const FieldColumn = z.strictObject({
  key: z.string().min(1),
  type: z.enum(FIELD_TYPES),
  /** Stays beside the item while the rules scroll. */
  frozen: z.boolean(),
});
export type FieldColumn = z.infer<typeof FieldColumn>;

const PREFIX = 'field:';
/** The id of a field's column, which is no rule's: those have no colon. */
export const fieldId = (key: string): string => PREFIX + key;
export const fieldKeyOf = (column: string): string | undefined =>
  column.startsWith(PREFIX) ? column.slice(PREFIX.length) : undefined;

export type Metadata = Readonly<Record<string, unknown>>;

/** A member of the metadata itself: "constructor" is a name like others. */
export const memberOf = (metadata: Metadata | undefined, key: string): unknown =>
  metadata !== undefined && Object.hasOwn(metadata, key) ? metadata[key] : undefined;

/** A value as it is shown, found and copied: a text as it is, anything else as JSON. */
export function fieldText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Digits that a number keeps for certain. */
const DIGITS = 15;
// Made once: cells ask while they are drawn.
const NO_NUMBER = t('Write a number with a point, such as 0.5; or choose Text.');
const TOO_LONG = t('A number keeps {digits} digits. Choose Text to keep all of them.', {
  digits: DIGITS,
});

/** Why a text is no number that can be kept as one, or undefined. */
export function numberProblem(text: string): string | undefined {
  if (!NUMBER.test(text) || !Number.isFinite(Number(text))) return NO_NUMBER;
  const digits = text
    .replace(/[eE].*$/, '')
    .replaceAll(/\D/g, '')
    .replace(/^0+/, '');
  return digits.length > DIGITS ? TOO_LONG : undefined;
}

export type ReadField = { value: unknown } | { problem: string };

/** What a typed or pasted text is under a type; no text takes the member away (undefined). */
export function readField(type: FieldType, text: string): ReadField {
  const plain = text.trim();
  if (plain === '') return { value: undefined };
  switch (type) {
    case 'text':
      return { value: text };
    case 'number': {
      const problem = numberProblem(plain);
      return problem === undefined ? { value: Number(plain) } : { problem };
    }
    case 'date': {
      const problem = dateProblem(plain);
      return problem === undefined ? { value: plain } : { problem };
    }
    case 'link':
      return addressOf(plain) === undefined
        ? { problem: t('Write an address that begins with https://, a DOI or a PMID.') }
        : { value: plain };
  }
}

/** Whether a value that stands there is none of its column's type. */
export const isOdd = (type: FieldType, value: unknown): boolean =>
  type !== 'text' && 'problem' in readField(type, fieldText(value));

/** The type that most of some values have. */
export function guessType(values: Iterable<unknown>): FieldType {
  let seen = 0;
  const counts = { number: 0, date: 0, link: 0 };
  for (const value of values) {
    const text = fieldText(value);
    if (text === '') continue;
    seen += 1;
    if (typeof value === 'number') counts.number += 1;
    else if (/^\d{4}-\d{2}-\d{2}$/.test(text) && dateProblem(text) === undefined) counts.date += 1;
    else if (numberProblem(text) === undefined) counts.number += 1;
    else if (addressOf(text) !== undefined) counts.link += 1;
    if (seen >= 200) break;
  }
  return (
    (['number', 'date', 'link'] as const).find((type) => seen > 0 && counts[type] === seen) ??
    'text'
  );
}

/** Names of the members of items' metadata, and how many items have each, the most first. */
export function fieldCounts(
  items: readonly { metadata: Metadata }[],
): [key: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { metadata } of items)
    for (const key of Object.keys(metadata)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1]);
}

/** All that a person can read in the metadata of an item, in small letters. Kept by its object. */
const readable = new WeakMap<Metadata, string>();
export function fieldWords(metadata: Metadata): string {
  let words = readable.get(metadata);
  if (words === undefined) {
    words = Object.values(metadata).map(fieldText).join('\n').toLowerCase();
    readable.set(metadata, words);
  }
  return words;
}
