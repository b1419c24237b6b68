import { Download, Stethoscope } from 'lucide-react';
import { useState } from 'react';
import { type DoctorReport, type Finding, FINDINGS } from '../../../shared/contract/doctor.ts';
import type { Desktop } from '../../../shared/contract/ipc.ts';
import { sayFrom } from '../../../shared/lib/say.ts';
import { Button } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Page.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { t, tOf } from '../../text/t.ts';

const STATES: Readonly<Record<Finding['state'], string>> = {
  ok: t('In order'),
  note: t('Note'),
  problem: t('To be looked at'),
};

const wordsOf = ({ code, values }: Finding): string => sayFrom({})(tOf(FINDINGS[code]), values);

/** What `evidence-studio doctor` prints, for the studio of this window. */
export function Doctor({ desktop }: { desktop: Pick<Desktop, 'examine'> }) {
  const [report, setReport] = useState<DoctorReport | 'running' | 'failed'>();
  const examine = (): void => {
    setReport('running');
    desktop.examine().then(setReport, () => setReport('failed'));
  };
  const isThere = typeof report === 'object';
  return (
    <Section
      title={t('Examine this studio')}
      note={t(
        'Disk, database, logs, keys and network, as the command evidence-studio doctor does. The file has no evidence, no names and no key.',
      )}
      actions={
        <>
          {isThere && (
            <Button
              icon={<Download size={15} aria-hidden="true" />}
              onClick={() =>
                saveFile(
                  `studio-examined-${report.made_at.slice(0, 16).replaceAll(/[:T]/g, '-')}.json`,
                  'application/json',
                  JSON.stringify(report, null, 2),
                )
              }
            >
              {t('Save for support')}
            </Button>
          )}
          <Button
            icon={<Stethoscope size={15} aria-hidden="true" />}
            disabled={report === 'running'}
            onClick={examine}
          >
            {t('Examine')}
          </Button>
        </>
      }
    >
      <div aria-live="polite">
        {report === 'running' && <p className="muted">{t('Looking…')}</p>}
        {report === 'failed' && (
          <Notice tone="danger" title={t('The studio could not be examined.')} />
        )}
        {isThere && <Findings report={report} />}
      </div>
    </Section>
  );
}

function Findings({ report }: { report: DoctorReport }) {
  const { version, runtime, sqlite, system, findings, ok } = report;
  return (
    <>
      <p>{ok ? t('Nothing is wrong.') : t('Something has to be looked at.')}</p>
      <ul>
        {findings.map((finding) => (
          <li key={finding.code}>
            <strong>{STATES[finding.state]}:</strong> {wordsOf(finding)}
          </li>
        ))}
      </ul>
      <p className="muted">
        {`Evidence Studio ${version}, ${runtime}, SQLite ${sqlite}, ${system}`}
      </p>
    </>
  );
}
