import { useMemo } from 'react';
import { CELL_STATES, outcomeWords } from '../../../shared/domain/outcome.ts';
import type { RunRecord } from '../../../shared/domain/run.ts';
import {
  formatCount,
  formatDateTime,
  formatPercent,
  formatShare,
  plural,
} from '../../state/format.ts';
import { contestedInOrder, contestedWords, itemLines, runFileName, sumRules } from './record.ts';
import { RECORDER_HEAD, RecorderRows, restOfRecorders } from './RecordedBy.tsx';
import { type AuthorsQuery, NOT_HASHED } from './recorders.ts';
import { leftOut, type ReportPlan } from './report-plan.ts';
import { ReportDetails, ReportMatrix } from './ReportMatrix.tsx';
import { sentByWords } from './sent-by.ts';
import {
  globalSentence,
  rangeName,
  rulesSentence,
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
      <Rules run={run} />
      <Items run={run} plan={plan} />
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

function Rules({ run }: { run: RunRecord }) {
  const ruleByUid = new Map(run.frozen.profile.rules.map((rule) => [rule.ruleUid, rule]));
  return (
    <section>
      <h2>Rules</h2>
      <p>
        {rulesSentence(
          run.result.rules,
          (uid) => ruleByUid.get(uid)?.name ?? uid,
          sumRules(run.result.rules),
        )}{' '}
        A rule is a failure check: FALSE means that evidence is present, TRUE that a problem was
        found.
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col" className="n">
              #
            </th>
            <th scope="col">Rule, and what its outcomes mean</th>
            {CELL_STATES.map((state) => (
              <th key={state} scope="col" className="n">
                {state === null ? 'Not recorded' : outcomeWords(state)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {run.result.rules.map((counts, index) => {
            const rule = ruleByUid.get(counts.rule_uid);
            return (
              <tr key={counts.rule_uid}>
                <td className="n">{index + 1}</td>
                <th scope="row">
                  {rule?.name ?? counts.rule_uid}
                  {rule !== undefined && (
                    <span className="report-meaning">
                      <b>FALSE</b> {rule.evidenceMeaning} <b>TRUE</b> {rule.problemMeaning}{' '}
                      <b>NA</b> {rule.notAvailableMeaning}
                    </span>
                  )}
                </th>
                <td className="n">{formatCount(counts.evidence_present)}</td>
                <td className="n">{formatCount(counts.problem_found)}</td>
                <td className="n">{formatCount(counts.not_available)}</td>
                <td className="n">{formatCount(counts.unrecorded)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function Items({ run, plan }: { run: RunRecord; plan: ReportPlan }) {
  const lines = useMemo(() => itemLines(run), [run]);
  const { ci_level } = run.result.global;
  const rest = leftOut(plan.items, lines.length, 'items');
  return (
    <section>
      <h2>Items</h2>
      <p>
        Mean and equal-tailed {formatPercent(ci_level)} credible interval of each item. “Met” counts
        the rules with evidence present; a larger percentile is more evidence among these items.{' '}
        {rest}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col" className="n">
              #
            </th>
            <th scope="col">Item</th>
            <th scope="col" className="n">
              Mean
            </th>
            <th scope="col" className="n">
              {formatPercent(ci_level)} interval
            </th>
            <th scope="col" className="n">
              Percentile
            </th>
            <th scope="col" className="n">
              Met of rules
            </th>
            <th scope="col" className="n">
              {outcomeWords('TRUE')}
            </th>
            <th scope="col" className="n">
              {outcomeWords('NA')}
            </th>
            <th scope="col" className="n">
              Not recorded
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.slice(0, plan.items).map((line, index) => (
            <tr key={line.item_uid}>
              <td className="n">{index + 1}</td>
              <th scope="row">
                {line.item_uid}
                {line.label !== '' && line.label !== line.item_uid && (
                  <span className="report-label">{line.label}</span>
                )}
              </th>
              <td className="n">{formatShare(line.theta_mean, 3)}</td>
              <td className="n">
                {formatShare(line.theta_lower, 3)}–{formatShare(line.theta_upper, 3)}
              </td>
              <td className="n">{line.percentile.toFixed(1)}</td>
              <td className="n">
                {line.k} of {line.m}
              </td>
              <td className="n">{line.counts[1]}</td>
              <td className="n">{line.counts[2]}</td>
              <td className="n">{line.counts[3]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Who recorded the outcomes; nothing where that is not known. */
function ReportRecorders({ query: { failed, authors } }: { query: AuthorsQuery }) {
  if (failed)
    return (
      <section>
        <h2>Recorded by</h2>
        <p>Who recorded the outcomes could not be loaded.</p>
      </section>
    );
  if (authors === undefined || authors.counts.length === 0) return null;
  return (
    <section>
      <h2>Recorded by</h2>
      <p>
        {NOT_HASHED}
        {restOfRecorders(authors)}
      </p>
      <table aria-label="Who recorded the outcomes">
        <thead>{RECORDER_HEAD}</thead>
        <tbody>
          <RecorderRows authors={authors} />
        </tbody>
      </table>
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
