import type { CheckedSignature } from '../../../../shared/contract/v1/sign-off.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { formatDateTime } from '../../../state/format.ts';
import type { Query } from '../../../state/query.ts';
import {
  CHECK_WORDS,
  confirmedWords,
  MEANING_WORDS,
  timeWords,
} from '../../../state/signature-words.ts';
import { t } from '../../../text/t.ts';

/** More are on the page of the run, and in its bundle: these leave the summary its two pages. */
const SHOWN = 10;

/** Who signed the run, with which meaning and when, and what was found of each signature. */
export function ReportSignatures({
  run,
  known,
}: {
  run: RunRecord;
  known: Query<CheckedSignature[]>;
}) {
  const signatures = known.data?.filter(({ content_hash: hash }) => hash === run.content_hash);
  return (
    <section className="report-together">
      <h2>{t('Signatures')}</h2>
      {signatures === undefined ? (
        <p>{t('The server did not say who signed this run.')}</p>
      ) : signatures.length === 0 ? (
        <p>{t('Nobody had signed this run when this report was made.')}</p>
      ) : (
        <SignatureTable signatures={signatures} />
      )}
    </section>
  );
}

function SignatureTable({ signatures }: { signatures: readonly CheckedSignature[] }) {
  return (
    <>
      <table aria-label={t('Signatures')}>
        <thead>
          <tr>
            <th scope="col">{t('Meaning')}</th>
            <th scope="col">{t('Name')}</th>
            <th scope="col">{t('Time')}</th>
            <th scope="col">{t('What was found of it')}</th>
          </tr>
        </thead>
        <tbody>
          {signatures.slice(0, SHOWN).map((one) => (
            <tr key={one.minisig}>
              <th scope="row">{MEANING_WORDS[one.meaning].name}</th>
              <td>{one.signer.name}</td>
              <td>{formatDateTime(one.signed_at)}</td>
              <td className="report-small">
                {CHECK_WORDS.signature[one.checks.signature]}
                <br />
                {CHECK_WORDS.content[one.checks.content]}
                <br />
                {CHECK_WORDS.key[one.checks.key]}{' '}
                <span className="report-hash">{one.public_key}</span>
                <br />
                {confirmedWords(one)}
                <br />
                {timeWords(one)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="report-small">
        {signatures.length > SHOWN &&
          t('{more, plural, one {# more is} other {# more are}} on the page of the run.', {
            more: signatures.length - SHOWN,
          })}
      </p>
    </>
  );
}
