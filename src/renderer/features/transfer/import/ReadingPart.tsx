import { memo, useMemo } from 'react';
import { DELIMITERS, type Delimiter } from '../../../files/delimited.ts';
import { ENCODINGS, type Encoding } from '../../../files/encoding.ts';
import { columnName, type Table as FileTable, textAt } from '../../../files/table.ts';
import type { SheetRemarks } from '../../../files/xlsx-read.ts';
import { formatCount } from '../../../state/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { Select } from '../../../ui/Select.tsx';
import { Table } from '../../../ui/Table.tsx';
import type { ChosenFile, ReadFile } from './read-file.ts';
import { VcfPart } from './VcfPart.tsx';
import type { Wizard } from './wizard.ts';
import type { Damage } from './wizard-state.ts';
import { t } from '../../../text/t.ts';

const ENCODING_WORDS: Record<Encoding, string> = {
  'utf-8': t('UTF-8'),
  'utf-16le': t('UTF-16, little end first'),
  'utf-16be': t('UTF-16, big end first'),
  'windows-1252': t('Windows-1252, Western'),
};
const DELIMITER_WORDS: Record<Delimiter, string> = {
  ',': t('Comma'),
  '\t': t('Tab'),
  ';': t('Semicolon'),
  '|': t('Vertical bar'),
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
    label: t('Row {line}', { line }),
    detail: preview(table, row),
  }));
  const hasHeadingRow = opened.kind === 'text' || opened.kind === 'workbook';
  const isUnsure =
    damage.count > 0 || (opened.kind === 'text' && opened.encoding === 'windows-1252');
  return (
    <section aria-label={t('File')}>
      <p className="small">
        <strong>{opened.file.name}</strong>{' '}
        <span className="muted">
          {t(
            '{rows, plural, one {# row} other {# rows}}, {columns, plural, one {# column} other {# columns}}',
            { rows: table.rows.length, columns: table.width },
          )}
          {skipped > 0 &&
            `; ${t('{records, plural, one {# record} other {# records}} not asked for', { records: skipped })}`}
        </span>
      </p>
      <Remarks remarks={remarks} damage={damage} />
      {opened.kind === 'vcf' && <VcfPart wizard={wizard} opened={opened} />}
      <details className="tr-list" open={isUnsure || undefined}>
        <summary>{t('How the file is read')}</summary>
        <div className="tr-list-body">
          <div className="form-row tr-row">
            <HowToRead wizard={wizard} opened={opened} />
            {hasHeadingRow && headings.length > 0 && (
              <Select
                label={t('Headings are in')}
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
      label: isHidden ? t('{name} (hidden)', { name }) : name,
    }));
    return (
      <Select
        label={t('Sheet')}
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
        label={t('Encoding')}
        options={ENCODINGS.map((value) => ({ value, label: ENCODING_WORDS[value] }))}
        value={opened.encoding}
        onValue={(encoding) => void wizard.readAs({ encoding })}
        {...(opened.encoding === 'windows-1252' && {
          hint: t('Assumed, since the file is not UTF-8. See whether the letters below are right.'),
        })}
      />
      <Select
        label={t('Delimiter')}
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
      t(
        '{formulas, plural, one {# cell} other {# cells}} with a formula, the first in {first}: the value stored when the file was last saved is taken.',
        { formulas: remarks.formulas, first: remarks.firstFormula ?? '' },
      ),
    );
  if (remarks !== undefined && remarks.withoutValue > 0)
    lines.push(
      t(
        '{formulas, plural, one {# formula} other {# formulas}} without a stored value: read as empty. Open and save the file in a spreadsheet to store it.',
        { formulas: remarks.withoutValue },
      ),
    );
  if (remarks !== undefined && remarks.merged > 0)
    lines.push(
      t(
        '{merged, plural, one {# merged range} other {# merged ranges}}, the first {first}: only the first cell of each has a value.',
        { merged: remarks.merged, first: remarks.firstMerged ?? '' },
      ),
    );
  return (
    <>
      {damage.count > 0 && (
        <Notice
          tone="danger"
          live
          title={t('{count, plural, one {# cell} other {# cells}} with a damaged character', {
            count: damage.count,
          })}
        >
          {t(
            'Letters were lost (U+FFFD), first in {places}. Choose another encoding, or save the file again from its source. These cells are not imported.',
            {
              places: damage.first
                .map(({ line, column }) =>
                  t('row {line}, column {column}', { line, column: columnName(column) }),
                )
                .join('; '),
            },
          )}
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
        caption={t('First rows of the file')}
        dense
        head={
          <tr>
            <th scope="col">{t('Row {line}', { line: table.lines[headerRow] ?? '' })}</th>
            {columns.map((column) => (
              <th key={column} scope="col">
                {textAt(table, headerRow, column) || (
                  <span className="muted">{t('(no heading)')}</span>
                )}
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
      {more > 0 && (
        <p className="muted small">
          {t('and {more, plural, one {# more column} other {# more columns}}', { more })}
        </p>
      )}
    </>
  );
}
