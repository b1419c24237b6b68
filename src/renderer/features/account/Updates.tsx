import { RefreshCw, RotateCw } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import type { Desktop, UpdateAct } from '../../../shared/contract/ipc.ts';
import { UPDATE_REFUSALS, type UpdateStatus } from '../../../shared/contract/updates.ts';
import { sayFrom } from '../../../shared/lib/say.ts';
import { formatDateTime } from '../../state/format.ts';
import { t, tOf } from '../../text/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Page.tsx';

/** How often the progress is read, ms. */
const OFTEN = 1_000;

const HOW: Readonly<Record<Exclude<UpdateStatus['by'], 'itself'>, string>> = {
  system: t(
    'This studio was installed with the packages of the system, which also brings newer versions. It looks for none itself.',
  ),
  none: t(
    'This studio does not look for newer versions: they come from whoever installed it. The data stay where they are.',
  ),
};

/** Whether and where this desktop looks for newer versions of itself, and how far one is. */
export function Updates({ desktop }: { desktop: Pick<Desktop, 'updates'> }) {
  const [status, setStatus] = useState<UpdateStatus>();
  const [failed, setFailed] = useState(false);
  const act = useCallback(
    (what: UpdateAct): void => {
      desktop.updates(what).then(
        (answer) => {
          setFailed(false);
          setStatus(answer);
        },
        () => setFailed(true),
      );
    },
    [desktop],
  );
  useEffect(() => {
    act('status');
    const timer = setInterval(() => act('status'), OFTEN);
    return () => clearInterval(timer);
  }, [act]);
  if (status === undefined && !failed) return null;
  const isBusy = ['looking', 'downloading'].includes(status?.progress.kind ?? '');
  return (
    <Section
      title={t('Updates')}
      {...(status?.by === 'itself' && {
        note: t(
          'Off, the studio asks nobody. On, it asks the place below once a day, and sends nothing but that question. What it offers is taken only if the publisher signed it, and installed only when you say so.',
        ),
        actions: (
          <Button
            icon={<RefreshCw size={15} aria-hidden="true" />}
            disabled={isBusy || status.progress.kind === 'ready'}
            onClick={() => act('look')}
          >
            {t('Look now')}
          </Button>
        ),
      })}
    >
      {failed && <Notice tone="danger" title={t('The desktop did not answer.')} />}
      {status !== undefined && status.by !== 'itself' && <p>{HOW[status.by]}</p>}
      {status?.by === 'itself' && <Own status={status} act={act} />}
    </Section>
  );
}

function Own({ status, act }: { status: UpdateStatus; act: (what: UpdateAct) => void }) {
  const { on, place, looked_at, puts_back, progress } = status;
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          role="switch"
          checked={on}
          aria-checked={on}
          onChange={() => act(on ? 'off' : 'on')}
        />
        {t('Look for newer versions once a day at {place}', { place: place ?? '' })}
      </label>
      <div aria-live="polite">
        <Progress progress={progress} putsBack={puts_back} onInstall={() => act('install')} />
      </div>
      {looked_at !== null && (
        <p className="muted">{t('Last looked: {when}', { when: formatDateTime(looked_at) })}</p>
      )}
    </>
  );
}

function Progress({
  progress,
  putsBack,
  onInstall,
}: {
  progress: UpdateStatus['progress'];
  putsBack: boolean;
  onInstall: () => void;
}) {
  if (progress.kind === 'idle') return null;
  if (progress.kind === 'looking') return <p>{t('Looking…')}</p>;
  if (progress.kind === 'current') return <p>{t('This is the newest version.')}</p>;
  const { version } = progress;
  if (progress.kind === 'refused')
    return (
      <Notice tone="warning" title={t('No update was taken')}>
        {sayFrom({})(tOf(UPDATE_REFUSALS[progress.code]), { version, known: progress.known })}
      </Notice>
    );
  if (progress.kind === 'downloading') {
    // Read out once, not at every step.
    const { percent } = progress;
    return (
      <p>
        {t('Downloading version {version}', { version })}{' '}
        <progress value={percent} max={100} aria-label={t('Downloaded')} />
      </p>
    );
  }
  return (
    <Notice
      title={t('Version {version} can be installed', { version })}
      actions={
        <Button icon={<RotateCw size={15} aria-hidden="true" />} onClick={onInstall}>
          {t('Restart and install')}
        </Button>
      }
    >
      {progress.deferred
        ? t('Something is still being stored, so nothing was installed. Try again in a moment.')
        : [
            t('What is recorded is stored first.'),
            ...(putsBack ? [t('If the new version does not start, this one is put back.')] : []),
          ].join(' ')}
    </Notice>
  );
}
