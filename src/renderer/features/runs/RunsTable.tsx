import type { RunUid } from '../../../shared/contract/ids.ts';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import type { RunEntry } from '../../../shared/contract/v1/runs.ts';
import { formatCount, formatDateTime, formatShare } from '../../state/format.ts';
import { SortHeading, type Sorting } from '../../ui/SortHeading.tsx';
import { Table } from '../../ui/Table.tsx';
import { sumRules } from './record.ts';
import { sentByWords } from '../../state/sent-by.ts';
import { rangeName } from './sentences.ts';
import { t } from '../../text/t.ts';

export const runPath = (runUid: RunUid): string => pageAddress('run', { runUid });

/** `compact`, for one case in a dialog: without the case and the range. */
export function RunsTable({
  runs,
  compact = false,
  sorting,
  onSort,
  more,
}: {
  runs: readonly RunEntry[];
  compact?: boolean;
  /** Where the list can be turned round. */
  sorting?: Sorting<'frozen'>;
  onSort?: (sorting: Sorting<'frozen'>) => void;
  /** What else can be done with one. */
  more?: (run: RunEntry) => ReactNode;
}) {
  const levels = new Set(runs.map(({ result }) => result.global.ci_level));
  const [level] = levels;
  const range = levels.size === 1 && level !== undefined ? rangeName(level) : t('Range of items');
  const head = (
    <tr>
      {sorting === undefined || onSort === undefined ? (
        <th scope="col">{t('Run')}</th>
      ) : (
        <SortHeading by="frozen" label={t('Run')} first="desc" sorting={sorting} onSort={onSort} />
      )}
      {!compact && <th scope="col">{t('Case')}</th>}
      <th scope="col">{t('Profile')}</th>
      <th scope="col" className="n">
        {t('Items × rules')}
      </th>
      <th scope="col" className="n">
        {t('Mean')}
      </th>
      {!compact && (
        <th scope="col" className="n">
          {range}
        </th>
      )}
      <th scope="col" className="n">
        {t('Not recorded')}
      </th>
      {more !== undefined && (
        <th scope="col">
          <span className="visually-hidden">{t('Actions')}</span>
        </th>
      )}
    </tr>
  );
  return (
    <Table caption={t('Runs')} head={head}>
      {runs.map((run) => {
        const { global } = run.result;
        return (
          <tr key={`${run.run_uid} ${run.content_hash}`}>
            <th scope="row">
              <Link to={runPath(run.run_uid)} className="num">
                {formatDateTime(run.created_at)}
              </Link>
              <code className="row-note">{run.run_uid}</code>
              {run.sent_by !== undefined && (
                <span className="row-note">
                  {t('frozen by {name}', { name: run.created_by })}, {sentByWords(run)}
                </span>
              )}
              {!run.reproduced && (
                <span className="row-note">{t('result not reproduced here')}</span>
              )}
            </th>
            {!compact && (
              <td>
                <Link to={pageAddress('case', { caseUid: run.case_uid })}>{run.case_uid}</Link>
              </td>
            )}
            <td>
              <code>{run.profile_uid}</code> {run.profile_version}
            </td>
            <td className="n">
              {formatCount(global.n_items)} × {formatCount(global.m_rules)}
            </td>
            <td className="n">{formatShare(global.mean_theta)}</td>
            {!compact && (
              <td className="n">
                {t('{lower} to {upper}', {
                  lower: formatShare(global.lower_theta),
                  upper: formatShare(global.upper_theta),
                })}
                {levels.size > 1 && <span className="row-note">{rangeName(global.ci_level)}</span>}
              </td>
            )}
            <td className="n">{formatCount(sumRules(run.result.rules)[3])}</td>
            {more !== undefined && <td className="n">{more(run)}</td>}
          </tr>
        );
      })}
    </Table>
  );
}
