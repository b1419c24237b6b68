import { useState } from 'react';
import { getRunManifest, type RunCheck } from '../../../shared/contract/sync-runs.ts';
import { verifyRun, type RunRecord, type RunVerification } from '../../../shared/domain/run.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Page.tsx';
import { runFileName } from './record.ts';
import { rich } from '../../text/rich.ts';
import { t, tOf } from '../../text/t.ts';

type ProofState = RunCheck | 'working' | { failed: string };

/**
 * The hash of the run and its two checks: made here in the page, of what the page holds, and by the
 * server, of what it stores.
 */
export function Proof({ run }: { run: RunRecord }) {
  const { call, hasher } = useServices();
  const [state, setState] = useState<'idle' | 'working' | RunVerification>('idle');
  const [stored, setStored] = useState<ProofState>('working');
  const verify = () => {
    setState('working');
    setStored('working');
    // A large run takes a moment; the page first says that it is at work.
    requestAnimationFrame(() => setTimeout(() => setState(verifyRun(run, hasher)), 0));
    call(getRunManifest, {
      params: { contentHash: run.content_hash },
      query: { run_uid: run.run_uid, verify: '1' },
    }).then(
      ({ verification }) => setStored(verification ?? { failed: t('The server did not check.') }),
      (error: unknown) =>
        setStored({
          failed: error instanceof Error ? error.message : t('The server did not answer.'),
        }),
    );
  };
  return (
    <Section
      title={t('Integrity')}
      note={t(
        'The hash covers the case, profile, items, every outcome with its notes and provenance, the settings, the method and the result. It does not cover who recorded each outcome. Anyone who holds the JSON file can check both facts without this studio.',
      )}
    >
      <div className="panel proof">
        <div className="with-copy">
          <code className="mono">{run.content_hash}</code>
          <CopyButton text={run.content_hash} label={t('Copy hash')} />
        </div>
        <div className="with-copy">
          <Button variant="primary" onClick={verify} busy={state === 'working'}>
            {state === 'working' ? t('Verifying…') : t('Verify now')}
          </Button>
          <span className="small muted">{t('or, with the downloaded file:')}</span>
          <code className="command">{`evidence-studio verify ${runFileName(run.run_uid, 'evidence-run.json')}`}</code>
        </div>
        <div role="status" className="section">
          {typeof state === 'object' && <Report report={state} />}
          {state !== 'idle' && <StoredReport stored={stored} />}
        </div>
      </div>
    </Section>
  );
}

function Report({ report }: { report: RunVerification }) {
  const { content_hash, recomputed, problems } = report;
  return (
    <>
      <Notice
        tone={content_hash.ok ? 'info' : 'danger'}
        title={content_hash.ok ? t('Content hash: matches') : t('Content hash: does not match')}
      >
        <p>
          {content_hash.ok
            ? t('Hashing the frozen content in this browser gives the stated hash.')
            : t('The frozen content is not what was hashed when the run was made.')}
        </p>
        {!content_hash.ok && (
          <p>
            {rich('Stated {stated}, computed {computed}.', {
              stated: <code>{content_hash.stated ?? t('nothing')}</code>,
              computed: <code>{content_hash.computed ?? t('nothing')}</code>,
            })}
          </p>
        )}
        {problems.length > 0 && (
          <ul className="plain-list">
            {problems.map((problem) => (
              <li key={problem.path + problem.message}>
                <code>{problem.path}</code> {tOf(problem.message)}
              </li>
            ))}
          </ul>
        )}
      </Notice>
      <Notice
        tone={recomputed.ok ? 'info' : 'danger'}
        title={
          recomputed.ok
            ? t('Result: recomputed and equal')
            : t('Result: does not follow from the evidence')
        }
      >
        <p>
          {recomputed.ok
            ? t(
                'Computing the result again from the frozen matrix and settings gives the stated numbers.',
              )
            : t('Computing the result again gives other numbers.')}
        </p>
        {recomputed.differences.length > 0 && (
          <ul className="plain-list">
            {recomputed.differences.slice(0, 10).map((difference) => (
              <li key={difference.path}>
                {rich('{member} stated {stated}, computed {computed}', {
                  member: <code>{difference.path}</code>,
                  stated: String(difference.stated),
                  computed: String(difference.computed),
                })}
              </li>
            ))}
          </ul>
        )}
      </Notice>
      <p className="small muted">
        {t('Neither fact shows who recorded the evidence, or that it is right.')}
      </p>
    </>
  );
}

function StoredReport({ stored }: { stored: ProofState }) {
  if (stored === 'working')
    return <p className="small muted">{t('The server is checking what it stores…')}</p>;
  if ('failed' in stored)
    return (
      <Notice tone="warning" title={t('On the server: not checked')}>
        <p>{stored.failed}</p>
      </Notice>
    );
  const { integrity, reproducibility } = stored;
  const result =
    reproducibility === null
      ? t('Nothing was computed from them.')
      : reproducibility.ok
        ? t('The server computed the same result from them.')
        : t('The server computed another result from them.');
  return (
    <Notice
      tone={integrity.ok && reproducibility?.ok === true ? 'info' : 'danger'}
      title={t('On the server')}
    >
      <p>
        {integrity.ok
          ? t('The stored bytes match the content hash.')
          : t('The stored bytes do not match the content hash.')}{' '}
        {result}
      </p>
      {integrity.damaged.length > 0 && (
        <ul className="plain-list">
          {integrity.damaged.slice(0, 10).map((name) => (
            <li key={name}>{rich('Damaged: {name}', { name: <code>{name}</code> })}</li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
