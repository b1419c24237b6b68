import type { Pace } from './pace.ts';
import { cellAt, type Sheet } from './sheet.ts';
import { columnName } from './table.ts';
import { toXlsxText } from './xlsx-text.ts';
import { createZip, type ZipPart } from './zip.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const FILE_TYPE = `${TYPE}.sheet`;

/** Styles: 0 plain, 1 text (format "@", so that a retyped value stays a text), 2 header. */
const STYLES =
  `${HEAD}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/>` +
  '<name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill>' +
  '<patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>' +
  '</cellStyleXfs><cellXfs count="3">' +
  '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" ' +
  'applyFont="1"/>' +
  '</cellXfs></styleSheet>';

/** Characters handed on at once: short enough that packing them does not hold the window. */
const PIECE = 64 * 1024;
const WIDEST = 60;

/** An inline text needs no list of all texts, so a sheet of any size is written in one pass. */
const textCell = (reference: string, text: string, style: 1 | 2): string =>
  `<c r="${reference}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${toXlsxText(text)}</t></is></c>`;

async function* sheetXml(sheet: Sheet, pace: Pace): AsyncGenerator<string> {
  const names = sheet.columns.map((_, index) => columnName(index));
  const frozen = sheet.frozenColumns ?? 0;
  const corner = `${columnName(frozen)}2`;
  const pane =
    `<pane${frozen === 0 ? '' : ` xSplit="${frozen}"`} ySplit="1" topLeftCell="${corner}" ` +
    `activePane="${frozen === 0 ? 'bottomLeft' : 'bottomRight'}" state="frozen"/>`;
  const widths = sheet.columns
    .map(
      (column, index) =>
        `<col min="${index + 1}" max="${index + 1}" ` +
        `width="${column.width ?? Math.min(WIDEST, Math.max(8, column.header.length + 2))}" ` +
        'customWidth="1"/>',
    )
    .join('');
  let piece =
    `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews>` +
    `<sheetView workbookViewId="0">${pane}</sheetView></sheetViews><cols>${widths}</cols>` +
    '<sheetData><row r="1">';
  piece += `${sheet.columns.map((column, index) => textCell(`${names[index]}1`, column.header, 2)).join('')}</row>`;
  // The few words of coded columns are turned into XML once.
  const coded = sheet.columns.map((column) =>
    'codes' in column
      ? column.words.map((word) =>
          word === '' ? '' : ` s="1" t="inlineStr"><is><t>${toXlsxText(word)}</t></is></c>`,
        )
      : undefined,
  );
  for (let row = 0; row < sheet.rowCount; row += 1) {
    const line = row + 2;
    piece += `<row r="${line}">`;
    for (let index = 0; index < names.length; index += 1) {
      const column = sheet.columns[index]!;
      if ('codes' in column) {
        const xml = coded[index]?.[column.codes[row]!] ?? '';
        if (xml !== '') piece += `<c r="${names[index]}${line}"${xml}`;
        continue;
      }
      const cell = cellAt(column, row);
      if (typeof cell === 'number') piece += `<c r="${names[index]}${line}"><v>${cell}</v></c>`;
      else if (cell !== null && cell !== '') piece += textCell(`${names[index]}${line}`, cell, 1);
    }
    piece += '</row>';
    if (piece.length > PIECE) {
      yield piece;
      piece = '';
      await pace(row / sheet.rowCount);
    }
  }
  yield `${piece}</sheetData></worksheet>`;
}

/** Names of sheets: 1 to 31 characters without []:*?/\, and not twice. */
export const sheetName = (name: string): string => name.replace(/[[\]:*?/\\]/g, ' ').slice(0, 31);

interface NumberedSheet {
  sheet: Sheet;
  number: number;
}

const contentTypes = (numbered: readonly NumberedSheet[]): string =>
  [
    `${HEAD}<Types xmlns="${PACKAGE}/content-types">`,
    '<Default Extension="rels" ',
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
    '<Default Extension="xml" ContentType="application/xml"/>',
    `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>`,
    `<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>`,
    ...numbered.map(
      ({ number }) =>
        `<Override PartName="/xl/worksheets/sheet${number}.xml" ` +
        `ContentType="${TYPE}.worksheet+xml"/>`,
    ),
    '</Types>',
  ].join('');

const workbook = (numbered: readonly NumberedSheet[]): string =>
  [
    `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>`,
    ...numbered.map(
      ({ sheet, number }) =>
        `<sheet name="${toXlsxText(sheetName(sheet.name))}" ` +
        `sheetId="${number}" r:id="rId${number}"/>`,
    ),
    '</sheets></workbook>',
  ].join('');

function relationships(targets: readonly { type: string; target: string }[]): string {
  const each = targets.map(
    ({ type, target }, index) =>
      `<Relationship Id="rId${index + 1}" Type="${RELATIONS}/${type}" Target="${target}"/>`,
  );
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${each.join('')}</Relationships>`;
}

/**
 * A workbook in which every text is a text cell: nothing in it can be taken for a date, a number or
 * a formula.
 */
export function writeXlsx(sheets: readonly Sheet[], pace: Pace): Promise<Blob> {
  const numbered = sheets.map((sheet, index) => ({ sheet, number: index + 1 }));
  const sheetTargets = numbered.map(({ number }) => ({
    type: 'worksheet',
    target: `worksheets/sheet${number}.xml`,
  }));
  const parts: ZipPart[] = [
    { name: '[Content_Types].xml', content: [contentTypes(numbered)] },
    {
      name: '_rels/.rels',
      content: [relationships([{ type: 'officeDocument', target: 'xl/workbook.xml' }])],
    },
    { name: 'xl/workbook.xml', content: [workbook(numbered)] },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: [relationships([...sheetTargets, { type: 'styles', target: 'styles.xml' }])],
    },
    { name: 'xl/styles.xml', content: [STYLES] },
    ...numbered.map(({ sheet, number }) => ({
      name: `xl/worksheets/sheet${number}.xml`,
      content: sheetXml(sheet, pace),
    })),
  ];
  return createZip(parts, FILE_TYPE);
}
