import type { MatrixSession } from '../../../data/store/port.ts';
import type { Pace } from '../../../files/pace.ts';
import { type Sheet, sheetFile } from '../../../files/sheet.ts';
import { FileProblem } from '../../../files/table.ts';
import { writeXlsx } from '../../../files/xlsx-write.ts';
import { type ExportReads, freeze } from './frozen.ts';
import { engineFile, qemFile, quantbayesFile } from './standard-files.ts';
import {
  type About,
  aboutFacts,
  BINARY_VALUES,
  binaryDescription,
  binarySheet,
  factsSheet,
  longSheet,
  matrixSheet,
  RAW_VALUES,
  rawSheet,
  type RuleHeadingStyle,
  rulesSheet,
  type ExportPart,
  type ExportScope,
  scopeOf,
} from './sheets.ts';
import { t } from '../../../text/t.ts';

export const CONTENTS = ['matrix', 'long', 'binary', 'quantbayes', 'engine', 'qem'] as const;
export type ExportContent = (typeof CONTENTS)[number];
export const FORMATS = ['xlsx', 'csv', 'tsv'] as const;
export type Format = (typeof FORMATS)[number];

export interface ExportChoice {
  content: ExportContent;
  format: Format;
  heading: RuleHeadingStyle;
  metadata: boolean;
  /** Long form: also cells of which nothing is known. */
  unrecorded: boolean;
  guarded: boolean;
  byteOrderMark: boolean;
}

export interface NamedFile {
  name: string;
  blob: Blob;
}

export const CONTENT_WORDS: Record<ExportContent, string> = {
  matrix: 'Evidence matrix: raw outcomes, one row an item',
  long: 'Recorded cells: one row a cell',
  binary: 'Binary matrix: 1 is evidence present, 0 is everything else',
  quantbayes: 'Binary matrix for R quantbayes: 1 is evidence present, 0 is everything else',
  engine:
    'Matrix for the engine: 1 is evidence present, 0 a problem, NA not available or unrecorded',
  qem: 'Items and recorded outcomes by the public schema qem-matrix.json',
};

/** Contents whose form is given by the program that reads them. */
const STANDARD_FILES = { quantbayes: quantbayesFile, engine: engineFile, qem: qemFile } as const;
const ENDINGS = { quantbayes: 'csv', engine: 'txt', qem: 'json' } as const;
type StandardContent = keyof typeof STANDARD_FILES;
export const isStandard = (content: ExportContent): content is StandardContent =>
  content in STANDARD_FILES;

/** Rows of a sheet in every spreadsheet. */
const MAX_XLSX_ROWS = 1_048_576;

const fileStem = (session: ExportReads, content: ExportContent): string =>
  `${session.caseUid}_${content}`.replaceAll(/[^\w.-]/g, '_');

function contentSheet(
  session: ExportReads,
  scope: ExportScope,
  choice: ExportChoice,
  pace: Pace,
): Promise<Sheet> {
  if (choice.content === 'matrix') return matrixSheet(session, scope, choice, pace);
  return choice.content === 'long'
    ? longSheet(session, scope, choice, pace)
    : binarySheet(session, scope, pace);
}

/**
 * The files of an export, from the session and never from the screen's grid: as it is now, also
 * where it changes before they are made.
 */
export async function buildExport(
  matrix: MatrixSession,
  part: ExportPart,
  choice: ExportChoice,
  facts: Omit<About, 'what'>,
  pace: Pace,
): Promise<NamedFile[]> {
  const session = freeze(matrix, choice.content === 'long');
  const scope = scopeOf(session, part);
  const about: About = { ...facts, what: CONTENT_WORDS[choice.content] };
  const stem = fileStem(session, choice.content);
  const description = async (): Promise<NamedFile> => ({
    name: `${stem}.json`,
    blob: await binaryDescription(session, scope, about, pace),
  });
  if (isStandard(choice.content)) {
    const blob = await STANDARD_FILES[choice.content](session, scope, pace);
    const file = { name: `${stem}.${ENDINGS[choice.content]}`, blob };
    return choice.content === 'qem' ? [file] : [file, await description()];
  }
  const sheet = await contentSheet(session, scope, choice, pace);
  if (choice.format !== 'xlsx') {
    const blob = await sheetFile(
      sheet,
      {
        delimiter: choice.format === 'csv' ? ',' : '\t',
        guarded: choice.guarded,
        byteOrderMark: choice.byteOrderMark,
      },
      pace,
    );
    const files = [{ name: `${stem}.${choice.format}`, blob }];
    return choice.content === 'binary' ? [...files, await description()] : files;
  }
  if (sheet.rowCount >= MAX_XLSX_ROWS)
    throw new FileProblem(
      t('{rows, number} rows do not fit on a sheet of XLSX. Export CSV instead.', {
        rows: sheet.rowCount,
      }),
    );
  const sheets = [
    sheet,
    ...(choice.content === 'binary' ? [await rawSheet(session, scope, pace)] : []),
    rulesSheet(session, scope),
    factsSheet(
      aboutFacts(session, scope, about, choice.content === 'binary' ? BINARY_VALUES : RAW_VALUES),
    ),
  ];
  return [{ name: `${stem}.xlsx`, blob: await writeXlsx(sheets, pace) }];
}
