import { useMemo } from 'react';
import type { CheckedSignature } from '../../../../shared/contract/v1/sign-off.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { countRows, evidenceBounds } from '../../../../shared/domain/sensitivity.ts';
import { formatCount, formatPercent, formatShare } from '../../../state/format.ts';
import type { Query } from '../../../state/query.ts';
import { drawForest } from '../figures/draw-items.tsx';
import { figureItems, rankRows } from '../figures/figure-items.ts';
import { itemLines } from '../../../../shared/domain/item-lines.ts';
import { contestedInOrder, contestedWords, sumRules } from '../record.ts';
import type { AuthorsQuery } from '../recorders.ts';
import { PaperFigure } from './PaperFigure.tsx';
import { AgreementSummary, ReportAgreement } from './ReportAgreement.tsx';
import type { Lab, ReportDetails } from './report-details.ts';
import { ReportHead, Signatures } from './ReportHead.tsx';
import { Integrity, Method } from './ReportMethod.tsx';
import { ReportSignatures } from './ReportSignatures.tsx';
import type { ReportPlan } from './report-plan.ts';
import { ReportDetailsTable, ReportMatrix } from './ReportMatrix.tsx';
import { ReportItems, ReportRecorders, ReportRules } from './ReportTables.tsx';
import { globalSentence, rangeName, tailsText } from '../sentences.ts';
import { t, tOf } from '../../../text/t.ts';

const CONTESTED_SHOWN = 50;
/** Items of the first pages: with them two pages are never exceeded. */
const SUMMARY_ITEMS = 15;

/**
 * The whole report: what the run says and what it does not, on at most two pages; behind them, as
 * annexes, all that it follows from.
 */
export function Report({
  run,
  plan,
  recorders,
  signatures,
  lab,
  details,
}: {
  run: RunRecord;
  plan: ReportPlan;
  recorders: AuthorsQuery;
  signatures: Query<CheckedSignature[]>;
  lab: Lab;
  details: ReportDetails;
}) {
  return (
    <article className="report" aria-label={t('Report')}>
      <ReportHead run={run} lab={lab} kind={t('Evidence report')} title={run.frozen.case.title} />
      <Summary run={run} details={details} signatures={signatures} />
      <div className="report-annexes">
        <p className="report-kind">{t('Annexes')}</p>
        <Numbers run={run} />
        <Contested run={run} />
        <ReportRules run={run} />
        <ReportItems run={run} plan={plan} />
        <ReportAgreement run={run} />
        <ReportRecorders query={recorders} />
        <ReportMatrix run={run} plan={plan} />
        <ReportDetailsTable run={run} plan={plan} authors={recorders.authors} />
        <Method run={run} />
      </div>
    </article>
  );
}

/** The items with most evidence: drawn, and with their names as a table. */
function FirstItems({ run }: { run: RunRecord }) {
  const lines = useMemo(() => itemLines(run), [run]);
  const items = figureItems(lines, rankRows(lines), new Set(), SUMMARY_ITEMS);
  const { global } = run.result;
  const all = global.n_items;
  return (
    <section>
      <h2>
        {all > items.length
          ? t('Items, the first {shown} of {all, number}', { shown: items.length, all })
          : t('Items')}
      </h2>
      <p>
        {t(
          'Mean and {level} credible interval, those with most evidence first; the dashed line is the mean of all items.',
          { level: formatPercent(global.ci_level) },
        )}
      </p>
      <PaperFigure
        drawing={drawForest(items, global.mean_theta)}
        label={t('Mean and credible interval of the items of the table')}
      />
      <table className="report-first" aria-label={t('Items with most evidence')}>
        <thead>
          <tr>
            <th scope="col">{t('Item')}</th>
            <th scope="col" className="n">
              {t('Met of rules')}
            </th>
            <th scope="col" className="n">
              {t('Mean')}
            </th>
            <th scope="col" className="n">
              {t('Interval')}
            </th>
            <th scope="col" className="n">
              {t('Percentile')}
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.uid}>
              <th scope="row">
                <span className="report-two-lines">
                  {item.name}
                  {item.name !== item.uid && <span className="report-label">{item.uid}</span>}
                </span>
              </th>
              <td className="n">{t('{k} of {m}', { k: item.k, m: item.m })}</td>
              <td className="n">{formatShare(item.mean, 3)}</td>
              <td className="n">
                {formatShare(item.lower, 3)}–{formatShare(item.upper, 3)}
              </td>
              <td className="n">{formatShare(item.percentile, 1)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** What bounds the result: said where the result is, and not only in an annex. */
function limitsOf(run: RunRecord): string[] {
  const { global, rules } = run.result;
  const [, , unavailable, unrecorded] = sumRules(rules);
  const bounds = evidenceBounds(countRows(run.frozen.raw), run.frozen.rules.length, run.settings);
  const { contested } = run.frozen;
  return [
    t(
      'It holds under this profile, its {rules, plural, one {# rule} other {# rules}} and this prior alone; items are not compared with items of other runs.',
      { rules: global.m_rules },
    ),
    t(
      'A rule is a failure check: FALSE means that evidence is present, TRUE that a problem was found.',
    ),
    unavailable + unrecorded === 0
      ? t('Every cell is TRUE or FALSE: no evidence is missing.')
      : t(
          '{unavailable, plural, one {# cell} other {# cells}} NA and {unrecorded, plural, one {# cell} other {# cells}} not recorded count as no evidence. If all of them were evidence, the mean would be {meanWithAll} in place of {mean}.',
          {
            unavailable,
            unrecorded,
            meanWithAll: formatShare(bounds.asEvidence.spread.mean_theta, 3),
            mean: formatShare(global.mean_theta, 3),
          },
        ),
    ...(contested === undefined
      ? []
      : [
          t(
            '{cells, plural, one {# cell} other {# cells}} had conflicting values when the run was made.',
            { cells: contested.length },
          ),
        ]),
  ];
}

function Summary({
  run,
  details,
  signatures,
}: {
  run: RunRecord;
  details: ReportDetails;
  signatures: Query<CheckedSignature[]>;
}) {
  const { frozen, result } = run;
  return (
    <>
      <dl className="report-facts">
        {details.question !== '' && (
          <div>
            <dt>{t('Question')}</dt>
            <dd className="report-question">{details.question}</dd>
          </div>
        )}
        <div>
          <dt>{t('Profile')}</dt>
          <dd>
            {frozen.profile.name} {frozen.profile.version} ({frozen.profile.profileUid}),{' '}
            {frozen.profile.standard}
          </dd>
        </div>
      </dl>
      <p className="report-headline">{globalSentence(result.global, frozen.profile)}</p>
      <FirstItems run={run} />
      <AgreementSummary run={run} />
      <section className="report-together">
        <h2>{t('Limits of interpretation')}</h2>
        <p className="report-boundary">{tOf(result.interpretation_boundary)}</p>
        <ul className="report-limits">
          {limitsOf(run).map((limit) => (
            <li key={limit}>{limit}</li>
          ))}
        </ul>
      </section>
      <Signatures details={details} />
      <ReportSignatures run={run} known={signatures} />
      <Integrity run={run} />
    </>
  );
}

function Numbers({ run }: { run: RunRecord }) {
  const { global } = run.result;
  const totals = sumRules(run.result.rules);
  const facts: [string, string][] = [
    [t('Mean sufficiency'), formatShare(global.mean_theta, 3)],
    [t('Median'), formatShare(global.median_theta, 3)],
    [
      t('{range} ({tails} quantiles)', {
        range: rangeName(global.ci_level),
        tails: tailsText(global.ci_level),
      }),
      t('{lower} to {upper}', {
        lower: formatShare(global.lower_theta, 3),
        upper: formatShare(global.upper_theta, 3),
      }),
    ],
    [t('Items × rules'), `${formatCount(global.n_items)} × ${formatCount(global.m_rules)}`],
    [t('FALSE, evidence present'), formatCount(totals[0])],
    [t('TRUE, problem found'), formatCount(totals[1])],
    [t('NA, not available'), formatCount(totals[2])],
    [t('Not recorded, counted as NA'), formatCount(totals[3])],
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
      <h2>
        {t('Frozen with {conflicts, plural, one {# conflict} other {# conflicts}}', {
          conflicts: contested.length,
        })}
      </h2>
      <p>{t('Reason given: {reason}', { reason: contested_reason ?? '' })}</p>
      <p className="report-small">
        {contestedInOrder(contested)
          .slice(0, CONTESTED_SHOWN)
          .map((cell) =>
            cell.material === true
              ? t('{cell} (changes the result)', { cell: contestedWords(cell) })
              : contestedWords(cell),
          )
          .join('; ')}
        {contested.length > CONTESTED_SHOWN && ' …'}
      </p>
    </section>
  );
}
