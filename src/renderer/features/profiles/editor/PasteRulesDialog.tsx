import { useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { TextArea } from '../../../ui/Field.tsx';
import { Table } from '../../../ui/Table.tsx';
import type { RuleValues } from './change-draft.ts';
import {
  COLUMN_WORDS,
  readRuleTable,
  rulesOf,
  tableProblem,
  type PastedColumn,
  type RuleTable,
} from './paste-rules.ts';
import { t } from '../../../text/t.ts';

const COLUMNS = Object.keys(COLUMN_WORDS) as PastedColumn[];
const SHOWN = 5;

interface PasteRulesDialogProps {
  present: number;
  onClose: () => void;
  onAdd: (rules: readonly RuleValues[]) => void;
}

const addWords = (rules: number): string =>
  rules === 0 ? t('Add rules') : t('Add {rules, plural, one {# rule} other {# rules}}', { rules });

const readWords = ({ rows, headed }: RuleTable): string =>
  headed
    ? t('{rules, plural, one {# rule} other {# rules}}, the first line names the columns.', {
        rules: rows.length,
      })
    : t('{rules, plural, one {# rule.} other {# rules.}}', { rules: rows.length });

/**
 * Many rules at once from a spreadsheet: what each column holds is shown and can be changed before
 * anything is added.
 */
export function PasteRulesDialog({ present, onClose, onAdd }: PasteRulesDialogProps) {
  const [text, setText] = useState('');
  const [table, setTable] = useState<RuleTable>(() => readRuleTable(''));
  const problem = tableProblem(table, present);
  const read = (next: string): void => {
    setText(next);
    setTable(readRuleTable(next));
  };
  const place = (at: number, column: PastedColumn): void =>
    setTable({
      ...table,
      columns: table.columns.map((use, index) =>
        index === at ? column : use === column && column !== 'ignore' ? 'ignore' : use,
      ),
    });
  return (
    <Dialog
      onClose={onClose}
      wide
      title={t('Paste rules')}
      description={t(
        'Copy the lines from a spreadsheet, one rule a line, with or without a line of headings. Rules without an ID get one from their name.',
      )}
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            variant="primary"
            disabled={problem !== undefined}
            onClick={() => onAdd(rulesOf(table))}
          >
            {addWords(table.rows.length)}
          </Button>
        </>
      }
    >
      <TextArea
        name="rules-table"
        label={t('Lines of the table')}
        rows={5}
        value={text}
        onValue={read}
      />
      {table.rows.length > 0 && (
        <>
          <p className="small muted" role="status">
            {readWords(table)} {problem ?? ''}
          </p>
          <Table
            caption={t('The first rules as they will be read')}
            dense
            head={
              <tr>
                {table.columns.map((column, index) => (
                  <th key={index} scope="col">
                    <select
                      className="input pe-column"
                      aria-label={t('Column {column} holds', { column: index + 1 })}
                      value={column}
                      onChange={(event) =>
                        place(
                          index,
                          COLUMNS.find((known) => known === event.target.value) ?? 'ignore',
                        )
                      }
                    >
                      {COLUMNS.map((known) => (
                        <option key={known} value={known}>
                          {COLUMN_WORDS[known]}
                        </option>
                      ))}
                    </select>
                  </th>
                ))}
              </tr>
            }
          >
            {table.rows.slice(0, SHOWN).map((row, index) => (
              <tr key={index}>
                {table.columns.map((column, at) => (
                  <td key={at} className={column === 'ignore' ? 'pe-cell muted' : 'pe-cell'}>
                    {row[at]}
                  </td>
                ))}
              </tr>
            ))}
          </Table>
          {table.rows.length > SHOWN && (
            <p className="small muted">
              {t('and {more, number} more', { more: table.rows.length - SHOWN })}
            </p>
          )}
        </>
      )}
    </Dialog>
  );
}
