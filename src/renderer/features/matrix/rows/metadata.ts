import { dateProblem } from '../model/date.ts';
import { numberProblem } from '../model/fields.ts';
import { Metadata } from '../../../../shared/contract/common.ts';
import { t, tOf } from '../../../text/t.ts';

export const VALUE_TYPES = ['text', 'number', 'boolean', 'date', 'null', 'json'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

export const VALUE_TYPE_LABELS: Record<ValueType, string> = {
  text: t('Text'),
  number: t('Number'),
  boolean: t('Yes or no'),
  date: t('Date'),
  null: t('Empty (null)'),
  json: 'JSON',
};

/** One member of an item's metadata while it is edited; `id` stays as the list is worked on. */
export interface MetadataMember {
  id: number;
  name: string;
  type: ValueType;
  text: string;
}

/** A whole day as text, which is how JSON holds one. */
const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && dateProblem(text) === undefined;

function typeOf(value: unknown): ValueType {
  if (typeof value === 'string') return isDate(value) ? 'date' : 'text';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return value === null ? 'null' : 'json';
}

export function membersOf(metadata: Readonly<Record<string, unknown>>): MetadataMember[] {
  return Object.entries(metadata).map(([name, value], id) => ({
    id,
    name,
    type: typeOf(value),
    text: typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value),
  }));
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function valueOf({ type, text }: MetadataMember): { value: unknown } | { problem: string } {
  switch (type) {
    case 'text':
      return { value: text };
    case 'date':
      return isDate(text.trim())
        ? { value: text.trim() }
        : { problem: t('Write a date as YYYY-MM-DD, or choose Text.') };
    case 'null':
      return { value: null };
    case 'boolean':
      return text === 'true' || text === 'false'
        ? { value: text === 'true' }
        : { problem: t('Choose yes or no.') };
    case 'number': {
      const plain = text.trim();
      const problem = numberProblem(plain);
      return problem === undefined ? { value: Number(plain) } : { problem };
    }
    case 'json':
      return (
        parseJson(text) ?? {
          problem: t(
            'Is no JSON: text stands in "quotes", lists in [brackets], members in {braces}.',
          ),
        }
      );
  }
}

export type ReadMetadata =
  | { ok: true; metadata: Record<string, unknown> }
  | { ok: false; problems: Map<number, string>; message: string };

/**
 * The members as an object of JSON, or what is wrong with which of them. A member without name and
 * text is not one.
 */
export function readMembers(members: readonly MetadataMember[]): ReadMetadata {
  const problems = new Map<number, string>();
  const entries: [string, unknown][] = [];
  const names = new Set<string>();
  for (const member of members) {
    if (member.name === '' && member.text === '') continue;
    const read = valueOf(member);
    if (member.name.trim() === '') problems.set(member.id, t('Has no name.'));
    else if (names.has(member.name)) problems.set(member.id, t('This name is there already.'));
    else if ('problem' in read) problems.set(member.id, read.problem);
    else entries.push([member.name, read.value]);
    names.add(member.name);
  }
  const metadata = Object.fromEntries(entries);
  if (problems.size > 0)
    return { ok: false, problems, message: t('Some fields cannot be stored as written.') };
  const issue = Metadata.safeParse(metadata).error?.issues[0];
  return issue === undefined
    ? { ok: true, metadata }
    : { ok: false, problems, message: t('Fields: {message}', { message: tOf(issue.message) }) };
}

/**
 * What others have now, with what a form changed of the members that it began with; undefined where
 * it changed none.
 */
export function withChanges(
  now: Readonly<Record<string, unknown>>,
  begun: Readonly<Record<string, unknown>>,
  edited: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const text = (of: Readonly<Record<string, unknown>>, name: string): string | undefined =>
    Object.hasOwn(of, name) ? JSON.stringify(of[name]) : undefined;
  const changed = [...new Set([...Object.keys(begun), ...Object.keys(edited)])].filter(
    (name) => text(begun, name) !== text(edited, name),
  );
  if (changed.length === 0) return undefined;
  const members = new Map(Object.entries(now));
  for (const name of changed)
    if (Object.hasOwn(edited, name)) members.set(name, edited[name]);
    else members.delete(name);
  return Object.fromEntries(members);
}

/** A member under another type: what it says stays, as far as that type can say it. */
export function retype(member: MetadataMember, type: ValueType): MetadataMember {
  if (type === 'null') return { ...member, type, text: '' };
  const isText = member.type === 'text' || member.type === 'date';
  if (type === 'json' && isText) return { ...member, type, text: JSON.stringify(member.text) };
  if ((type === 'text' || type === 'date') && member.type === 'json') {
    const parsed = parseJson(member.text);
    return {
      ...member,
      type,
      text: typeof parsed?.value === 'string' ? parsed.value : member.text,
    };
  }
  if (type === 'boolean')
    return { ...member, type, text: member.text === 'false' ? 'false' : 'true' };
  return { ...member, type };
}
