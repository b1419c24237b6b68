import type { RunRecord } from '../../../../shared/domain/run.ts';
import { AGREEMENT_HEADS, agreementRows } from '../../../state/agreement-figures.ts';
import { t } from '../../../text/t.ts';
import { agreementSentence, settledSentence } from '../independent.ts';

/** The agreement that the run froze, on the first pages. */
export function AgreementSummary({ run: { frozen } }: { run: RunRecord }) {
  if (frozen.round === undefined) return null;
  return (
    <section className="report-together">
      <h2>{t('Agreement of independent recorders')}</h2>
      <p>{agreementSentence(frozen.round)}</p>
    </section>
  );
}

/** How far those agree who recorded independently, over all cells and by rule. */
export function ReportAgreement({ run }: { run: RunRecord }) {
  const { round } = run.frozen;
  if (round === undefined) return null;
  return (
    <section>
      <h2>{t('Agreement over all cells and by rule')}</h2>
      <p>{settledSentence(round)}</p>
      <table>
        <thead>
          <tr>
            {AGREEMENT_HEADS.map((head, at) => (
              <th key={head} scope="col" className={at === 0 ? undefined : 'n'}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {agreementRows(round.figures, run.frozen.profile.rules).map(([name, ...figures], at) => (
            <tr key={`${at} ${name}`}>
              <th scope="row">{name}</th>
              {figures.map((figure, column) => (
                <td key={AGREEMENT_HEADS[column + 1]} className="n">
                  {figure}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
