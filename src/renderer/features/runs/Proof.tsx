import { useState } from 'react';
import { getRunManifest, type RunCheck } from '../../../shared/contract/sync-runs.ts';
import { verifyRun, type RunRecord, type RunVerification } from '../../../shared/domain/run.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Page.tsx';
import { runFileName } from './record.ts';

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
      ({ verification }) => setStored(verification ?? { failed: 'The server did not check.' }),
      (error: unknown) =>
        setStored({
          failed: error instanceof Error ? error.message : 'The server did not answer.',
        }),
    );
  };
  return (
    <Section
      title="Integrity"
      note={
        'The hash covers the case, profile, items, every outcome with its notes and ' +
        'provenance, the settings, the method and the result. ' +
        'It does not cover who recorded each outcome. Anyone who holds the JSON file can check ' +
        'both facts without this studio.'
      }
    >
      <div className="panel proof">
        <div className="with-copy">
          <code className="mono">{run.content_hash}</code>
          <CopyButton text={run.content_hash} label="Copy hash" />
        </div>
        <div className="with-copy">
          <Button variant="primary" onClick={verify} busy={state === 'working'}>
            {state === 'working' ? 'Verifying…' : 'Verify now'}
          </Button>
          <span className="small muted">or, with the downloaded file:</span>
          <code className="command">{`evidence-studio verify ${runFileName(run.run_uid, 'json')}`}</code>
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
        title={content_hash.ok ? 'Content hash: matches' : 'Content hash: does not match'}
      >
        <p>
          {content_hash.ok
            ? 'Hashing the frozen content in this browser gives the stated hash.'
            : 'The frozen content is not what was hashed when the run was made.'}
        </p>
        {!content_hash.ok && (
          <p>
            Stated <code>{content_hash.stated ?? 'nothing'}</code>, computed{' '}
            <code>{content_hash.computed ?? 'nothing'}</code>.
          </p>
        )}
        {problems.length > 0 && (
          <ul className="plain-list">
            {problems.map((problem) => (
              <li key={problem.path + problem.message}>
                <code>{problem.path}</code> {problem.message}
              </li>
            ))}
          </ul>
        )}
      </Notice>
      <Notice
        tone={recomputed.ok ? 'info' : 'danger'}
        title={
          recomputed.ok
            ? 'Result: recomputed and equal'
            : 'Result: does not follow from the evidence'
        }
      >
        <p>
          {recomputed.ok
            ? 'Computing the result again from the frozen matrix and settings gives the stated numbers.'
            : 'Computing the result again gives other numbers.'}
        </p>
        {recomputed.differences.length > 0 && (
          <ul className="plain-list">
            {recomputed.differences.slice(0, 10).map((difference) => (
              <li key={difference.path}>
                <code>{difference.path}</code> stated {String(difference.stated)}, computed{' '}
                {String(difference.computed)}
              </li>
            ))}
          </ul>
        )}
      </Notice>
      <p className="small muted">
        Neither fact shows who recorded the evidence, or that it is right.
      </p>
    </>
  );
}

function StoredReport({ stored }: { stored: ProofState }) {
  if (stored === 'working')
    return <p className="small muted">The server is checking what it stores…</p>;
  if ('failed' in stored)
    return (
      <Notice tone="warning" title="On the server: not checked">
        <p>{stored.failed}</p>
      </Notice>
    );
  const { integrity, reproducibility } = stored;
  const result =
    reproducibility === null
      ? 'Nothing was computed from them.'
      : reproducibility.ok
        ? 'The server computed the same result from them.'
        : 'The server computed another result from them.';
  return (
    <Notice
      tone={integrity.ok && reproducibility?.ok === true ? 'info' : 'danger'}
      title="On the server"
    >
      <p>
        The stored bytes {integrity.ok ? 'match' : 'do not match'} the content hash. {result}
      </p>
      {integrity.damaged.length > 0 && (
        <ul className="plain-list">
          {integrity.damaged.slice(0, 10).map((name) => (
            <li key={name}>
              Damaged: <code>{name}</code>
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
