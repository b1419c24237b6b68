import type { RecordedBy } from '../../../../shared/contract/v1/evidence.ts';
import { CELL_STATES, codeOf, UNRECORDED } from '../../../../shared/domain/outcome.ts';
import { INTERPRETATION_BOUNDARY } from '../../../../shared/domain/result.ts';
import { looksLikeFormula } from '../../../../shared/lib/spreadsheet-text.ts';
import type { Pace } from '../../../files/pace.ts';
import type { Sheet, SheetColumn } from '../../../files/sheet.ts';
import type { ExportReads } from './frozen.ts';
import { memberOf, METADATA, metadataText, provenanceField } from '../metadata-text.ts';

/** What of a matrix is exported, in this order; 'all' in the order of the case. */
export type ExportPart = 'all' | { items: readonly string[]; rules: readonly string[] };

/** The rows and columns of what is exported, in the order of the file. */
export interface ExportScope {
  rows: readonly number[];
  columns: readonly number[];
}

/** Where a part stands in a matrix; an item that has been removed is in no file. */
export function scopeOf({ items, rules }: ExportReads, part: ExportPart): ExportScope {
  if (part === 'all') return { rows: [...items.keys()], columns: [...rules.keys()] };
  const rowOf = new Map(items.map(({ item_uid }, row) => [item_uid, row]));
  return {
    rows: part.items.flatMap((uid) => rowOf.get(uid) ?? []),
    columns: part.rules.map((rule) => rules.indexOf(rule)).filter((column) => column >= 0),
  };
}

const RAW_WORDS = CELL_STATES.map((state) => state ?? '');
/**
 * Evidence present counts 1; a problem, NA and unrecorded count 0. In the order of `CELL_STATES`.
 */
const BINARY_WORDS = CELL_STATES.map((state) => (state === 'FALSE' ? '1' : '0'));

async function outcomeColumns(
  session: ExportReads,
  { rows, columns }: ExportScope,
  heading: (column: number) => string,
  words: readonly string[],
  pace: Pace,
): Promise<SheetColumn[]> {
  const result: SheetColumn[] = [];
  for (const [index, column] of columns.entries()) {
    const codes = new Uint8Array(rows.length);
    for (const [at, row] of rows.entries()) codes[at] = codeOf(session.state(row, column));
    result.push({ header: heading(column), codes, words });
    await pace(index / columns.length);
  }
  return result;
}

const uidColumn = (session: ExportReads, rows: readonly number[]): SheetColumn => ({
  header: 'item_uid',
  width: 24,
  cells: rows.map((row) => session.items[row]?.item_uid ?? ''),
});

function metadataColumns(session: ExportReads, rows: readonly number[]): SheetColumn[] {
  const keys = new Set<string>();
  for (const row of rows)
    for (const key of Object.keys(session.items[row]?.metadata ?? {})) keys.add(key);
  return [...keys].toSorted().map((key) => ({
    header: `${METADATA}${key}`,
    width: 18,
    cells: rows.map((row) => metadataText(memberOf(session.items[row]?.metadata, key))),
  }));
}

export type RuleHeadingStyle = 'uid' | 'name';

/**
 * The heading of a rule's column. The uid instead of a name that two rules have, or that a
 * spreadsheet would run as a formula.
 */
export function ruleHeading(
  session: ExportReads,
  by: RuleHeadingStyle,
): (column: number) => string {
  const names = new Map(session.profile.rules.map((rule) => [rule.ruleUid, rule.name]));
  const uses = new Map<string, number>();
  for (const name of names.values())
    uses.set(name.toLowerCase(), (uses.get(name.toLowerCase()) ?? 0) + 1);
  return (column) => {
    const uid = session.rules[column] ?? '';
    const name = names.get(uid) ?? uid;
    return by === 'uid' ||
      (uses.get(name.toLowerCase()) ?? 0) > 1 ||
      looksLikeFormula(name) ||
      name.trim() !== name
      ? uid
      : name;
  };
}

/** One row an item, one column a rule: TRUE, FALSE, NA, and nothing for unrecorded. */
export async function matrixSheet(
  session: ExportReads,
  scope: ExportScope,
  how: { heading: RuleHeadingStyle; metadata: boolean },
  pace: Pace,
): Promise<Sheet> {
  const { rows } = scope;
  const columns: SheetColumn[] = [
    uidColumn(session, rows),
    { header: 'label', width: 30, cells: rows.map((row) => session.items[row]?.label ?? '') },
    {
      header: 'item_type',
      width: 14,
      cells: rows.map((row) => session.items[row]?.item_type ?? ''),
    },
    ...(how.metadata ? metadataColumns(session, rows) : []),
  ];
  return {
    name: 'Matrix',
    rowCount: rows.length,
    frozenColumns: 2,
    columns: [
      ...columns,
      ...(await outcomeColumns(session, scope, ruleHeading(session, how.heading), RAW_WORDS, pace)),
    ],
  };
}

/**
 * One row a cell, with its details. Unrecorded cells without details are left out unless asked for.
 */
export async function longSheet(
  session: ExportReads,
  { rows, columns }: ExportScope,
  how: { unrecorded: boolean },
  pace: Pace,
): Promise<Sheet> {
  const [items, rules, sources, notes, provenances]: string[][] = [[], [], [], [], []];
  const authors: (RecordedBy | null)[] = [];
  const codes: number[] = [];
  for (const [at, row] of rows.entries()) {
    const item = session.items[row]?.item_uid ?? '';
    for (const column of columns) {
      const code = codeOf(session.state(row, column));
      const detail = session.detail(row, column);
      const provenance = provenanceField(detail.provenance);
      if (
        code === UNRECORDED &&
        !how.unrecorded &&
        detail.source_value === null &&
        detail.notes === null &&
        provenance === ''
      )
        continue;
      items!.push(item);
      rules!.push(session.rules[column] ?? '');
      codes.push(code);
      sources!.push(detail.source_value ?? '');
      notes!.push(detail.notes ?? '');
      provenances!.push(provenance);
      authors.push(session.recordedBy(row, column));
    }
    await pace(at / rows.length);
  }
  return {
    name: 'Cells',
    rowCount: codes.length,
    frozenColumns: 2,
    columns: [
      { header: 'item_uid', width: 24, cells: items! },
      { header: 'rule_uid', width: 30, cells: rules! },
      { header: 'outcome', width: 10, codes: Uint8Array.from(codes), words: RAW_WORDS },
      { header: 'source_value', width: 24, cells: sources! },
      { header: 'notes', width: 40, cells: notes! },
      { header: 'provenance', width: 40, cells: provenances! },
      { header: 'recorded_by', width: 24, cells: authors.map((author) => author?.name ?? '') },
      { header: 'recorded_by_kind', width: 14, cells: authors.map((author) => author?.kind ?? '') },
      {
        header: 'recorded_by_key_id',
        width: 16,
        cells: authors.map((author) => author?.key_id ?? ''),
      },
      {
        header: 'accepted_by',
        width: 24,
        cells: authors.map((author) => author?.accepted_by ?? ''),
      },
    ],
  };
}

/**
 * The matrix of SGA-QEM: 1 for evidence present, 0 for all else. Which 0 is a problem and which is
 * not available is in the raw outcomes beside it.
 */
export async function binarySheet(
  session: ExportReads,
  scope: ExportScope,
  pace: Pace,
): Promise<Sheet> {
  return {
    name: 'Binary matrix',
    rowCount: scope.rows.length,
    frozenColumns: 1,
    columns: [
      uidColumn(session, scope.rows),
      ...(await outcomeColumns(session, scope, ruleHeading(session, 'uid'), BINARY_WORDS, pace)),
    ],
  };
}

export async function rawSheet(
  session: ExportReads,
  scope: ExportScope,
  pace: Pace,
): Promise<Sheet> {
  return {
    name: 'Raw outcomes',
    rowCount: scope.rows.length,
    frozenColumns: 1,
    columns: [
      uidColumn(session, scope.rows),
      ...(await outcomeColumns(session, scope, ruleHeading(session, 'uid'), RAW_WORDS, pace)),
    ],
  };
}

export interface About {
  caseTitle: string;
  madeAt: string;
  what: string;
}

/** Facts for a reader who has only the file. */
export function aboutFacts(
  session: ExportReads,
  { rows, columns }: ExportScope,
  about: About,
  values: readonly [string, string][],
): [string, string][] {
  const { profile } = session;
  const part = (count: number, of: number): string =>
    count === of ? String(count) : `${count} of ${of}`;
  return [
    ['content', about.what],
    ['case_uid', session.caseUid],
    ['case_title', about.caseTitle],
    ['profile', profile.name],
    ['profile_uid', profile.profileUid],
    ['profile_version', profile.version],
    ['standard', profile.standard],
    ['standard_version', profile.standardVersion],
    ['items', part(rows.length, session.items.length)],
    ['rules', part(columns.length, session.rules.length)],
    ['made_at', about.madeAt],
    ['state', 'A working matrix, which may change. A run freezes it under a hash.'],
    ...values,
    ['interpretation_boundary', INTERPRETATION_BOUNDARY],
  ];
}

export const RAW_VALUES: readonly [string, string][] = [
  ['TRUE', 'problem found'],
  ['FALSE', 'evidence present'],
  ['NA', 'not available'],
  ['(empty)', 'unrecorded: nobody has recorded it'],
];
export const BINARY_VALUES: readonly [string, string][] = [
  ['1', 'FALSE: evidence present'],
  ['0', 'TRUE: problem found, NA: not available, or unrecorded, which counts as NA'],
];

export const factsSheet = (facts: readonly [string, string][], name = 'About'): Sheet => ({
  name,
  rowCount: facts.length,
  columns: [
    { header: 'field', width: 24, cells: facts.map(([field]) => field) },
    { header: 'value', width: 90, cells: facts.map(([, value]) => value) },
  ],
});

/** A row for each rule: what its column is about. */
export function rulesSheet(session: ExportReads, { columns }: ExportScope): Sheet {
  const rules = columns.flatMap((column) =>
    session.profile.rules.filter((rule) => rule.ruleUid === session.rules[column]),
  );
  const of = (
    header: string,
    width: number,
    text: (rule: (typeof rules)[number]) => string,
  ): SheetColumn => ({ header, width, cells: rules.map(text) });
  return {
    name: 'Rules',
    rowCount: rules.length,
    frozenColumns: 1,
    columns: [
      of('rule_uid', 30, (rule) => rule.ruleUid),
      of('name', 30, (rule) => rule.name),
      of('description', 60, (rule) => rule.description),
      of('FALSE means', 50, (rule) => rule.evidenceMeaning),
      of('TRUE means', 50, (rule) => rule.problemMeaning),
      of('NA means', 50, (rule) => rule.notAvailableMeaning),
    ],
  };
}

const LETTERS = ['F', 'T', 'N', '-'];

/**
 * The side file of a binary matrix: its facts, its rules, and the raw outcomes, so that no 0 is
 * without its reason.
 */
export async function binaryDescription(
  session: ExportReads,
  scope: ExportScope,
  about: About,
  pace: Pace,
): Promise<Blob> {
  const { profile, items, rules } = session;
  const rows: string[] = [];
  for (const [at, row] of scope.rows.entries()) {
    rows.push(scope.columns.map((column) => LETTERS[codeOf(session.state(row, column))]).join(''));
    await pace(at / scope.rows.length);
  }
  const description = {
    content: about.what,
    case_uid: session.caseUid,
    case_title: about.caseTitle,
    profile_name: profile.name,
    profile_uid: profile.profileUid,
    profile_version: profile.version,
    standard: profile.standard,
    standard_version: profile.standardVersion,
    dimensions: { items: scope.rows.length, rules: scope.columns.length },
    made_at: about.madeAt,
    values: Object.fromEntries(BINARY_VALUES),
    interpretation_boundary: INTERPRETATION_BOUNDARY,
    rules: scope.columns.map((column) =>
      profile.rules.find((rule) => rule.ruleUid === rules[column]),
    ),
    items: scope.rows.map((row) => items[row]?.item_uid),
    raw_outcomes: { letters: { F: 'FALSE', T: 'TRUE', N: 'NA', '-': 'unrecorded' }, rows },
  };
  return new Blob([`${JSON.stringify(description, null, 1)}\n`], {
    type: 'application/json;charset=utf-8',
  });
}
