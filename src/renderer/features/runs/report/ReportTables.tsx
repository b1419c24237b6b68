import { useMemo } from 'react';
import { CELL_STATES, outcomeWords } from '../../../../shared/domain/outcome.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { formatCount, formatPercent, formatShare } from '../../../state/format.ts';
import { itemLines } from '../../../../shared/domain/item-lines.ts';
import { sumRules } from '../record.ts';
import { RECORDER_HEAD, RecorderRows, recordersNote } from '../RecordedBy.tsx';
import type { AuthorsQuery } from '../recorders.ts';
import { leftOut, type ReportPlan } from './report-plan.ts';
import { rulesSentence } from '../sentences.ts';
import { t, tOf } from '../../../text/t.ts';

/** Each rule, what its outcomes mean, and how often each was recorded. */
export function ReportRules({ run }: { run: RunRecord }) {
  const ruleByUid = new Map(run.frozen.profile.rules.map((rule) => [rule.ruleUid, rule]));
  return (
    <section>
      <h2>{t('Rules')}</h2>
      <p>
        {rulesSentence(
          run.result.rules,
          (uid) => ruleByUid.get(uid)?.name ?? uid,
          sumRules(run.result.rules),
        )}{' '}
        {t(
          'A rule is a failure check: FALSE means that evidence is present, TRUE that a problem was found.',
        )}
      </p>
      <table className="report-rules">
        <thead>
          <tr>
            <th scope="col" className="n">
              #
            </th>
            <th scope="col">{t('Rule, and what its outcomes mean')}</th>
            {CELL_STATES.map((state) => (
              <th key={state} scope="col" className="n">
                {state === null ? t('Not recorded') : tOf(outcomeWords(state))}
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
                      <b>{t('FALSE')}</b> {rule.evidenceMeaning} <b>{t('TRUE')}</b>{' '}
                      {rule.problemMeaning} <b>{t('NA')}</b> {rule.notAvailableMeaning}
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
  return (
    <section>
      <h2>{t('Items')}</h2>
      <p>
        {t(
          'Mean and equal-tailed {level} credible interval of each item. “Met” counts the rules with evidence present; a larger percentile is more evidence among these items.',
          { level: formatPercent(ci_level) },
        )}{' '}
        {leftOut(plan.items, lines.length, 'items')}
      </p>
      <table className="report-items">
        <thead>
          <tr>
            <th scope="col" className="n">
              #
            </th>
            <th scope="col">{t('Item')}</th>
            <th scope="col" className="n">
              {t('Mean')}
            </th>
            <th scope="col" className="n">
              {t('{level} interval', { level: formatPercent(ci_level) })}
            </th>
            <th scope="col" className="n">
              {t('Percentile')}
            </th>
            <th scope="col" className="n">
              {t('Met of rules')}
            </th>
            <th scope="col" className="n">
              {tOf(outcomeWords('TRUE'))}
            </th>
            <th scope="col" className="n">
              {tOf(outcomeWords('NA'))}
            </th>
            <th scope="col" className="n">
              {t('Not recorded')}
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
              <td className="n">{formatShare(line.percentile, 1)}</td>
              <td className="n">{t('{k} of {m}', { k: line.k, m: line.m })}</td>
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
        <h2>{t('Recorded by')}</h2>
        <p>{t('Who recorded the outcomes could not be loaded.')}</p>
      </section>
    );
  if (authors === undefined || authors.counts.length === 0) return null;
  return (
    <section>
      <h2>{t('Recorded by')}</h2>
      <p>{recordersNote(authors)}</p>
      <table aria-label={t('Who recorded the outcomes')}>
        <thead>{RECORDER_HEAD}</thead>
        <tbody>
          <RecorderRows authors={authors} />
        </tbody>
      </table>
    </section>
  );
}
