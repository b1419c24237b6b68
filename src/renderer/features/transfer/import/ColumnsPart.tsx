import { memo, useState } from 'react';
import type { ProfileRule } from '../../../../shared/domain/profile.ts';
import { columnName, type Table as FileTable, textAt } from '../../../files/table.ts';
import { Button } from '../../../ui/Button.tsx';
import { Select } from '../../../ui/Select.tsx';
import { Table } from '../../../ui/Table.tsx';
import { type ColumnRole, type FileLayout, roleOptions } from './mapping.ts';
import type { ColumnValues, Meaning, Polarity } from './values.ts';
import { ValuesPart } from './ValuesPart.tsx';
import type { Wizard } from './wizard.ts';
import { headersNow, type WizardState } from './wizard-state.ts';
import { t } from '../../../text/t.ts';

const FORMS = [
  { value: 'wide', label: t('an item'), detail: t('One column for each rule') },
  {
    value: 'long',
    label: t('a cell'),
    detail: t('A column names the rule, another holds the outcome'),
  },
] as const;
const EXAMPLES = 3;
const LOOKED_AT = 200;
/** So many columns are on the page at once; each has a list of all rules. */
const SHOWN = 60;

function examples(table: FileTable, headerRow: number, column: number): string {
  const found = new Set<string>();
  for (
    let row = headerRow + 1;
    row < Math.min(table.rows.length, headerRow + LOOKED_AT) && found.size < EXAMPLES;
    row += 1
  ) {
    const text = textAt(table, row, column);
    if (text !== '') found.add(text);
  }
  return [...found].join(', ');
}

type ColumnsPartProps = { wizard: Wizard } & Pick<
  WizardState,
  'read' | 'headerRow' | 'mapping' | 'reasons' | 'remembered' | 'columns' | 'chosen' | 'polarities'
>;

/** What each column is used for, why, and what its values map to. */
export const ColumnsPart = memo(function ColumnsPart({ wizard, ...state }: ColumnsPartProps) {
  const { read, headerRow, mapping, reasons, remembered, columns, chosen, polarities } = state;
  const [all, setAll] = useState(false);
  if (read === null) return null;
  const headers = headersNow(state as WizardState);
  const { rules } = wizard.session.profile;
  const shown = all ? headers : headers.slice(0, SHOWN);
  const uidColumn = mapping.roles.indexOf('item_uid');
  return (
    <section aria-labelledby="tr-columns">
      <div className="tr-inline">
        <h3 id="tr-columns">{t('Columns and values')}</h3>
        <Select
          inline
          label={t('One row is')}
          options={FORMS}
          value={mapping.form}
          onValue={(form) => void wizard.setForm(form)}
        />
        {remembered && (
          <p className="tr-remembered small" role="status">
            {t('Used as last time for these headings, values included.')}{' '}
            <Button size="sm" onClick={() => void wizard.guessAgain()}>
              {t('Guess again')}
            </Button>
          </p>
        )}
      </div>
      <Table
        caption={t('Columns of the file')}
        dense
        head={
          <tr>
            <th scope="col">{t('Column')}</th>
            <th scope="col" className="tr-use">
              {t('Use as')}
            </th>
            <th scope="col" className="tr-reason">
              {t('Because')}
            </th>
          </tr>
        }
      >
        {shown.map((header, column) => (
          <ColumnRow
            key={column}
            {...{ wizard, header, column, headerRow, rules, uidColumn }}
            form={mapping.form}
            table={read.table}
            role={mapping.roles[column] ?? 'ignore'}
            reason={reasons[column] ?? ''}
            values={columns.find((values) => values.column === column)}
            chosen={chosen.get(column)}
            polarity={polarities.get(column)}
          />
        ))}
      </Table>
      {shown.length < headers.length && (
        <Button size="sm" onClick={() => setAll(true)}>
          {t('Show the other {columns} columns', { columns: headers.length - shown.length })}
        </Button>
      )}
    </section>
  );
});

interface ColumnRowProps {
  wizard: Wizard;
  header: string;
  column: number;
  headerRow: number;
  uidColumn: number;
  form: FileLayout;
  table: FileTable;
  rules: readonly ProfileRule[];
  role: ColumnRole;
  reason: string;
  values: ColumnValues | undefined;
  chosen: ReadonlyMap<string, Meaning> | undefined;
  polarity: Polarity | undefined;
}

const ColumnRow = memo(function ColumnRow(props: ColumnRowProps) {
  const { wizard, header, column, headerRow, form, table, rules, role, reason } = props;
  const title = header === '' ? t('no heading') : header;
  return (
    <>
      <tr
        data-ignored={role === 'ignore' || undefined}
        data-open={props.values !== undefined || undefined}
      >
        <th scope="row" className="tr-field">
          <span className="muted tr-letter">{columnName(column)}</span>{' '}
          {header === '' ? <span className="muted">{t('(no heading)')}</span> : header}
          <span className="tr-field tr-examples">{examples(table, headerRow, column)}</span>
        </th>
        <td>
          <Select
            labelHidden
            label={t('Use column {column}, {title}, as', { column: columnName(column), title })}
            options={roleOptions(header, form, rules)}
            value={role}
            onValue={(next) => void wizard.setRole(column, next)}
          />
        </td>
        <td className="tr-reason muted small">{reason}</td>
      </tr>
      {props.values !== undefined && props.values.values.length > 0 && (
        <tr className="tr-values">
          <td colSpan={3}>
            <ValuesPart
              wizard={wizard}
              title={title}
              held={props.values}
              chosen={props.chosen}
              polarity={props.polarity}
              itemOf={(row) =>
                props.uidColumn < 0
                  ? t('row {line}', { line: table.lines[row] ?? '' })
                  : textAt(table, row, props.uidColumn)
              }
            />
          </td>
        </tr>
      )}
    </>
  );
});
