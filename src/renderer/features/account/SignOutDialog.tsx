import { useState } from 'react';
import type { SyncOverview } from '../../data/sync/sync-overview.ts';
import { plural } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { useSyncOverview } from '../../state/use-sync-overview.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { ExportSteps } from '../../ui/ExportSteps.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { saveFile } from '../../ui/save-file.ts';

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
        `This file holds ${held.length} of ${plural(all.length, 'change')}. Save the export again.`,
      );
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Sign out?"
      focus="dialog"
      footer={
        <>
          <Button onClick={onClose}>Stay signed in</Button>
          <Button
            variant={ids?.length === 0 ? 'primary' : 'danger'}
            disabled={left !== 0}
            busy={busy}
            onClick={() => onSignOut(saved)}
          >
            Sign out
          </Button>
        </>
      }
    >
      {ids?.length === 0 && (
        <Notice live title="Everything is sent. Signing out removes this browser’s copy." />
      )}
      {ids !== undefined && ids.length > 0 && (
        <>
          <p>
            {plural(ids.length, 'change')} {ids.length === 1 ? 'is' : 'are'} in this browser alone.
            Signing out removes this browser’s copy, so send {ids.length === 1 ? 'it' : 'them'}{' '}
            first, or save {ids.length === 1 ? 'it' : 'them'} in a file.
          </p>
          <p>
            <Button size="sm" onClick={() => overview.tryNow()}>
              Send now
            </Button>
          </p>
          <ExportSteps id="saved-unsent" onSave={() => void save()} onChoose={check} />
        </>
      )}
      {ids !== undefined && ids.length > 0 && left === 0 && (
        <Notice
          live
          title={`The file holds ${ids.length === 1 ? 'this change' : `all ${plural(ids.length, 'change')}`}.`}
        />
      )}
      {problem !== null && <Notice tone="danger" live title={problem} />}
    </Dialog>
  );
}
