import { z } from 'zod';
import { Evidence } from '../../../../shared/contract/v1/evidence.ts';
import { ProfileRule } from '../../../../shared/domain/profile.ts';
import { RunRecord } from '../../../../shared/domain/run-record.ts';
import { linesOf } from '../../../files/lines.ts';
import type { Pace } from '../../../files/pace.ts';
import { createTableBuilder, FileProblem, type Table } from '../../../files/table.ts';
import { checked, ItemWithCells, type JsonEntry, LooseCell } from './json-entry.ts';
import { type Asking, isQem, ofQem } from './read-qem.ts';
import { METADATA, metadataText, provenanceField } from '../metadata-text.ts';
import { t } from '../../../text/t.ts';

/** One document is parsed at once, and the window waits for it; lines are parsed one by one. */
const MOST_BYTES = 50 * 1024 * 1024;

const Batch = z.strictObject({
  case_uid: z.string().optional(),
  profile_uid: z.string().optional(),
  profile_version: z.string().optional(),
  items: z.array(ItemWithCells).optional(),
  outcomes: z.array(LooseCell).optional(),
});

/** The description beside an exported binary matrix. */
const Description = z.strictObject({
  ...Object.fromEntries(
    [
      ...['content', 'case_uid', 'case_title', 'profile_name', 'profile_uid', 'profile_version'],
      ...['standard', 'standard_version', 'made_at', 'interpretation_boundary'],
    ].map((member) => [member, z.string()]),
  ),
  dimensions: z.strictObject({ items: z.int(), rules: z.int() }),
  values: z.record(z.string(), z.string()),
  rules: z.array(ProfileRule),
  items: z.array(z.string()),
  raw_outcomes: z.strictObject({
    letters: z.record(z.string(), z.string()),
    rows: z.array(z.string().regex(/^[FTN-]*$/)),
  }),
});

const LETTERS: Readonly<Record<string, 'TRUE' | 'FALSE' | 'NA'>> = {
  T: 'TRUE',
  F: 'FALSE',
  N: 'NA',
};

function ofBatch({ items = [], outcomes = [] }: z.infer<typeof Batch>): JsonEntry[] {
  return [
    ...items.map(({ evidence, ...item }, at) => ({ item, cells: evidence ?? [], line: at + 1 })),
    ...outcomes.map(({ item_uid, ...cell }, at) => ({
      item: { item_uid },
      cells: [cell],
      line: items.length + at + 1,
    })),
  ];
}

function ofRun({ frozen }: z.infer<typeof RunRecord>): JsonEntry[] {
  const details = new Map(
    frozen.cells.map((cell) => [JSON.stringify([cell.item_uid, cell.rule_uid]), cell]),
  );
  return frozen.items.map((item, row) => ({
    item,
    line: row + 1,
    cells: frozen.rules.map((rule_uid, column) => {
      const { item_uid: _item, ...detail } = details.get(
        JSON.stringify([item.item_uid, rule_uid]),
      ) ?? { item_uid: '' };
      return { ...detail, rule_uid, raw_outcome: frozen.raw[row]?.[column] ?? null };
    }),
  }));
}

const ofDescription = ({ rules, items, raw_outcomes }: z.infer<typeof Description>): JsonEntry[] =>
  items.map((item_uid, row) => ({
    item: { item_uid },
    line: row + 1,
    cells: rules.map(({ ruleUid }, column) => ({
      rule_uid: ruleUid,
      raw_outcome: LETTERS[raw_outcomes.rows[row]?.[column] ?? ''] ?? null,
    })),
  }));

/** `line`: of the file, where its lines are documents. */
function parsed(text: string, line?: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new FileProblem(
      line === undefined
        ? t('The file is not valid JSON.')
        : t('Line {line} is not valid JSON.', { line }),
    );
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What kind of document it is, by the members that only this kind has. */
function entriesOf(value: unknown, asking: Asking): JsonEntry[] {
  if (Array.isArray(value)) return value.flatMap((entry, at) => lineEntry(entry, at + 1));
  if (!isObject(value)) throw new FileProblem(t('The JSON file holds neither items nor cells.'));
  if (Object.hasOwn(value, 'frozen')) return ofRun(checked(RunRecord, value));
  if (Object.hasOwn(value, 'raw_outcomes'))
    return ofDescription(checked(Description as z.ZodType<z.infer<typeof Description>>, value));
  if (Object.hasOwn(value, 'summary')) {
    const { items } = checked(Evidence, value);
    return ofBatch({ items });
  }
  if (isQem(value)) return ofQem(value, asking);
  return ofBatch(checked(Batch, value));
}

/** A line, or a member of a list: an item with its cells, or one cell. */
function lineEntry(value: unknown, line: number): JsonEntry[] {
  if (isObject(value) && Object.hasOwn(value, 'rule_uid')) {
    const { item_uid, ...cell } = checked(LooseCell, value, line);
    return [{ item: { item_uid }, cells: [cell], line }];
  }
  const { evidence, ...item } = checked(ItemWithCells, value, line);
  return [{ item, cells: evidence ?? [], line }];
}

const DETAILS = ['source_value', 'notes'] as const;

const tooMany = (maxRows: number): FileProblem =>
  new FileProblem(t('The file has more than {cells, number} cells.', { cells: maxRows }));

/** As a table with a row a cell, and a row for each item that has none. */
async function toTable(
  entries: readonly JsonEntry[],
  unit: string,
  maxRows: number,
  pace: Pace,
): Promise<Table> {
  const keys = new Set<string>();
  for (const { item } of entries) for (const key of Object.keys(item.metadata ?? {})) keys.add(key);
  const metadata = [...keys];
  const builder = createTableBuilder();
  const add = (texts: readonly string[], line: number): void =>
    builder.add(
      texts.map((text) => builder.word(text)),
      line,
    );
  const headings = [
    ...['item_uid', 'label', 'item_type', ...metadata.map((key) => METADATA + key)],
    ...['rule_uid', 'outcome', ...DETAILS, 'provenance'],
  ];
  add(headings, 0);
  for (const [at, { item, cells, line }] of entries.entries()) {
    const fields = [
      item.label ?? '',
      item.item_type ?? '',
      ...metadata.map((key) =>
        Object.hasOwn(item.metadata ?? {}, key) ? metadataText(item.metadata?.[key]) : '',
      ),
    ];
    const recorded = cells.filter(({ raw_outcome, source_value, notes, provenance }) =>
      [raw_outcome, source_value, notes, provenance].some((part) => (part ?? null) !== null),
    );
    if (recorded.length === 0) add([item.item_uid, ...fields], line);
    for (const [index, cell] of recorded.entries())
      add(
        [
          item.item_uid,
          ...(index === 0 ? fields : fields.map(() => '')),
          ...[cell.rule_uid, cell.raw_outcome ?? '', ...DETAILS.map((part) => cell[part] ?? '')],
          provenanceField(cell.provenance),
        ],
        line,
      );
    if (builder.rowCount > maxRows) throw tooMany(maxRows);
    await pace(at / entries.length);
  }
  return { ...builder.finish(), unit, places: headings };
}

/** Whether a text begins as JSON does, and as one document or as lines of documents. */
export function jsonKind(start: string): 'json' | 'lines' | undefined {
  const text = start.replace(/^\ufeff/, '').trimStart();
  if (!/^(?:\{\s*["}]|\[\s*[[{\]])/.test(text)) return undefined;
  const [first = ''] = text.split(/\r?\n/);
  if (!first.startsWith('{') || first.length === text.length) return 'json';
  try {
    JSON.parse(first);
    return 'lines';
  } catch {
    return 'json';
  }
}

async function readLines(file: Blob, maxRows: number, pace: Pace): Promise<JsonEntry[]> {
  const entries: JsonEntry[] = [];
  for await (const { lines, first, done } of linesOf(file, false)) {
    for (const [at, line] of lines.entries()) {
      if (line.trim() === '') continue;
      const number = first + at;
      entries.push(...lineEntry(parsed(line, number), number));
      if (entries.length > maxRows) throw tooMany(maxRows);
      await pace(done);
    }
  }
  return entries;
}

/** Evidence as JSON or JSON Lines, as a table for the matrix that asks. */
export async function readJson(
  file: Blob,
  kind: 'json' | 'lines',
  asking: Asking,
  maxRows: number,
  pace: Pace,
): Promise<Table> {
  if (kind === 'lines') return toTable(await readLines(file, maxRows, pace), 'line', maxRows, pace);
  if (file.size > MOST_BYTES)
    throw new FileProblem(
      t('JSON files of up to {most} MB are read; JSON Lines, one item a line, of up to 200 MB.', {
        most: MOST_BYTES / 1024 / 1024,
      }),
    );
  const text = await file.text();
  await pace();
  return toTable(entriesOf(parsed(text), asking), 'entry', maxRows, pace);
}
