import { Download } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { createPace } from '../../../files/pace.ts';
import { sheetFile } from '../../../files/sheet.ts';
import { columnName } from '../../../files/table.ts';
import { formatCount, plural } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { saveBlob } from '../../../ui/save-file.ts';
import { Table } from '../../../ui/Table.tsx';
import { stepCount } from './commit.ts';
import { NOT_MAPPED } from './plan-cells.ts';
import type { ImportChange, CountedList, ImportPlan, Meet } from './plan.ts';

const SHOWN = 50;

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
    column === null ? `row ${line}` : `${columnName(column)}${line}`;
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
          {plural(plan.returned, 'item was', 'items were')} removed before and{' '}
          {plan.returned === 1 ? 'comes' : 'come'} back with {plan.returned === 1 ? 'its' : 'their'}{' '}
          cells; what the file says is written over them.
        </Notice>
      )}
      {steps > 1 && (
        <Notice tone="info">
          So many cells are written in {formatCount(steps)} parts. Undo takes back one part at a
          time.
        </Notice>
      )}
      {changed.length > 0 && (
        <Rows
          title={`${plural(changed.length, 'name')} probably changed by a spreadsheet`}
          file="flagged"
          tone="warning"
          heads={['Where', 'Text', 'Why']}
          rows={changed.map(({ line, column, text, why }) => [place(line, column), text, why])}
          count={changed.length}
          open
        >
          <p className="small">
            They are imported as they stand. Go back to the source of the file to be sure.
          </p>
        </Rows>
      )}
      <Rejected plan={plan} headers={headers} place={place} asks={asks} />
      <Changes
        title={`${plural(plan.overwrites.count, 'recorded value')} overwritten`}
        file="overwritten"
        changes={plan.overwrites}
        open
      />
      <Changes
        title={`${plural(plan.left.count, 'recorded value')} left as ${plan.left.count === 1 ? 'it is' : 'they are'}`}
        file="left"
        changes={plan.left}
        heads={['In the matrix', 'In the file']}
        open={meet === 'differ'}
      />
      <Changes
        title={`${plural(plan.itemChanges.count, 'item field')} changed`}
        file="items-changed"
        changes={plan.itemChanges}
      />
      {atRisk.length > 0 && (
        <Rows
          title={`${plural(atRisk.length, 'name')} that a spreadsheet would change`}
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
      title={`${plural(count, 'cell or row', 'cells or rows')} not imported`}
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
    ['Items added', plan.added],
    ['Items changed', plan.changed],
    ['Cells newly recorded', plan.fresh],
    ['Cells overwritten', plan.overwritten],
    ['Cells cleared to unrecorded', plan.cleared],
    ['Cells with new details', plan.detailed],
    ['Cells with a conflict written; the conflict stays', plan.contested],
    ['Recorded otherwise, left as they are', plan.left.count],
    ['Unchanged', plan.unchanged],
    ['Empty, left as they are', plan.empty],
    ['Skipped', plan.skipped],
    ['Not imported', plan.rejections.count],
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
  heads?: readonly [string, string];
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
  heads: readonly string[];
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
                  {head}
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
            <span className="muted small">and {formatCount(count - SHOWN)} more</span>
          )}
          <Button
            size="sm"
            icon={<Download size={14} aria-hidden="true" />}
            onClick={() => void save()}
          >
            Save as CSV
          </Button>
        </div>
      </div>
    </details>
  );
}
