import type { ReactNode } from 'react';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { formatDateTime } from '../../../state/format.ts';
import { sentByWords } from '../../../state/sent-by.ts';
import type { Lab, ReportDetails } from './report-details.ts';
import { t } from '../../../text/t.ts';

/** Who says it, about what: the head of a report and of a card. */
export function ReportHead({
  run,
  lab,
  kind,
  title,
}: {
  run: RunRecord;
  lab: Lab;
  kind: string;
  title: ReactNode;
}) {
  const sent = sentByWords(run);
  return (
    <header className="report-head">
      <div>
        <p className="report-kind">
          {lab.name !== '' && <strong>{lab.name} · </strong>}
          {kind}
        </p>
        <h1>{title}</h1>
        <p className="report-meta">
          {t('Case {case} · run {run} · frozen {when} by {name}', {
            case: run.case_uid,
            run: run.run_uid,
            when: formatDateTime(run.created_at),
            name: run.created_by,
          })}
          {sent !== undefined && ` · ${sent}`}
        </p>
      </div>
      {lab.logo !== '' && (
        <img
          className="report-logo"
          src={lab.logo}
          alt={lab.name === '' ? t('Logo of the lab') : t('Logo of {lab}', { lab: lab.name })}
        />
      )}
    </header>
  );
}

/** Who prepared and who reviewed it; a line to sign on where nobody is named. */
export function Signatures({ details }: { details: ReportDetails }) {
  const lines = [
    [t('Prepared by'), details.prepared_by],
    [t('Reviewed by'), details.reviewed_by],
    [t('Date'), details.date],
  ] as const;
  return (
    <dl className="report-signatures">
      {lines.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
