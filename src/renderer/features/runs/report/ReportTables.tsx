import { useMemo } from 'react';
import { CELL_STATES, outcomeWords } from '../../../../shared/domain/outcome.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { formatCount, formatPercent, formatShare } from '../../../state/format.ts';
import { itemLines, sumRules } from '../record.ts';
import { RECORDER_HEAD, RecorderRows, restOfRecorders } from '../RecordedBy.tsx';
import { type AuthorsQuery, NOT_HASHED } from '../recorders.ts';
import { leftOut, type ReportPlan } from './report-plan.ts';
import { rulesSentence } from '../sentences.ts';

/** Each rule, what its outcomes mean, and how often each was recorded. */
export function ReportRules({ run }: { run: RunRecord }) {
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
      <table className="report-rules">
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

/** Each item with its score; the first of them where there are too many for paper. */
export function ReportItems({ run, plan }: { run: RunRecord; plan: ReportPlan }) {
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
export function ReportRecorders({ query: { failed, authors } }: { query: AuthorsQuery }) {
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
