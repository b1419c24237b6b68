import type { RunRecord } from '../../../../shared/domain/run.ts';

import { Mark } from '../../../ui/OutcomeMark.tsx';
import { PaperMatrix } from '../../../ui/PaperMatrix.tsx';
import { provenanceWords } from '../record.ts';
import type { RunAuthors } from '../../../../shared/domain/run-authors.ts';
import { recorderWords } from '../recorders.ts';
import { leftOut, type ReportPlan } from './report-plan.ts';
import { t } from '../../../text/t.ts';

/** The matrix as frozen, in letters. */
export function ReportMatrix({ run, plan }: { run: RunRecord; plan: ReportPlan }) {
  const { items, raw } = run.frozen;
  return (
    <section>
      <h2>{t('Matrix as frozen')}</h2>
      <p>
        {t('Rows are items; columns are rules by their number in the table of rules.')}{' '}
        {leftOut(plan.matrix.rows, items.length, 'items')}
      </p>
      <PaperMatrix
        plan={plan.matrix}
        item={(row) => items[row]?.item_uid ?? ''}
        rule={(column) => column + 1}
        kind={(row, column) => raw[row]?.[column] ?? 'unrecorded'}
      />
    </section>
  );
}

/** What is on record of single cells beside their outcome. */
export function ReportDetailsTable({
  run,
  plan,
  authors,
}: {
  run: RunRecord;
  plan: ReportPlan;
  authors: RunAuthors | undefined;
}) {
  const { items, rules, raw, cells } = run.frozen;
  if (cells.length === 0) return null;
  const rowOf = new Map(items.map((item, index) => [item.item_uid, index]));
  const columnOf = new Map(rules.map((uid, index) => [uid, index]));
  return (
    <section>
      <h2>{t('Sources and notes')}</h2>
      <p>
        {t(
          '{cells, plural, one {# cell has} other {# cells have}} a reported value, a provenance or notes.',
          { cells: cells.length },
        )}{' '}
        {leftOut(plan.details.length, cells.length, 'cells')}
      </p>
      <table className="report-details">
        <thead>
          <tr>
            <th scope="col">{t('Item')}</th>
            <th scope="col" className="n">
              {t('Rule')}
            </th>
            <th scope="col">{t('Outcome')}</th>
            <th scope="col">{t('Reported value')}</th>
            <th scope="col">{t('Provenance')}</th>
            <th scope="col">{t('Notes')}</th>
            {authors !== undefined && <th scope="col">{t('Recorded by')}</th>}
          </tr>
        </thead>
        <tbody>
          {plan.details.map((cell) => {
            const column = columnOf.get(cell.rule_uid) ?? -1;
            const row = rowOf.get(cell.item_uid) ?? -1;
            const kind = raw[row]?.[column] ?? 'unrecorded';
            const author = authors?.of(row, column);
            return (
              <tr key={`${cell.item_uid}\n${cell.rule_uid}`}>
                <th scope="row">{cell.item_uid}</th>
                <td className="n">{column + 1}</td>
                <td>
                  <Mark state={kind} paper />
                </td>
                <td>{cell.source_value}</td>
                <td>{provenanceWords(cell.provenance)}</td>
                <td>{cell.notes}</td>
                {authors !== undefined && <td>{author !== undefined && recorderWords(author)}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
