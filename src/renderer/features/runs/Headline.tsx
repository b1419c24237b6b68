import { useMemo } from 'react';
import { Link } from 'react-router';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import type { RunRecord } from '../../../shared/domain/run.ts';
import { formatCount, formatShare, plural } from '../../state/format.ts';
import { Notice } from '../../ui/Notice.tsx';
import { contestedInOrder, contestedWords, type RunCounts, flipWords } from './record.ts';
import { globalSentence, rangeName, tailsText } from './sentences.ts';

/** What the run says, in a sentence, then in numbers, and what it does not say. */
export function Headline({ run, totals }: { run: RunRecord; totals: RunCounts }) {
  const { global } = run.result;
  const cells = global.n_items * global.m_rules;
  const numbers = [
    {
      name: 'Mean sufficiency',
      value: formatShare(global.mean_theta, 3),
      note: 'mean of the item means',
    },
    { name: 'Median', value: formatShare(global.median_theta, 3), note: 'of the item means' },
    {
      name: rangeName(global.ci_level),
      value: `${formatShare(global.lower_theta, 3)} – ${formatShare(global.upper_theta, 3)}`,
      note: `${tailsText(global.ci_level)} quantiles`,
    },
    {
      name: 'Items × rules',
      value: `${formatCount(global.n_items)} × ${formatCount(global.m_rules)}`,
      note: plural(cells, 'cell'),
    },
    { name: 'Problems found', value: formatCount(totals[1]), note: 'cells that are TRUE' },
    { name: 'Not recorded', value: formatCount(totals[3]), note: 'counted as NA' },
  ];
  return (
    <section className="section" aria-labelledby="run-says">
      <h2 id="run-says" className="visually-hidden">
        Result
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
      <Notice tone="warning" title="Interpretation boundary">
        <p>{run.result.interpretation_boundary}</p>
      </Notice>
      <Contested run={run} />
      <p className="muted small">
        Profile{' '}
        <Link
          to={`${pageAddress('profile', { profileUid: run.profile_uid })}?version=${run.profile_version}`}
        >
          {run.frozen.profile.name} {run.profile_version}
        </Link>
        ; case <code>{run.case_uid}</code>. A run never changes: what is recorded later shows in a
        new run.
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
    <Notice tone="warning" title={`Frozen with ${plural(contested.length, 'conflict')}`}>
      <p>Reason given: {contested_reason}</p>
      {contested.every((cell) => cell.material !== undefined) && (
        <p>
          {material === 0
            ? 'None of them changes the result.'
            : `${formatCount(material)} of them ${material === 1 ? 'changes' : 'change'} the result.`}
        </p>
      )}
      <details>
        <summary>The cells</summary>
        <ul className="plain-list">
          {contestedInOrder(contested)
            .slice(0, 200)
            .map((cell) => (
              <li key={`${cell.item_uid}\n${cell.rule_uid}`}>
                {contestedWords(cell)}. {flip(cell)}
              </li>
            ))}
        </ul>
        {contested.length > 200 && <p>The first 200 are shown; the JSON download holds all.</p>}
      </details>
    </Notice>
  );
}
