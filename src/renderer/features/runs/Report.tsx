import type { RunRecord } from '../../../shared/domain/run.ts';
import { formatCount, formatDateTime, formatShare, plural } from '../../state/format.ts';
import { contestedInOrder, contestedWords, runFileName, sumRules } from './record.ts';
import type { AuthorsQuery } from './recorders.ts';
import type { ReportPlan } from './report-plan.ts';
import { ReportDetails, ReportMatrix } from './ReportMatrix.tsx';
import { ReportItems, ReportRecorders, ReportRules } from './ReportTables.tsx';
import { sentByWords } from './sent-by.ts';
import {
  globalSentence,
  rangeName,
  settingsSentence,
  tailsText,
  unrecordedSentence,
} from './sentences.ts';

const CONTESTED_SHOWN = 50;

/**
 * The whole report: what the run says, what it does not, the numbers, the matrix, and how to check
 * them.
 */
export function Report({
  run,
  plan,
  recorders,
}: {
  run: RunRecord;
  plan: ReportPlan;
  recorders: AuthorsQuery;
}) {
  const { frozen, result } = run;
  const sent = sentByWords(run);
  return (
    <article className="report" aria-label="Report">
      <header>
        <p className="report-kind">Evidence report</p>
        <h1>{frozen.case.title}</h1>
        <p className="report-meta">
          Case {run.case_uid} · run {run.run_uid} · frozen {formatDateTime(run.created_at)} by{' '}
          {run.created_by}
          {sent !== undefined && ` · ${sent}`}
        </p>
      </header>
      <p className="report-headline">{globalSentence(result.global, frozen.profile)}</p>
      <p className="report-boundary">
        <strong>Interpretation boundary.</strong> {result.interpretation_boundary}
      </p>
      <Numbers run={run} />
      <Contested run={run} />
      <ReportRules run={run} />
      <ReportItems run={run} plan={plan} />
      <ReportRecorders query={recorders} />
      <ReportMatrix run={run} plan={plan} />
      <ReportDetails run={run} plan={plan} authors={recorders.authors} />
      <Method run={run} />
      <Integrity run={run} />
    </article>
  );
}

function Numbers({ run }: { run: RunRecord }) {
  const { global } = run.result;
  const totals = sumRules(run.result.rules);
  const facts: [string, string][] = [
    ['Mean sufficiency', formatShare(global.mean_theta, 3)],
    ['Median', formatShare(global.median_theta, 3)],
    [
      `${rangeName(global.ci_level)} (${tailsText(global.ci_level)} quantiles)`,
      `${formatShare(global.lower_theta, 3)} to ${formatShare(global.upper_theta, 3)}`,
    ],
    ['Items × rules', `${formatCount(global.n_items)} × ${formatCount(global.m_rules)}`],
    ['FALSE, evidence present', formatCount(totals[0])],
    ['TRUE, problem found', formatCount(totals[1])],
    ['NA, not available', formatCount(totals[2])],
    ['Not recorded, counted as NA', formatCount(totals[3])],
  ];
  return (
    <dl className="report-numbers">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Contested({ run: { frozen } }: { run: RunRecord }) {
  const { contested, contested_reason } = frozen;
  if (contested === undefined) return null;
  return (
    <section>
      <h2>Frozen with {plural(contested.length, 'conflict')}</h2>
      <p>Reason given: {contested_reason}</p>
      <p className="report-small">
        {contestedInOrder(contested)
          .slice(0, CONTESTED_SHOWN)
          .map(
            (cell) =>
              `${contestedWords(cell)}${cell.material === true ? ' (changes the result)' : ''}`,
          )
          .join('; ')}
        {contested.length > CONTESTED_SHOWN && ' …'}
      </p>
    </section>
  );
}

function Method({ run }: { run: RunRecord }) {
  const { profile } = run.frozen;
  const totals = sumRules(run.result.rules);
  return (
    <section>
      <h2>Method</h2>
      <p>
        {run.method}, engine {run.engine.name} {run.engine.version}.{' '}
        {settingsSentence(run.settings)} For item i, k of its m rules are met: FALSE, evidence
        present. TRUE, NA and cells that are not recorded count 0. The posterior is Beta(a + k, b +
        m − k): its mean is the item&apos;s sufficiency, and the interval runs between its exact
        quantiles. The percentile is the item&apos;s mean rank, ties averaged. The range of items is
        made of type-7 quantiles of the item means.
      </p>
      <p>
        Profile: {profile.name} {profile.version} ({profile.profileUid}), {profile.standard},
        maintained by {profile.maintainer}. Scope: {profile.scope}
      </p>
      <p>{unrecordedSentence(totals[3], run.result.global.n_items * run.result.global.m_rules)}</p>
    </section>
  );
}

function Integrity({ run }: { run: RunRecord }) {
  return (
    <section className="report-together">
      <h2>Integrity</h2>
      <p>
        The content hash covers the case, the profile, every item and outcome with its notes and
        provenance, the settings, the method and the result.
      </p>
      <p className="report-hash">{run.content_hash}</p>
      <p>
        Whoever holds the JSON file of the run can check it without this studio:{' '}
        <code>{`evidence-studio verify ${runFileName(run.run_uid, 'json')}`}</code>
      </p>
    </section>
  );
}
