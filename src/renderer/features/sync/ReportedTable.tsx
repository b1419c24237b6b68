import type { ReactNode } from 'react';
import { MAX_LISTED } from '../../../shared/contract/v1/uplink.ts';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { t } from '../../text/t.ts';

/** What the server's status reports, up to its limit. Nothing is shown of an empty report. */
export function ReportedTable<T>({
  title,
  note,
  actions,
  columns,
  rows,
  children,
}: {
  title: string;
  note: string;
  actions?: ReactNode;
  columns: readonly string[];
  rows: readonly T[];
  children: (row: T) => ReactNode;
}) {
  if (rows.length === 0) return null;
  return (
    <Section title={title} note={note} actions={actions}>
      <Table
        caption={title}
        dense
        head={
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        }
      >
        {rows.map(children)}
      </Table>
      {rows.length === MAX_LISTED && (
        <p className="muted">{t('These are the first {count}.', { count: MAX_LISTED })}</p>
      )}
    </Section>
  );
}
