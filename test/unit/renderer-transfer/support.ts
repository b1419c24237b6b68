import { createPace } from '../../../src/renderer/files/pace.ts';
import { provenanceOf } from '../../../src/renderer/files/origin.ts';
import type { MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { factsOf } from '../../../src/renderer/features/transfer/import/column-facts.ts';
import { commitImport } from '../../../src/renderer/features/transfer/import/commit.ts';
import { guessColumns } from '../../../src/renderer/features/transfer/import/guess.ts';
import type { Mapping } from '../../../src/renderer/features/transfer/import/mapping.ts';
import type {
  ImportChoice,
  ImportPlan,
  Meet,
} from '../../../src/renderer/features/transfer/import/plan.ts';
import { planImport } from '../../../src/renderer/features/transfer/import/plan-import.ts';
import { openFile, readOpened } from '../../../src/renderer/features/transfer/import/read-file.ts';
import {
  headersOf,
  type ImportSource,
} from '../../../src/renderer/features/transfer/import/source.ts';
import {
  collectValues,
  mapValues,
  type Meaning,
  type Polarity,
  wordKey,
} from '../../../src/renderer/features/transfer/import/values.ts';

export const pace = createPace();

export interface Asked {
  mapping?: Mapping;
  /** Meanings of words of text that say nothing by themselves, in every column. */
  meanings?: Record<string, Meaning>;
  /** By column of the file. */
  polarities?: Record<number, Polarity>;
  emptyClears?: boolean;
  keepsWords?: boolean;
  headerRow?: number;
  name?: string;
  meet?: Meet;
  aliases?: Record<string, string>;
}

/** What the wizard does, with every question answered beforehand. */
export async function plan(
  file: Blob | string,
  session: MatrixSession,
  {
    mapping,
    meanings = {},
    polarities = {},
    emptyClears = false,
    keepsWords = true,
    headerRow = 0,
    name = 'file',
    meet = 'overwrite',
    aliases = {},
  }: Asked = {},
): Promise<{ plan: ImportPlan; source: ImportSource }> {
  const opened = await openFile(new File([file], 'file'), pace);
  const { table } = await readOpened(opened, session, pace);
  const headers = headersOf(table, headerRow);
  const facts = await factsOf(table, headerRow, (uid) => session.rowOf(uid) >= 0, pace);
  const source: ImportSource = {
    table,
    headerRow,
    headers,
    mapping: mapping ?? (await guessColumns(headers, facts, session.profile.rules, pace)),
    isStrict: opened.kind === 'text',
  };
  const columns = await collectValues(table, headerRow + 1, source.mapping, pace);
  const chosen = new Map(
    Object.entries(meanings).map(([text, meaning]) => [wordKey({ text, kind: 'text' }), meaning]),
  );
  const origin = {
    source: name,
    sheet: opened.kind === 'workbook' ? (opened.book.sheets[opened.sheet]?.name ?? null) : null,
    date: '2026-02-03',
  };
  const choice: ImportChoice = {
    meanings: mapValues(
      columns,
      new Map(columns.map(({ column }) => [column, chosen])),
      new Map(Object.entries(polarities).map(([column, value]) => [Number(column), value])),
    ),
    emptyClears,
    keepsWords,
    meet,
    aliases: new Map(Object.entries(aliases)),
    locate: (row, column) =>
      provenanceOf(origin, table.lines[row] ?? 0, column, {
        unit: table.unit,
        place: table.places?.[column],
      }),
  };
  return { plan: await planImport(source, choice, session, pace), source };
}

export async function importInto(
  file: Blob | string,
  session: MatrixSession,
  asked: Asked = {},
): Promise<ImportPlan> {
  const planned = await plan(file, session, asked);
  await commitImport(planned.plan, planned.source.table.words, 'file', session, pace);
  return planned.plan;
}

/** Everything of a session that a file carries. */
export function contentOf(session: MatrixSession): unknown {
  return session.items.map(({ item_uid, label, item_type, metadata }, row) => ({
    item_uid,
    label,
    item_type,
    metadata,
    cells: session.rules.map((_, column) => [
      session.state(row, column),
      session.detail(row, column),
    ]),
  }));
}
