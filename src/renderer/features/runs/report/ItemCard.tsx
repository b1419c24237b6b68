import { globalPosterior } from '../../../../shared/domain/beta-density.ts';
import { outcomeWords } from '../../../../shared/domain/outcome.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { cardHash } from '../../../../shared/domain/run-card.ts';
import { formatPercent } from '../../../state/format.ts';
import { useServices } from '../../../state/services.tsx';
import { Mark } from '../../../ui/OutcomeMark.tsx';
import { drawDensity } from '../figures/draw-density.tsx';
import { countResults, nameOf } from '../figures/figure-items.ts';
import { itemFacts, type ItemRule, itemSentence, raiseSentence } from '../item/item-facts.ts';
import { provenanceWords, runFileName } from '../record.ts';
import type { RunAuthors } from '../../../../shared/domain/run-authors.ts';
import { PaperFigure } from './PaperFigure.tsx';
import type { Lab, ReportDetails } from './report-details.ts';
import { ReportHead, Signatures } from './ReportHead.tsx';
import { rich } from '../../../text/rich.ts';
import { t, tOf } from '../../../text/t.ts';

/** Rules that a page holds with what proves them, and those that it holds by their names. */
const WITH_PROOF = 13;
const BY_NAME = 66;

interface CardRulesProps {
  rules: readonly ItemRule[];
  row: number;
  authors: RunAuthors | undefined;
}

function ProvenRules({ rules, row, authors }: CardRulesProps) {
  return (
    <table className="report-card-table" aria-label={t('Rules of the item')}>
      <thead>
        <tr>
          <th scope="col">{t('Rule')}</th>
          <th scope="col">{t('Outcome')}</th>
          <th scope="col">{t('Reported value; source; notes')}</th>
          {authors !== undefined && <th scope="col">{t('By')}</th>}
        </tr>
      </thead>
      <tbody>
        {rules.map(({ uid, rule, state, detail, column }) => {
          const author = authors?.of(row, column);
          const proof = [
            detail?.source_value ?? '',
            provenanceWords(detail?.provenance ?? null),
            detail?.notes ?? '',
          ]
            .filter((part) => part !== '')
            .join('; ');
          return (
            <tr key={uid}>
              <th scope="row">
                <span className="report-two-lines">
                  {rule?.ruleOrder}. {rule?.name ?? uid}
                </span>
              </th>
              <td className="report-nowrap">{tOf(outcomeWords(state))}</td>
              <td>
                <span className="report-two-lines">{proof}</span>
              </td>
              {authors !== undefined && (
                <td>
                  <span className="report-two-lines">{author?.name}</span>
                </td>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function NamedRules({ rules }: { rules: readonly ItemRule[] }) {
  // Those that are not met come first where not all fit.
  const shown =
    rules.length <= BY_NAME
      ? rules
      : rules
          .toSorted((a, b) => Number(a.state === 'FALSE') - Number(b.state === 'FALSE'))
          .slice(0, BY_NAME);
  return (
    <>
      <ul className="report-card-rules">
        {shown.map(({ uid, rule, state }) => (
          <li key={uid} className="report-one-line">
            <Mark state={state ?? 'unrecorded'} paper /> {rule?.ruleOrder}. {rule?.name ?? uid}
          </li>
        ))}
      </ul>
      <p className="report-small">
        {t(
          'F: FALSE, evidence present. T: TRUE, problem found. NA: not available. –: not recorded.',
        )}{' '}
        {rules.length > BY_NAME && (
          <>
            {t(
              '{rules, plural, one {# rule with evidence present or beyond the page is} other {# rules with evidence present or beyond the page are}} left out; the run holds all.',
              { rules: rules.length - BY_NAME },
            )}{' '}
          </>
        )}
        {t('What proves each outcome is in the run.')}
      </p>
    </>
  );
}

/** One item of a run on one page, with the hashes by which it can be checked. */
export function ItemCard({
  run,
  itemUid,
  authors,
  lab,
  details,
}: {
  run: RunRecord;
  itemUid: string;
  authors: RunAuthors | undefined;
  lab: Lab;
  details: ReportDetails;
}) {
  const { hasher } = useServices();
  const facts = itemFacts(run, itemUid);
  if (facts === undefined)
    return <p>{t('The run has no item with the ID {item}.', { item: itemUid })}</p>;
  const { item, result, rules, row } = facts;
  const name = nameOf(item);
  const { profile } = run.frozen;
  return (
    <article className="report report-card" aria-label={t('Card')}>
      <ReportHead run={run} lab={lab} kind={t('Evidence card of one item')} title={name} />
      <p className="report-meta">
        {item.item_uid} · {item.item_type} · {run.frozen.case.title} · {profile.name}{' '}
        {profile.version}
      </p>
      <div className="report-card-top">
        <div>
          <p className="report-headline">{itemSentence(result, run.result.global)}</p>
          <p>{raiseSentence(facts)}</p>
        </div>
        <PaperFigure
          label={t('Posterior density of {name} over that of all items together', { name })}
          drawing={drawDensity(
            {
              name,
              alpha: result.alpha,
              beta: result.beta,
              lower: result.theta_lower,
              upper: result.theta_upper,
              level: formatPercent(run.settings.ci_level),
            },
            globalPosterior(countResults(run.result.items)),
          )}
        />
      </div>
      {rules.length <= WITH_PROOF ? (
        <ProvenRules rules={rules} row={row} authors={authors} />
      ) : (
        <NamedRules rules={rules} />
      )}
      <p className="report-boundary">{tOf(run.result.interpretation_boundary)}</p>
      <Signatures details={details} />
      <p className="report-small">
        {rich('Run {hash}', { hash: <span className="report-hash">{run.content_hash}</span> })}
        <br />
        {rich('Card {hash}', {
          hash: <span className="report-hash">{cardHash(run, itemUid, hasher)}</span>,
        })}
        <br />
        {rich(
          '{command} checks the run; the page of this item in the studio shows the hash of its card.',
          {
            command: (
              <code>{`evidence-studio verify ${runFileName(run.run_uid, 'evidence-run.json')}`}</code>
            ),
          },
        )}
      </p>
    </article>
  );
}
