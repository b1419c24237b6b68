import { useState } from 'react';
import type { Desk } from '../../data/sync/desk.ts';
import { plural } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { useDesk } from '../../state/use-desk.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { saveFile } from '../../ui/save-file.ts';

/** Largest export that is read back. */
const MOST_BYTES = 512 * 1024 * 1024;
const everything = (desk: Desk): Promise<string[]> => desk.everything();

/**
 * Signing out takes away what this browser keeps, so what the server does not have yet is sent
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
  const { desk, clock } = useServices();
  const ids = useDesk(everything).data;
  const [saved, setSaved] = useState<ReadonlySet<string>>(new Set());
  const [problem, setProblem] = useState<string | null>(null);
  const left = ids?.filter((id) => !saved.has(id)).length;
  const save = async () =>
    saveFile(
      `unsent-${new Date(clock.now()).toISOString().slice(0, 16).replaceAll(/[:T]/g, '-')}.json`,
      'application/json',
      await desk.exportOf(await desk.everything()),
    );
  const look = async (chosen: File | undefined) => {
    setProblem(null);
    setSaved(new Set());
    if (chosen === undefined) return;
    const held = await desk.savedIn(chosen.size > MOST_BYTES ? '' : await chosen.text());
    const all = await desk.everything();
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
        <Notice
          live
          title="Everything is sent. Signing out takes away what this browser keeps of it."
        />
      )}
      {ids !== undefined && ids.length > 0 && (
        <>
          <p>
            {plural(ids.length, 'change')} {ids.length === 1 ? 'is' : 'are'} in this browser alone.
            Signing out takes away what it keeps, so send {ids.length === 1 ? 'it' : 'them'} first,
            or save {ids.length === 1 ? 'it' : 'them'} in a file.
          </p>
          <p>
            <Button size="sm" onClick={() => desk.tryNow()}>
              Send now
            </Button>
          </p>
          <ol className="sync-steps">
            <li>
              <span>Save the export where you will find it again.</span>
              <Button size="sm" onClick={() => void save()}>
                Save the export
              </Button>
            </li>
            <li>
              <label className="field-label" htmlFor="saved-unsent">
                Choose the saved file, so that it can be checked
              </label>
              <input
                id="saved-unsent"
                type="file"
                accept="application/json,.json"
                onChange={(event) => void look(event.target.files?.[0])}
              />
            </li>
          </ol>
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
