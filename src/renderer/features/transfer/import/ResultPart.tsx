import { Download } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { createPace } from '../../../files/pace.ts';
import { sheetFile } from '../../../files/sheet.ts';
import { columnName } from '../../../files/table.ts';
import { formatCount } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { saveBlob } from '../../../ui/save-file.ts';
import { Table } from '../../../ui/Table.tsx';
import { stepCount } from './commit.ts';
import { NOT_MAPPED } from './plan-cells.ts';
import type { ImportChange, CountedList, ImportPlan, Meet } from './plan.ts';
import { t } from '../../../text/t.ts';

const SHOWN = 50;
/** The headings of the lists; a list that is saved has them in English, as every file. */
const HEADS = {
  Where: t('Where'),
  Heading: t('Heading'),
  Text: t('Text'),
  Why: t('Why'),
  Row: t('Row'),
  Item: t('Item'),
  What: t('What'),
  Before: t('Before'),
  After: t('After'),
  'In the matrix': t('In the matrix'),
  'In the file': t('In the file'),
};
type Head = keyof typeof HEADS;

/** What the import would do, before it does. */
export const ResultPart = memo(function ResultPart({
  plan,
  headers,
  meet,
  asks,
}: {
  plan: ImportPlan;
  headers: readonly string[];
  meet: Meet;
  /** Values wait to be mapped: they are asked about elsewhere. */
  asks: boolean;
}) {
  const steps = stepCount(plan);
  const place = (line: number, column: number | null): string =>
    column === null ? t('row {line}', { line }) : `${columnName(column)}${line}`;
  const changed = plan.flags.entries.filter(({ isChanged }) => isChanged);
  const atRisk = plan.flags.entries.filter(({ isChanged }) => !isChanged);
  return (
    <>
      <Sums plan={plan} />
      {plan.problem !== undefined && (
        <Notice tone="danger" live>
          {plan.problem}
        </Notice>
      )}
      {plan.returned > 0 && (
        <Notice tone="warning">
          {t(
            '{items, plural, one {# item was removed before and comes back with its cells} other {# items were removed before and come back with their cells}}; what the file says is written over them.',
            { items: plan.returned },
          )}
        </Notice>
      )}
      {steps > 1 && (
        <Notice tone="info">
          {t(
            'So many cells are written in {steps, number} parts. Undo takes back one part at a time.',
            { steps },
          )}
        </Notice>
      )}
      {changed.length > 0 && (
        <Rows
          title={t(
            '{changed, plural, one {# name} other {# names}} probably changed by a spreadsheet',
            { changed: changed.length },
          )}
          file="flagged"
          tone="warning"
          heads={['Where', 'Text', 'Why']}
          rows={changed.map(({ line, column, text, why }) => [place(line, column), text, why])}
          count={changed.length}
          open
        >
          <p className="small">
            {t('They are imported as they stand. Go back to the source of the file to be sure.')}
          </p>
        </Rows>
      )}
      <Rejected plan={plan} headers={headers} place={place} asks={asks} />
      <Changes
        title={t('{count, plural, one {# recorded value} other {# recorded values}} overwritten', {
          count: plan.overwrites.count,
        })}
        file="overwritten"
        changes={plan.overwrites}
        open
      />
      <Changes
        title={t(
          '{count, plural, one {# recorded value left as it is} other {# recorded values left as they are}}',
          { count: plan.left.count },
        )}
        file="left"
        changes={plan.left}
        heads={['In the matrix', 'In the file']}
        open={meet === 'differ'}
      />
      <Changes
        title={t('{count, plural, one {# item field} other {# item fields}} changed', {
          count: plan.itemChanges.count,
        })}
        file="items-changed"
        changes={plan.itemChanges}
      />
      {atRisk.length > 0 && (
        <Rows
          title={t(
            '{atRisk, plural, one {# name} other {# names}} that a spreadsheet would change',
            { atRisk: atRisk.length },
          )}
          file="at-risk"
          heads={['Where', 'Text', 'Why']}
          rows={atRisk.map(({ line, column, text, why }) => [place(line, column), text, why])}
          count={atRisk.length}
        />
      )}
    </>
  );
});

interface RejectedProps {
  plan: ImportPlan;
  headers: readonly string[];
  place: (line: number, column: number | null) => string;
  asks: boolean;
}

/** What is not imported. */
function Rejected({ plan: { rejections }, headers, place, asks }: RejectedProps) {
  const entries = asks
    ? rejections.entries.filter(({ reason }) => reason !== NOT_MAPPED)
    : rejections.entries;
  const count = rejections.count - (rejections.entries.length - entries.length);
  if (count === 0) return null;
  return (
    <Rows
      title={t('{count, plural, one {# cell or row} other {# cells or rows}} not imported', {
        count,
      })}
      file="not-imported"
      tone="danger"
      open
      heads={['Where', 'Heading', 'Text', 'Why']}
      rows={entries.map(({ line, column, text, reason }) => [
        place(line, column),
        column === null ? '' : (headers[column] ?? ''),
        text,
        reason,
      ])}
      count={count}
    />
  );
}

function Sums({ plan }: { plan: ImportPlan }) {
  const lines: [string, number][] = [
    [t('Items added'), plan.added],
    [t('Items changed'), plan.changed],
    [t('Cells newly recorded'), plan.fresh],
    [t('Cells overwritten'), plan.overwritten],
    [t('Cells cleared to unrecorded'), plan.cleared],
    [t('Cells with new details'), plan.detailed],
    [t('Cells with a conflict written; the conflict stays'), plan.contested],
    [t('Recorded otherwise, left as they are'), plan.left.count],
    [t('Unchanged'), plan.unchanged],
    [t('Empty, left as they are'), plan.empty],
    [t('Skipped'), plan.skipped],
    [t('Not imported'), plan.rejections.count],
  ];
  return (
    <dl className="tr-sums">
      {lines
        .filter(([, count], index) => count > 0 || index === 0 || index === 2)
        .map(([words, count]) => (
          <div key={words}>
            <dt>{words}</dt>
            <dd>{formatCount(count)}</dd>
          </div>
        ))}
    </dl>
  );
}

function Changes({
  title,
  file,
  changes,
  heads = ['Before', 'After'],
  open = false,
}: {
  title: string;
  file: string;
  changes: CountedList<ImportChange>;
  heads?: readonly [Head, Head];
  open?: boolean;
}) {
  if (changes.count === 0) return null;
  return (
    <Rows
      title={title}
      file={file}
      open={open}
      heads={['Row', 'Item', 'What', ...heads]}
      rows={changes.entries.map(({ line, item, place, before, after }) => [
        String(line),
        item,
        place,
        before,
        after,
      ])}
      count={changes.count}
    />
  );
}

interface RowsProps {
  title: string;
  /** Name of the file that the list is saved as. */
  file: string;
  heads: readonly Head[];
  rows: readonly (readonly string[])[];
  count: number;
  tone?: 'warning' | 'danger';
  open?: boolean;
  children?: ReactNode;
}

/** A list that opens, shows its first entries, and can be saved as a whole. */
function Rows({ title, file, heads, rows, count, tone, open = false, children }: RowsProps) {
  const save = async (): Promise<void> => {
    const sheet = {
      name: file,
      rowCount: rows.length,
      columns: heads.map((header, column) => ({
        header,
        cells: rows.map((row) => row[column] ?? ''),
      })),
    };
    saveBlob(
      `import-${file}.csv`,
      await sheetFile(sheet, { delimiter: ',', guarded: true, byteOrderMark: true }, createPace()),
    );
  };
  return (
    <details className="tr-list" data-tone={tone} open={open}>
      <summary>{title}</summary>
      <div className="tr-list-body">
        {children}
        <Table
          caption={title}
          dense
          head={
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {HEADS[head]}
                </th>
              ))}
            </tr>
          }
        >
          {rows.slice(0, SHOWN).map((row, index) => (
            <tr key={index}>
              {row.map((text, column) => (
                <td key={heads[column]} className={heads[column] === 'Why' ? 'tr-why' : 'tr-field'}>
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </Table>
        <div className="actions">
          {count > SHOWN && (
            <span className="muted small">
              {t('and {more, number} more', { more: count - SHOWN })}
            </span>
          )}
          <Button
            size="sm"
            icon={<Download size={14} aria-hidden="true" />}
            onClick={() => void save()}
          >
            {t('Save as CSV')}
          </Button>
        </div>
      </div>
    </details>
  );
}
