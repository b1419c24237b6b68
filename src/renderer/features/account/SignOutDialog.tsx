import { useState } from 'react';
import type { SyncOverview } from '../../data/sync/sync-overview.ts';

import { useServices } from '../../state/services.tsx';
import { useSyncOverview } from '../../state/use-sync-overview.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { ExportSteps } from '../../ui/ExportSteps.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { t } from '../../text/t.ts';

const everything = (overview: SyncOverview): Promise<string[]> => overview.everything();

/**
 * Signing out removes this browser's copy, so what the server does not have yet is sent
 * first, or saved in a file that was read back.
 */
export function SignOutDialog({
  busy,
  onSignOut,
  onClose,
}: {
  busy: boolean;
  onSignOut: (saved: ReadonlySet<string>) => void;
  onClose: () => void;
}) {
  const { overview, clock } = useServices();
  const ids = useSyncOverview(everything).data;
  const [saved, setSaved] = useState<ReadonlySet<string>>(new Set());
  const [problem, setProblem] = useState<string | null>(null);
  const left = ids?.filter((id) => !saved.has(id)).length;
  const save = async () =>
    saveFile(
      `unsent-${new Date(clock.now()).toISOString().slice(0, 16).replaceAll(/[:T]/g, '-')}.json`,
      'application/json',
      await overview.exportOf(await overview.everything()),
    );
  const check = async (text: string | undefined) => {
    setProblem(null);
    setSaved(new Set());
    if (text === undefined) return;
    const held = await overview.savedIn(text);
    const all = await overview.everything();
    setSaved(new Set(held));
    if (held.length < all.length)
      setProblem(
        t(
          'This file holds {held} of {all, plural, one {# change} other {# changes}}. Save the export again.',
          { held: held.length, all: all.length },
        ),
      );
  };
  return (
    <Dialog
      onClose={onClose}
      title={t('Sign out?')}
      focus="dialog"
      footer={
        <>
          <Button onClick={onClose}>{t('Stay signed in')}</Button>
          <Button
            variant={ids?.length === 0 ? 'primary' : 'danger'}
            disabled={left !== 0}
            busy={busy}
            onClick={() => onSignOut(saved)}
          >
            {t('Sign out')}
          </Button>
        </>
      }
    >
      {ids?.length === 0 && (
        <Notice live title={t('Everything is sent. Signing out removes this browser’s copy.')} />
      )}
      {ids !== undefined && ids.length > 0 && (
        <>
          <p>
            {t(
              '{count, plural, one {# change is in this browser alone. Signing out removes this browser’s copy, so send it first, or save it in a file.} other {# changes are in this browser alone. Signing out removes this browser’s copy, so send them first, or save them in a file.}}',
              { count: ids.length },
            )}
          </p>
          <p>
            <Button size="sm" onClick={() => overview.tryNow()}>
              {t('Send now')}
            </Button>
          </p>
          <ExportSteps id="saved-unsent" onSave={() => void save()} onChoose={check} />
        </>
      )}
      {ids !== undefined && ids.length > 0 && left === 0 && (
        <Notice
          live
          title={t('The file holds {count, plural, one {this change} other {all # changes}}.', {
            count: ids.length,
          })}
        />
      )}
      {problem !== null && <Notice tone="danger" live title={problem} />}
    </Dialog>
  );
}
