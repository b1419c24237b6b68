import type { ReactNode } from 'react';
import type { ItemEvidence } from '../../../shared/contract/v1/cells.ts';
import type { SuggestionEntry } from '../../../shared/contract/v1/suggestions.ts';
import type { ProfileRule } from '../../../shared/domain/profile.ts';
import { formatDateTime, formatPercent } from '../../state/format.ts';
import type { Query } from '../../state/query.ts';
import { Badge } from '../../ui/Badge.tsx';
import { FailureNotice } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { OutcomeMark } from '../../ui/OutcomeMark.tsx';
import { Facts } from '../../ui/Page.tsx';
import { t } from '../../text/t.ts';
import { meaningIn, provenanceText, STATE_WORDS } from './words.ts';

interface SuggestionCardProps {
  entry: SuggestionEntry;
  /** Its item, as far as that is loaded. */
  item: Query<ItemEvidence | undefined>;
  rule: ProfileRule | undefined;
  /** Under the card: what can be done with it. */
  children: ReactNode;
}

/** One suggestion with its evidence, beside what the record says now. */
export function SuggestionCard({ entry, item, rule, children }: SuggestionCardProps) {
  const label = item.data?.item.label ?? '';
  return (
    <article className="panel suggestion" aria-labelledby="suggestion-name">
      <h2 id="suggestion-name">
        {label === '' ? entry.item_uid : label}
        {label !== '' && <span className="muted"> {entry.item_uid}</span>}
        {`, ${rule?.name ?? entry.rule_uid}`}
      </h2>
      {rule !== undefined && <p className="muted">{rule.description}</p>}
      {entry.state === 'stale' && (
        <Notice tone="warning" title={t('Stale')}>
          {t(
            'The cell, or the profile’s document, is no longer what this was suggested for. Compare before you decide.',
          )}
        </Notice>
      )}
      <div className="suggestion-sides">
        <section aria-labelledby="suggestion-suggested">
          <h3 id="suggestion-suggested">{t('Suggested')}</h3>
          <Outcome outcome={entry.raw_outcome} rule={rule} />
          {entry.quote !== null && <blockquote>{entry.quote}</blockquote>}
          <Facts entries={suggestedFacts(entry)} />
        </section>
        <section aria-labelledby="suggestion-recorded">
          <h3 id="suggestion-recorded">{t('Recorded now')}</h3>
          {item.failure === undefined || item.data !== undefined ? (
            <Recorded
              cell={item.data?.evidence.find(({ rule_uid }) => rule_uid === entry.rule_uid)}
              isKnown={item.data !== undefined}
              rule={rule}
            />
          ) : (
            <FailureNotice failure={item.failure} onRetry={item.reload} />
          )}
        </section>
      </div>
      {children}
    </article>
  );
}

function Outcome({
  outcome,
  rule,
}: {
  outcome: SuggestionEntry['raw_outcome'];
  rule: ProfileRule | undefined;
}) {
  return (
    <p className="suggestion-outcome">
      <OutcomeMark kind={outcome ?? 'unrecorded'} label />
      {outcome !== null && <span className="row-note">{meaningIn(rule, outcome)}</span>}
    </p>
  );
}

type Fact = { name: string; value: ReactNode };
const given = (name: string, value: ReactNode): Fact[] =>
  value === null || value === '' ? [] : [{ name, value }];

function suggestedFacts(entry: SuggestionEntry): Fact[] {
  const { confidence, model, decision, suggested_by: by } = entry;
  return [
    ...given(t('Locator'), entry.locator),
    ...given(t('Reported value'), entry.source_value),
    ...given(t('Source'), provenanceText(entry.provenance)),
    ...given(t('Confidence'), confidence === null ? null : formatPercent(confidence)),
    {
      name: t('Suggested by'),
      value: by.kind === 'agent' ? t('{name} (agent)', { name: by.name }) : by.name,
    },
    ...given(t('Model'), model === null ? null : `${model.name} ${model.version}`),
    { name: t('When'), value: formatDateTime(entry.suggested_at) },
    { name: t('State'), value: <Badge>{STATE_WORDS[entry.state]}</Badge> },
    ...(decision === null
      ? []
      : [
          {
            name: t('Decided'),
            value: t('{verdict} by {person}, {when}', {
              verdict: STATE_WORDS[decision.verdict],
              person: decision.by,
              when: formatDateTime(decision.at),
            }),
          },
          ...given(t('Reason given'), decision.reason),
        ]),
  ];
}

function Recorded({
  cell,
  isKnown,
  rule,
}: {
  cell: ItemEvidence['evidence'][number] | undefined;
  isKnown: boolean;
  rule: ProfileRule | undefined;
}) {
  if (!isKnown) return <p className="muted">{t('Loading…')}</p>;
  return (
    <>
      <Outcome outcome={cell?.raw_outcome ?? null} rule={rule} />
      {cell?.contested === true && (
        <Notice tone="warning">
          {t('People have recorded different values; accepting adds to them.')}
        </Notice>
      )}
      {cell !== undefined && (
        <Facts
          entries={[
            ...given(t('Reported value'), cell.source_value),
            ...given(t('Source'), provenanceText(cell.provenance)),
            ...given(t('Notes'), cell.notes),
            { name: t('Recorded by'), value: cell.updated_by },
            { name: t('When'), value: formatDateTime(cell.updated_at) },
          ]}
        />
      )}
    </>
  );
}
