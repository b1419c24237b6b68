import { columnName, type Table as FileTable, textAt } from '../../../files/table.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { Select } from '../../../ui/Select.tsx';
import { Table } from '../../../ui/Table.tsx';
import { mappingProblems, roleOptions } from './mapping.ts';
import type { Wizard } from './wizard.ts';
import { headersNow, type WizardState } from './wizard-state.ts';

const FORMS = [
  { value: 'wide', label: 'an item', detail: 'One column for each rule' },
  { value: 'long', label: 'a cell', detail: 'A column names the rule, another holds the outcome' },
] as const;
const EXAMPLES = 3;
const LOOKED_AT = 200;

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

export function ColumnsStep({ wizard, state }: { wizard: Wizard; state: WizardState }) {
  const { read, mapping, headerRow, remembered } = state;
  if (read === null) return null;
  const headers = headersNow(state);
  const { rules } = wizard.session.profile;
  const problems = mappingProblems(mapping, headers);
  return (
    <>
      <div className="tr-inline">
        <Select
          inline
          label="One row is"
          options={FORMS}
          value={mapping.form}
          onValue={wizard.setForm}
        />
        {remembered && <p className="muted small">Used as last time for these headings.</p>}
      </div>
      {problems.length > 0 && (
        <Notice tone="warning" live>
          <ul className="plain-list">
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Notice>
      )}
      <div className="tr-fixed">
        <Table
          caption="Columns of the file"
          dense
          head={
            <tr>
              <th scope="col" className="tr-letter">
                <span className="visually-hidden">Column</span>
              </th>
              <th scope="col">Heading</th>
              <th scope="col">First values</th>
              <th scope="col" className="tr-use">
                Use as
              </th>
            </tr>
          }
        >
          {headers.map((header, column) => (
            <tr key={column} data-ignored={mapping.roles[column] === 'ignore' || undefined}>
              <td className="muted">{columnName(column)}</td>
              <th scope="row" className="tr-field">
                {header === '' ? <span className="muted">(no heading)</span> : header}
              </th>
              <td className="tr-field muted">{examples(read.table, headerRow, column)}</td>
              <td>
                <Select
                  labelHidden
                  label={`Use column ${columnName(column)}, ${header}, as`}
                  options={roleOptions(header, mapping.form, rules)}
                  value={mapping.roles[column] ?? 'ignore'}
                  onValue={(role) => wizard.setRole(column, role)}
                />
              </td>
            </tr>
          ))}
        </Table>
      </div>
      <p className="muted small">
        Rules are found by their ID or name. Columns that are ignored change nothing.
      </p>
    </>
  );
}
