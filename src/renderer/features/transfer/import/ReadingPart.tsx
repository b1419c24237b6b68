import { memo, useMemo } from 'react';
import { DELIMITERS, type Delimiter } from '../../../files/delimited.ts';
import { ENCODINGS, type Encoding } from '../../../files/encoding.ts';
import { columnName, type Table as FileTable, textAt } from '../../../files/table.ts';
import type { SheetRemarks } from '../../../files/xlsx-read.ts';
import { formatCount, plural } from '../../../state/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { Select } from '../../../ui/Select.tsx';
import { Table } from '../../../ui/Table.tsx';
import type { ChosenFile, ReadFile } from './read-file.ts';
import { VcfPart } from './VcfPart.tsx';
import type { Wizard } from './wizard.ts';
import type { Damage } from './wizard-state.ts';

const ENCODING_WORDS: Record<Encoding, string> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16, little end first',
  'utf-16be': 'UTF-16, big end first',
  'windows-1252': 'Windows-1252, Western',
};
const DELIMITER_WORDS: Record<Delimiter, string> = {
  ',': 'Comma',
  '\t': 'Tab',
  ';': 'Semicolon',
  '|': 'Vertical bar',
};
const HEADINGS_OFFERED = 20;
const ROWS_SHOWN = 6;
const COLUMNS_SHOWN = 12;
/** Rows with letters beyond ASCII show whether the encoding is right. */
const FOREIGN_SHOWN = 3;

interface ReadingPartProps {
  wizard: Wizard;
  opened: ChosenFile;
  read: ReadFile;
  headerRow: number;
  damage: Damage;
}

/** How the file is read; open where that is not sure. */
export const ReadingPart = memo(function ReadingPart(props: ReadingPartProps) {
  const { wizard, opened, read, headerRow, damage } = props;
  const { table, remarks, skipped = 0 } = read;
  const headings = table.lines.slice(0, HEADINGS_OFFERED).map((line, row) => ({
    value: String(row),
    label: `Row ${line}`,
    detail: preview(table, row),
  }));
  const hasHeadingRow = opened.kind === 'text' || opened.kind === 'workbook';
  const isUnsure =
    damage.count > 0 || (opened.kind === 'text' && opened.encoding === 'windows-1252');
  return (
    <section aria-label="File">
      <p className="small">
        <strong>{opened.file.name}</strong>{' '}
        <span className="muted">
          {plural(table.rows.length, 'row')}, {plural(table.width, 'column')}
          {skipped > 0 && `; ${plural(skipped, 'record')} not asked for`}
        </span>
      </p>
      <Remarks remarks={remarks} damage={damage} />
      {opened.kind === 'vcf' && <VcfPart wizard={wizard} opened={opened} />}
      <details className="tr-list" open={isUnsure || undefined}>
        <summary>How the file is read</summary>
        <div className="tr-list-body">
          <div className="form-row tr-row">
            <HowToRead wizard={wizard} opened={opened} />
            {hasHeadingRow && headings.length > 0 && (
              <Select
                label="Headings are in"
                options={headings}
                value={String(headerRow)}
                onValue={(row) => void wizard.setHeaderRow(Number(row))}
              />
            )}
          </div>
          <Preview table={table} headerRow={headerRow} />
        </div>
      </details>
    </section>
  );
});

const preview = (table: FileTable, row: number): string =>
  Array.from({ length: Math.min(4, table.width) }, (_, column) => textAt(table, row, column))
    .join(' · ')
    .slice(0, 60);

function HowToRead({ wizard, opened }: { wizard: Wizard; opened: ChosenFile }) {
  if (opened.kind === 'workbook') {
    const sheets = opened.book.sheets.map(({ name, isHidden }, index) => ({
      value: String(index),
      label: isHidden ? `${name} (hidden)` : name,
    }));
    return (
      <Select
        label="Sheet"
        options={sheets}
        value={String(opened.sheet)}
        onValue={(sheet) => void wizard.readAs({ sheet: Number(sheet) })}
      />
    );
  }
  if (opened.kind !== 'text') return null;
  return (
    <>
      <Select
        label="Encoding"
        options={ENCODINGS.map((value) => ({ value, label: ENCODING_WORDS[value] }))}
        value={opened.encoding}
        onValue={(encoding) => void wizard.readAs({ encoding })}
        {...(opened.encoding === 'windows-1252' && {
          hint: 'Assumed, since the file is not UTF-8. See whether the letters below are right.',
        })}
      />
      <Select
        label="Delimiter"
        options={DELIMITERS.map((value) => ({ value, label: DELIMITER_WORDS[value] }))}
        value={opened.delimiter}
        onValue={(delimiter) => void wizard.readAs({ delimiter })}
      />
    </>
  );
}

function Remarks({ remarks, damage }: { remarks: SheetRemarks | undefined; damage: Damage }) {
  const lines: string[] = [];
  if (remarks !== undefined && remarks.formulas > 0)
    lines.push(
      `${plural(remarks.formulas, 'cell')} with a formula, ` +
        `the first in ${remarks.firstFormula}: the value stored when the file was last saved ` +
        'is taken.',
    );
  if (remarks !== undefined && remarks.withoutValue > 0)
    lines.push(
      `${plural(remarks.withoutValue, 'formula')} without a stored value: ` +
        'read as empty. Open and save the file in a spreadsheet to store it.',
    );
  if (remarks !== undefined && remarks.merged > 0)
    lines.push(
      `${plural(remarks.merged, 'merged range')}, the first ${remarks.firstMerged}: only the first cell of each has a value.`,
    );
  return (
    <>
      {damage.count > 0 && (
        <Notice
          tone="danger"
          live
          title={`${plural(damage.count, 'cell')} with a damaged character`}
        >
          Letters were lost (U+FFFD), first in{' '}
          {damage.first
            .map(({ line, column }) => `row ${line}, column ${columnName(column)}`)
            .join('; ')}
          . Choose another encoding, or save the file again from its source. These cells are not
          imported.
        </Notice>
      )}
      {lines.length > 0 && (
        <Notice tone="info">
          <ul className="plain-list">
            {lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

function shownRows({ rows, words }: FileTable, headerRow: number): number[] {
  const shown = Array.from(
    { length: Math.max(0, Math.min(ROWS_SHOWN, rows.length - headerRow - 1)) },
    (_, index) => headerRow + 1 + index,
  );
  const most = shown.length + FOREIGN_SHOWN;
  const isForeign = words.map(({ text }) => /[^\u0000-\u007f]/.test(text));
  if (!isForeign.includes(true)) return shown;
  for (let row = headerRow + 1 + shown.length; row < rows.length && shown.length < most; row += 1) {
    if (rows[row]!.some((word) => isForeign[word])) shown.push(row);
  }
  return shown;
}

function Preview({ table, headerRow }: { table: FileTable; headerRow: number }) {
  const shown = useMemo(() => shownRows(table, headerRow), [table, headerRow]);
  const columns = Array.from(
    { length: Math.min(COLUMNS_SHOWN, table.width) },
    (_, column) => column,
  );
  const more = table.width - columns.length;
  return (
    <>
      <Table
        caption="First rows of the file"
        dense
        head={
          <tr>
            <th scope="col">Row {table.lines[headerRow]}</th>
            {columns.map((column) => (
              <th key={column} scope="col">
                {textAt(table, headerRow, column) || <span className="muted">(no heading)</span>}
              </th>
            ))}
          </tr>
        }
      >
        {shown.map((row) => (
          <tr key={row}>
            <th scope="row" className="num muted">
              {formatCount(table.lines[row] ?? 0)}
            </th>
            {columns.map((column) => (
              <td key={column} className="tr-field">
                {textAt(table, row, column)}
              </td>
            ))}
          </tr>
        ))}
      </Table>
      {more > 0 && <p className="muted small">and {plural(more, 'more column')}</p>}
    </>
  );
}
