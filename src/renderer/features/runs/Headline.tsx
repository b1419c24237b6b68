import { useMemo } from 'react';
import { Link } from 'react-router';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import type { RunRecord } from '../../../shared/domain/run.ts';
import { formatCount, formatShare } from '../../state/format.ts';
import { Notice } from '../../ui/Notice.tsx';
import type { RunCounts } from '../../../shared/domain/item-lines.ts';
import { contestedInOrder, contestedWords, flipWords } from './record.ts';
import { globalSentence, rangeName, tailsText } from './sentences.ts';
import { rich } from '../../text/rich.ts';
import { t, tOf } from '../../text/t.ts';

/** What the run says, in a sentence, then in numbers, and what it does not say. */
export function Headline({ run, totals }: { run: RunRecord; totals: RunCounts }) {
  const { global } = run.result;
  const cells = global.n_items * global.m_rules;
  const numbers = [
    {
      name: t('Mean sufficiency'),
      value: formatShare(global.mean_theta, 3),
      note: t('mean of the item means'),
    },
    {
      name: t('Median'),
      value: formatShare(global.median_theta, 3),
      note: t('of the item means'),
    },
    {
      name: rangeName(global.ci_level),
      value: `${formatShare(global.lower_theta, 3)} – ${formatShare(global.upper_theta, 3)}`,
      note: t('{tails} quantiles', { tails: tailsText(global.ci_level) }),
    },
    {
      name: t('Items × rules'),
      value: `${formatCount(global.n_items)} × ${formatCount(global.m_rules)}`,
      note: t('{cells, plural, one {# cell} other {# cells}}', { cells }),
    },
    { name: t('Problems found'), value: formatCount(totals[1]), note: t('cells that are TRUE') },
    { name: t('Not recorded'), value: formatCount(totals[3]), note: t('counted as NA') },
  ];
  return (
    <section className="section" aria-labelledby="run-says">
      <h2 id="run-says" className="visually-hidden">
        {t('Result')}
      </h2>
      <p className="headline">{globalSentence(global, run.frozen.profile)}</p>
      <dl className="numbers">
        {numbers.map((number) => (
          <div key={number.name} className="number">
            <dt>{number.name}</dt>
            <dd>
              <span className="number-value">{number.value}</span>
              <span className="number-note">{number.note}</span>
            </dd>
          </div>
        ))}
      </dl>
      <Notice tone="warning" title={t('Interpretation boundary')}>
        <p>{tOf(run.result.interpretation_boundary)}</p>
      </Notice>
      <Contested run={run} />
      <p className="muted small">
        {rich(
          'Profile {profile}; case {case}. A run never changes: what is recorded later shows in a new run.',
          {
            profile: (
              <Link
                to={`${pageAddress('profile', { profileUid: run.profile_uid })}?version=${run.profile_version}`}
              >
                {run.frozen.profile.name} {run.profile_version}
              </Link>
            ),
            case: <code>{run.case_uid}</code>,
          },
        )}
      </p>
    </section>
  );
}

function Contested({ run }: { run: RunRecord }) {
  const { contested, contested_reason } = run.frozen;
  const flip = useMemo(() => flipWords(run), [run]);
  if (contested === undefined) return null;
  const material = contested.filter((cell) => cell.material === true).length;
  return (
    <Notice
      tone="warning"
      title={t('Frozen with {conflicts, plural, one {# conflict} other {# conflicts}}', {
        conflicts: contested.length,
      })}
    >
      <p>{t('Reason given: {reason}', { reason: contested_reason ?? '' })}</p>
      {contested.every((cell) => cell.material !== undefined) && (
        <p>
          {material === 0
            ? t('None of them changes the result.')
            : t(
                '{cells, plural, one {# of them changes the result.} other {# of them change the result.}}',
                { cells: material },
              )}
        </p>
      )}
      <details>
        <summary>{t('The cells')}</summary>
        <ul className="plain-list">
          {contestedInOrder(contested)
            .slice(0, 200)
            .map((cell) => (
              <li key={`${cell.item_uid}\n${cell.rule_uid}`}>
                {contestedWords(cell)}. {flip(cell)}
              </li>
            ))}
        </ul>
        {contested.length > 200 && (
          <p>{t('The first 200 are shown; the JSON download holds all.')}</p>
        )}
      </details>
    </Notice>
  );
}
