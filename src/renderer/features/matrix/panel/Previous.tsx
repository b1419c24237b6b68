import type { CellDetail, CellPatch } from '../../../data/store/port.ts';
import { formatDateTime } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Mark } from '../../../ui/OutcomeMark.tsx';
import { STATE_WORDS, stateKey } from '../model/states.ts';
import { type PreviousAssertion, provenanceText, whose } from '../model/history-text.ts';
import { t, tAs } from '../../../text/t.ts';

interface PreviousProps {
  previous: PreviousAssertion;
  now: CellDetail;
  mayWrite: boolean;
  onUse: (patch: CellPatch) => void;
}

/**
 * The assertion before the present outcome. Its source proves that one, so it is here to be read,
 * and given to the present one only by a person.
 */
export function Previous({
  previous: { raw_outcome, source_value, provenance, step },
  now,
  mayWrite,
  onUse,
}: PreviousProps) {
  const key = stateKey(raw_outcome);
  const hasSource = source_value !== null || provenance !== null;
  const isFree = now.source_value === null && now.provenance === null;
  return (
    <section className="mx-part mx-before" aria-label={tAs('assertion', 'Previous')}>
      <h2>{tAs('assertion', 'Previous')}</h2>
      <p className="mx-fact">
        <Mark state={key} />
        <span>{STATE_WORDS[key].full}</span>
      </p>
      {source_value !== null && (
        <p className="mx-fact mx-fact-text">
          <span className="mx-fact-what">{t('Reported value')}</span>
          {source_value}
        </p>
      )}
      {provenance !== null && (
        <p className="mx-fact mx-fact-text">
          <span className="mx-fact-what">{t('Provenance')}</span>
          {provenanceText(provenance)}
        </p>
      )}
      {step !== undefined && (
        <p className="mx-quiet">
          {whose(step.recorded_by)}, <time dateTime={step.at}>{formatDateTime(step.at)}</time>
        </p>
      )}
      {hasSource && isFree && mayWrite && (
        <Button size="sm" onClick={() => onUse({ source_value, provenance })}>
          {t('Use this source for the present outcome')}
        </Button>
      )}
    </section>
  );
}
