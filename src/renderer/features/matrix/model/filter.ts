import { z } from 'zod';
import { RecordedBy } from '../../../../shared/contract/v1/evidence.ts';
import type { MatrixSession } from '../../../data/store/port.ts';
import { fieldText, fieldWords, memberOf } from './fields.ts';
import { STATE_KEYS, type StateKey, stateKey } from './states.ts';
import { t } from '../../../text/t.ts';

export const TRAITS = ['unrecorded', 'problem', 'contested', 'noted'] as const;
export type Trait = (typeof TRAITS)[number];

export const TRAIT_LABELS: Record<Trait, string> = {
  unrecorded: t('Has unrecorded'),
  problem: t('Has problem found'),
  contested: t('Has conflicts'),
  noted: t('Has notes'),
};
/** What completes "Items that …". */
export const TRAIT_CLAUSES: Record<Trait, string> = {
  unrecorded: t('have unrecorded'),
  problem: t('have problem found'),
  contested: t('have conflicts'),
  noted: t('have notes'),
};

export const FIELD_OPS = ['has', 'is', 'atLeast', 'atMost', 'filled', 'empty'] as const;
export type FieldOp = (typeof FIELD_OPS)[number];
export const FIELD_OP_WORDS: Record<FieldOp, string> = {
  has: t('contains'),
  is: t('is'),
  atLeast: t('is at least'),
  atMost: t('is at most'),
  filled: t('has a value'),
  empty: t('is empty'),
};

/** Which items are shown: those that pass every part. An empty part lets all pass. */
export const Filter = z.strictObject({
  text: z.string(),
  traits: z.array(z.enum(TRAITS)),
  /** Item types, any of them. */
  types: z.array(z.string()),
  /** For each rule named: its outcome is one of these. */
  rules: z.array(z.strictObject({ rule: z.string(), states: z.array(z.enum(STATE_KEYS)) })),
  /** Who recorded one of its outcomes, any of them. Views of earlier versions have none. */
  authors: z.array(z.strictObject({ kind: RecordedBy.shape.kind, name: z.string() })).default([]),
  /**
   * Conditions on fields of the items, at most one a field. Views of earlier versions have none.
   */
  fields: z
    .array(z.strictObject({ key: z.string(), op: z.enum(FIELD_OPS), value: z.string() }))
    .default([]),
});
export type FieldCondition = Filter['fields'][number];
export type FilterAuthor = Pick<RecordedBy, 'kind' | 'name'>;
export type Filter = z.infer<typeof Filter>;

export const NO_FILTER: Filter = {
  text: '',
  traits: [],
  types: [],
  rules: [],
  authors: [],
  fields: [],
};

export const isActive = (filter: Filter): boolean =>
  filter.traits.length > 0 ||
  filter.types.length > 0 ||
  filter.rules.length > 0 ||
  filter.authors.length > 0 ||
  filter.fields.length > 0 ||
  filter.text.trim() !== '';

const without = <T>(list: readonly T[], gone: T): T[] => list.filter((entry) => entry !== gone);
const toggled = <T>(list: readonly T[], value: T): T[] =>
  list.includes(value) ? without(list, value) : [...list, value];

export const withTrait = (filter: Filter, trait: Trait): Filter => ({
  ...filter,
  traits: toggled(filter.traits, trait),
});
export const withType = (filter: Filter, type: string): Filter => ({
  ...filter,
  types: toggled(filter.types, type),
});
const isSame = (a: FilterAuthor, b: FilterAuthor): boolean =>
  a.kind === b.kind && a.name === b.name;
export const asksFor = (filter: Filter, author: FilterAuthor): boolean =>
  filter.authors.some((one) => isSame(one, author));
export const withAuthor = (filter: Filter, { kind, name }: FilterAuthor): Filter => ({
  ...filter,
  authors: asksFor(filter, { kind, name })
    ? filter.authors.filter((one) => !isSame(one, { kind, name }))
    : [...filter.authors, { kind, name }],
});
export const withoutField = (filter: Filter, key: string): Filter => ({
  ...filter,
  fields: filter.fields.filter((condition) => condition.key !== key),
});
export const withField = (filter: Filter, condition: FieldCondition): Filter => ({
  ...filter,
  fields: [...withoutField(filter, condition.key).fields, condition],
});
export const conditionWords = ({ key, op, value }: FieldCondition): string =>
  t(
    '{op, select, has {{key} contains “{value}”} is {{key} is “{value}”} atLeast {{key} is at least “{value}”} atMost {{key} is at most “{value}”} filled {{key} has a value} other {{key} is empty}}',
    { op, key, value },
  );

/** Numbers are compared by value, all else as text: dates are written so that this orders them. */
function createFieldTest({ op, value }: FieldCondition): (of: unknown) => boolean {
  const wanted = value.trim().toLowerCase();
  const number = wanted === '' ? Number.NaN : Number(wanted);
  return (of) => {
    const text = fieldText(of).trim().toLowerCase();
    if (op === 'filled' || op === 'empty') return (text === '') === (op === 'empty');
    if (op === 'has') return text.includes(wanted);
    if (text === '') return false;
    const isNumber = !Number.isNaN(number) && !Number.isNaN(Number(text));
    const way = isNumber
      ? Math.sign(Number(text) - number)
      : text === wanted
        ? 0
        : text < wanted
          ? -1
          : 1;
    return op === 'is' ? way === 0 : op === 'atLeast' ? way >= 0 : way <= 0;
  };
}

export const statesOf = (filter: Filter, rule: string): readonly StateKey[] =>
  filter.rules.find((entry) => entry.rule === rule)?.states ?? [];

/** None and all four mean the same: the rule filters nothing. */
export function withStates(filter: Filter, rule: string, states: readonly StateKey[]): Filter {
  const others = filter.rules.filter((entry) => entry.rule !== rule);
  const kept = STATE_KEYS.filter((state) => states.includes(state));
  return {
    ...filter,
    rules:
      kept.length === 0 || kept.length === STATE_KEYS.length
        ? others
        : [...others, { rule, states: kept }],
  };
}
export const withState = (filter: Filter, rule: string, state: StateKey): Filter =>
  withStates(filter, rule, toggled(statesOf(filter, rule), state));

type FilterReads = Pick<
  MatrixSession,
  | 'items'
  | 'rules'
  | 'columnOf'
  | 'state'
  | 'rowCounts'
  | 'contested'
  | 'detail'
  | 'eachDetail'
  | 'eachContested'
  | 'recordedBy'
>;

/**
 * What is asked of the sparse parts of a matrix: of one row by itself, or of all rows by one walk
 * over what there is.
 */
interface Sparse {
  contested(row: number): boolean;
  noted(row: number): boolean;
  says(row: number): boolean;
}

const holds = (text: string | null, needle: string): boolean =>
  text !== null && text.toLowerCase().includes(needle);

function ofRow(session: FilterReads, needle: string): Sparse {
  const { rules } = session;
  const some = (test: (column: number) => boolean): boolean =>
    rules.some((_, column) => test(column));
  return {
    contested: (row) => some((column) => session.contested(row, column)),
    noted: (row) => some((column) => session.detail(row, column).notes !== null),
    says: (row) =>
      some((column) => {
        const { notes, source_value } = session.detail(row, column);
        return holds(notes, needle) || holds(source_value, needle);
      }),
  };
}

function ofAll(session: FilterReads, filter: Filter, needle: string): Sparse {
  const [contested, noted, says] = [new Set<number>(), new Set<number>(), new Set<number>()];
  if (filter.traits.includes('contested')) session.eachContested((row) => contested.add(row));
  if (filter.traits.includes('noted') || needle !== '') {
    session.eachDetail((row, _column, { notes, source_value }) => {
      if (notes !== null) noted.add(row);
      if (needle !== '' && !says.has(row) && (holds(notes, needle) || holds(source_value, needle)))
        says.add(row);
    });
  }
  return {
    contested: (row) => contested.has(row),
    noted: (row) => noted.has(row),
    says: (row) => says.has(row),
  };
}

/**
 * Whether a row of the session passes the filter. The text is looked for in ID, label, fields,
 * notes and reported values, ignoring case. For a `few` rows nothing is prepared; otherwise notes
 * and contested cells are collected once, and each row is then checked in constant time.
 */
export function createPredicate(
  filter: Filter,
  session: FilterReads,
  few = false,
): (row: number) => boolean {
  const needle = filter.text.trim().toLowerCase();
  const sparse = few ? ofRow(session, needle) : ofAll(session, filter, needle);
  const rules = filter.rules
    .map(({ rule, states }) => ({
      column: session.columnOf(rule),
      states: new Set<StateKey>(states),
    }))
    .filter(({ column }) => column >= 0);
  const types = new Set(filter.types);
  const fields = filter.fields.map((condition) => ({
    key: condition.key,
    passes: createFieldTest(condition),
  }));
  const isTheirs = createAuthorTest(filter);
  const hasTrait = (trait: Trait, row: number): boolean => {
    switch (trait) {
      case 'unrecorded':
        return session.rowCounts(row)[3] > 0;
      case 'problem':
        return session.rowCounts(row)[1] > 0;
      case 'contested':
        return sparse.contested(row);
      case 'noted':
        return sparse.noted(row);
    }
  };
  return (row) => {
    const item = session.items[row];
    return (
      item !== undefined &&
      (types.size === 0 || types.has(item.item_type)) &&
      rules.every(({ column, states }) => states.has(stateKey(session.state(row, column)))) &&
      fields.every(({ key, passes }) => passes(memberOf(item.metadata, key))) &&
      filter.traits.every((trait) => hasTrait(trait, row)) &&
      (filter.authors.length === 0 ||
        session.rules.some(
          (_, column) =>
            isTheirs(session.recordedBy(row, column)) && session.state(row, column) !== null,
        )) &&
      (needle === '' ||
        holds(item.item_uid, needle) ||
        holds(item.label, needle) ||
        fieldWords(item.metadata).includes(needle) ||
        sparse.says(row))
    );
  };
}

/** Each author is one object for a session, so that it is looked at once. */
function createAuthorTest(filter: Filter): (author: RecordedBy | null) => boolean {
  const judged = new Map<RecordedBy, boolean>();
  return (author) => {
    if (author === null) return false;
    const known = judged.get(author) ?? asksFor(filter, author);
    judged.set(author, known);
    return known;
  };
}

/** Who recorded the outcomes that are shown, and how many each, the most first. */
export function authorCounts(
  session: Pick<MatrixSession, 'items' | 'rules' | 'state' | 'recordedBy'>,
): [author: FilterAuthor, count: number][] {
  const byObject = new Map<RecordedBy, number>();
  for (let row = 0; row < session.items.length; row += 1) {
    for (let column = 0; column < session.rules.length; column += 1) {
      const author = session.recordedBy(row, column);
      if (author !== null && session.state(row, column) !== null)
        byObject.set(author, (byObject.get(author) ?? 0) + 1);
    }
  }
  const counts = new Map<string, [FilterAuthor, number]>();
  for (const [{ kind, name }, count] of byObject) {
    const key = JSON.stringify([kind, name]);
    counts.set(key, [{ kind, name }, count + (counts.get(key)?.[1] ?? 0)]);
  }
  return [...counts.values()].toSorted((a, b) => b[1] - a[1]);
}

/** How many items are of each type, the most frequent first. */
export function typeCounts(session: Pick<MatrixSession, 'items'>): [type: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { item_type } of session.items)
    counts.set(item_type, (counts.get(item_type) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1]);
}
