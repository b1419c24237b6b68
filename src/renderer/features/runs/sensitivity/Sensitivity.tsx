import { useEffect, useId, useState } from 'react';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { createPace, isCancelled } from '../../../files/pace.ts';
import { formatPercent } from '../../../state/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { AgreeingPairs } from './AgreeingPairs.tsx';
import { Bounds } from './Bounds.tsx';
import { findSensitivity, type SensitivityAnswers } from './find-sensitivity.ts';
import { Missing } from './Missing.tsx';
import { Priors } from './Priors.tsx';
import { WithoutRules } from './WithoutRules.tsx';
import { t } from '../../../text/t.ts';

type Finding = { progress: number } | { answers: SensitivityAnswers } | { failed: true };

function useSensitivity(run: RunRecord): Finding {
  const [state, setState] = useState<Finding>({ progress: 0 });
  useEffect(() => {
    const stop = new AbortController();
    setState({ progress: 0 });
    findSensitivity(
      run,
      createPace(stop.signal, (done) => setState({ progress: done ?? 0 })),
    ).then(
      (answers) => {
        if (!stop.signal.aborted) setState({ answers });
      },
      (error: unknown) => {
        if (!isCancelled(error) && !stop.signal.aborted) setState({ failed: true });
      },
    );
    return () => stop.abort();
  }, [run]);
  return state;
}

/** What the result would be otherwise, so that a reader sees what it rests on. */
export function Sensitivity({ run }: { run: RunRecord }) {
  const found = useSensitivity(run);
  const id = useId();
  return (
    <section className="section sensitivity" aria-labelledby={id}>
      <div className="section-head">
        <h2 id={id}>{t('How sure is it')}</h2>
      </div>
      <p className="section-note">
        {t(
          'What the result would be if missing evidence were there, under other priors, and without each rule. Each figure is exact: that of the changed matrix computed anew. Nothing of it changes the run.',
        )}
      </p>
      {'progress' in found && (
        <p className="muted" role="status">
          {t('Computing… {share}', {
            share: formatPercent(Math.round(found.progress * 100) / 100),
          })}
        </p>
      )}
      {'failed' in found && (
        <Notice tone="danger" title={t('Not computed')}>
          <p>{t('These figures could not be computed from this run.')}</p>
        </Notice>
      )}
      {'answers' in found && (
        <>
          <Bounds run={run} answers={found.answers} />
          <Priors run={run} present={found.answers.counts.present} />
          <WithoutRules run={run} without={found.answers.without} />
          <AgreeingPairs run={run} pairs={found.answers.agreeing} />
          <Missing run={run} answers={found.answers} />
        </>
      )}
    </section>
  );
}
