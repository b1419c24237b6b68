import { Link } from 'react-router';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { formatCount, formatShare } from '../../../state/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { Section } from '../../../ui/Page.tsx';
import { Table } from '../../../ui/Table.tsx';
import { sumRules } from '../record.ts';
import { Cells } from './ChangedCells.tsx';
import { ChangedRules } from './ChangedRules.tsx';
import { ChangedScores } from './ChangedScores.tsx';
import type { RunDiff } from '../../../../shared/domain/run-diff.ts';
import { Slopes } from './Slopes.tsx';
import { unlikeWords } from './unlike-words.ts';
import { runPath } from '../RunsTable.tsx';
import { rangeName, signed } from '../sentences.ts';
import { t, tAs, tOf } from '../../../text/t.ts';

const LISTED = 100;

export function Comparison({ from, to, diff }: { from: RunRecord; to: RunRecord; diff: RunDiff }) {
  const outcomes = diff.cells.filter((cell) => cell.from !== cell.to).length;
  const change = to.result.global.mean_theta - from.result.global.mean_theta;
  return (
    <>
      <p className="headline">
        {t('Mean evidence sufficiency {before} became {after} ({change}).', {
          before: formatShare(from.result.global.mean_theta, 3),
          after: formatShare(to.result.global.mean_theta, 3),
          change: signed(change, 3),
        })}{' '}
        {t(
          '{outcomes, plural, one {# outcome} other {# outcomes}} and the scores of {items, plural, one {# item} other {# items}} changed.',
          { outcomes, items: diff.scores.length },
        )}{' '}
        {t('{items, plural, one {# item is} other {# items are}} in both runs.', {
          items: diff.matched,
        })}
      </p>
      {diff.unlike.length > 0 && (
        <Notice tone="warning" title={t('The two are not of one kind')}>
          <ul className="plain-list">
            {diff.unlike.map((unlike) => (
              <li key={unlike}>{unlikeWords(unlike, from, to)}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Result from={from} to={to} />
      <Slopes from={from} to={to} />
      <ChangedScores diff={diff} run={to} />
      <ChangedRules rules={diff.rules} />
      <Cells
        cells={diff.cells}
        run={to}
        heads={[t('Earlier'), t('Later')]}
        note={t(
          'Cells of items and rules that both runs have. Details are source value, provenance and notes.',
        )}
      />
      <Uids title={t('Items only in the later run')} uids={diff.itemsAdded} />
      <Uids title={t('Items only in the earlier run')} uids={diff.itemsGone} />
      <p className="muted small">{tOf(to.result.interpretation_boundary)}</p>
    </>
  );
}

function Result({ from, to }: { from: RunRecord; to: RunRecord }) {
  const [a, b] = [from.result.global, to.result.global];
  const [before, after] = [sumRules(from.result.rules), sumRules(to.result.rules)];
  const range = a.ci_level === b.ci_level ? rangeName(a.ci_level) : t('Range of items');
  const shares: [string, number, number][] = [
    [t('Mean sufficiency'), a.mean_theta, b.mean_theta],
    [t('Median'), a.median_theta, b.median_theta],
    [t('{range}, lower', { range }), a.lower_theta, b.lower_theta],
    [t('{range}, upper', { range }), a.upper_theta, b.upper_theta],
  ];
  const counts: [string, number, number][] = [
    [t('Items'), a.n_items, b.n_items],
    [t('Rules'), a.m_rules, b.m_rules],
    [t('FALSE, evidence present'), before[0], after[0]],
    [t('TRUE, problem found'), before[1], after[1]],
    [t('NA, not available'), before[2], after[2]],
    [t('Not recorded'), before[3], after[3]],
  ];
  return (
    <Section title={t('Result')}>
      <Table
        caption={t('Result of both runs')}
        dense
        head={
          <tr>
            <th scope="col">{t('Measure')}</th>
            <th scope="col" className="n">
              <Link to={runPath(from.run_uid)}>{from.run_uid}</Link>
            </th>
            <th scope="col" className="n">
              <Link to={runPath(to.run_uid)}>{to.run_uid}</Link>
            </th>
            <th scope="col" className="n">
              {tAs('difference', 'Change')}
            </th>
          </tr>
        }
      >
        {shares.map(([name, was, is]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="n">{formatShare(was, 3)}</td>
            <td className="n">{formatShare(is, 3)}</td>
            <td className="n">{signed(is - was, 3)}</td>
          </tr>
        ))}
        {counts.map(([name, was, is]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="n">{formatCount(was)}</td>
            <td className="n">{formatCount(is)}</td>
            <td className="n">{signed(is - was, 0)}</td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

export function Uids({ title, uids }: { title: string; uids: readonly string[] }) {
  if (uids.length === 0) return null;
  return (
    <Section title={`${title} (${formatCount(uids.length)})`}>
      <p className="small">
        {uids.slice(0, LISTED).map((uid, index) => (
          <span key={uid}>
            {index > 0 && ', '}
            <code>{uid}</code>
          </span>
        ))}
        {uids.length > LISTED && (
          <> {t('and {more, number} more', { more: uids.length - LISTED })}</>
        )}
      </p>
    </Section>
  );
}
