import { createPace } from '../../../src/renderer/files/pace.ts';
import type { MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { commitImport } from '../../../src/renderer/features/transfer/import/commit.ts';
import {
  guessMapping,
  type Mapping,
} from '../../../src/renderer/features/transfer/import/mapping.ts';
import type {
  ImportPlan,
  WordChoice,
} from '../../../src/renderer/features/transfer/import/plan.ts';
import { planImport } from '../../../src/renderer/features/transfer/import/plan-import.ts';
import { openFile, readOpened } from '../../../src/renderer/features/transfer/import/read-file.ts';
import {
  headersOf,
  type ImportSource,
} from '../../../src/renderer/features/transfer/import/source.ts';
import {
  collectWords,
  isPlain,
  knownMeanings,
  type Meaning,
  wordKey,
} from '../../../src/renderer/features/transfer/import/words.ts';

export const pace = createPace();

export interface Asked {
  mapping?: Mapping;
  /** Meanings of words of text that say nothing by themselves. */
  meanings?: Record<string, Meaning>;
  emptyClears?: boolean;
  keepsWords?: boolean;
  headerRow?: number;
  name?: string;
}

/** What the wizard does, with every question answered beforehand. */
export async function plan(
  file: Blob | string,
  session: MatrixSession,
  {
    mapping,
    meanings = {},
    emptyClears = false,
    keepsWords = true,
    headerRow = 0,
    name = 'file',
  }: Asked = {},
): Promise<{ plan: ImportPlan; source: ImportSource }> {
  const opened = await openFile(new File([file], 'file'), pace);
  const { table } = await readOpened(opened, pace);
  const headers = headersOf(table, headerRow);
  const source: ImportSource = {
    table,
    headerRow,
    headers,
    mapping: mapping ?? guessMapping(headers, session.profile.rules),
    isStrict: opened.kind === 'text',
  };
  const words = await collectWords(table, headerRow + 1, source.mapping, pace);
  const choice: WordChoice = {
    meanings: new Map([
      ...knownMeanings(words),
      ...Object.entries(meanings).map(
        ([text, meaning]) => [wordKey({ text, kind: 'text' }), meaning] as const,
      ),
    ]),
    plain: new Set(words.filter(isPlain).map(({ word }) => wordKey(word))),
    emptyClears,
    keepsWords,
    origin: {
      source: name,
      sheet: opened.kind === 'workbook' ? (opened.book.sheets[opened.sheet]?.name ?? null) : null,
      date: '2026-02-03',
    },
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
