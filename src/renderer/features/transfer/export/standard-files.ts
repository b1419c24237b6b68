import { CELL_STATES, codeOf } from '../../../../shared/domain/outcome.ts';
import { evidenceBit, type QemMatrix } from '../../../../shared/domain/qem-matrix.ts';
import type { Pace } from '../../../files/pace.ts';
import { type Sheet, sheetFile } from '../../../files/sheet.ts';
import { FileProblem } from '../../../files/table.ts';
import type { ExportReads } from './frozen.ts';
import { binarySheet, type ExportScope } from './sheets.ts';
import { t } from '../../../text/t.ts';

/**
 * The binary matrix as the R package quantbayes reads it: plain CSV, the IDs in its first column.
 */
export async function quantbayesFile(
  session: ExportReads,
  scope: ExportScope,
  pace: Pace,
): Promise<Blob> {
  const sheet: Sheet = await binarySheet(session, scope, pace);
  const [ids, ...rules] = sheet.columns;
  return sheetFile(
    { ...sheet, columns: [{ ...ids!, header: 'ID' }, ...rules] },
    { delimiter: ',', guarded: false, byteOrderMark: false },
    pace,
  );
}

const ENGINE_WORDS = CELL_STATES.map((state) =>
  state === null || state === 'NA' ? 'NA' : String(evidenceBit(state)),
);

/** A line an item, a word a rule: 1, 0 or NA; neither headings nor IDs. */
export async function engineFile(
  session: ExportReads,
  { rows, columns }: ExportScope,
  pace: Pace,
): Promise<Blob> {
  const lines: string[] = [];
  for (const [at, row] of rows.entries()) {
    lines.push(
      `${columns.map((column) => ENGINE_WORDS[codeOf(session.state(row, column))]).join(' ')}\n`,
    );
    await pace(at / rows.length);
  }
  return new Blob(lines, { type: 'text/plain;charset=utf-8' });
}

type QemItem = QemMatrix['items'][number];
type QemOutcome = QemMatrix['outcomes'][number];
type Provenance = ReturnType<ExportReads['detail']>['provenance'];

/** The public schema knows provenance as an object alone. */
const provenanceOf = (provenance: Provenance): { provenance?: Record<string, unknown> } =>
  provenance === null || provenance === undefined
    ? {}
    : { provenance: typeof provenance === 'string' ? { text: provenance } : { ...provenance } };

function qemItem(session: ExportReads, row: number): QemItem {
  const { item_uid, item_type, label, metadata } = session.items[row]!;
  return {
    item_uid,
    item_type,
    ...(label === '' ? {} : { label }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

function qemOutcome(session: ExportReads, row: number, column: number): QemOutcome | undefined {
  const raw_outcome = session.state(row, column);
  if (raw_outcome === null) return undefined;
  const { source_value, notes, provenance } = session.detail(row, column);
  return {
    item_uid: session.items[row]!.item_uid,
    rule_uid: session.rules[column]!,
    raw_outcome,
    xij: evidenceBit(raw_outcome),
    ...(source_value === null ? {} : { source_value }),
    ...(notes === null ? {} : { notes }),
    ...provenanceOf(provenance),
  };
}

/** A member of the document whose list is written in pieces. */
function list(name: string, entries: readonly string[]): string[] {
  return [`,\n"${name}": [\n`, entries.join(',\n'), '\n]'];
}

/**
 * `qem-matrix.json` by the public schema. Unrecorded cells have no outcome in it and count 0 in its
 * matrix; the matrix has a column for each rule of the profile, so it is left out of a part of
 * them.
 */
export async function qemFile(
  session: ExportReads,
  { rows, columns }: ExportScope,
  pace: Pace,
): Promise<Blob> {
  const [items, outcomes, matrix]: [string[], string[], string[]] = [[], [], []];
  const isWhole = columns.length === session.rules.length;
  const inOrder = [...columns].toSorted((one, other) => one - other);
  for (const [at, row] of rows.entries()) {
    items.push(JSON.stringify(qemItem(session, row)));
    const bits = inOrder.map((column) => {
      const outcome = qemOutcome(session, row, column);
      if (outcome !== undefined) outcomes.push(JSON.stringify(outcome));
      return outcome?.xij ?? 0;
    });
    matrix.push(JSON.stringify(bits));
    await pace(at / rows.length);
  }
  if (outcomes.length === 0)
    throw new FileProblem(
      t('The public schema needs at least one recorded outcome, and nothing is recorded here yet.'),
    );
  const head = {
    case_uid: session.caseUid,
    profile_uid: session.profile.profileUid,
    standard: 'SGA-QEM-1.0',
  } as const;
  return new Blob(
    [
      JSON.stringify(head).slice(0, -1),
      ...list('items', items),
      ...list('outcomes', outcomes),
      ...(isWhole ? list('matrix', matrix) : []),
      '}\n',
    ],
    { type: 'application/json;charset=utf-8' },
  );
}
