import { FileUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { createProfile } from '../../../../shared/contract/v1/profiles.ts';
import type { ProfileDocument } from '../../../../shared/domain/profile.ts';
import { plural } from '../../../state/format.ts';
import { describeFailure, type Failure } from '../../../state/failure.ts';
import { useServices } from '../../../state/services.tsx';
import { usePublisher } from '../../../state/use-may.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { FailureNotice } from '../../../ui/Loaded.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Facts } from '../../../ui/Page.tsx';
import { useToast } from '../../../ui/Toast.tsx';
import { fileDraft } from '../editor/draft.ts';
import { useStartDraft } from '../editor/use-drafts.ts';
import { profilePath } from '../versions.ts';
import { readProfile, type ReadProfile } from './read-file.ts';

/** What became of a profile that was sent. */
type Sent =
  | { kind: 'there' | 'conflict'; document: ProfileDocument }
  | { kind: 'failed'; failure: Failure };

/** Takes a profile from a file: looked at first, added by a second act. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { call, queries } = useServices();
  const navigate = useNavigate();
  const toast = useToast();
  const start = useStartDraft();
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<{ name: string; read: ReadProfile }>();
  const [sent, setSent] = useState<Sent>();
  const [busy, setBusy] = useState(false);
  const read = file?.read;
  const publisher = usePublisher();
  /** The file would be published with the import, which is for others to do. */
  const isForOthers =
    read?.kind === 'profile' && read.document.visibility === 'community' && publisher !== 'you';

  const take = async (chosen: File | undefined): Promise<void> => {
    if (chosen === undefined) return;
    setSent(undefined);
    try {
      setFile({ name: chosen.name, read: readProfile(new Uint8Array(await chosen.arrayBuffer())) });
    } catch {
      setFile({
        name: chosen.name,
        read: { kind: 'unreadable', message: 'The file could not be read from the disk.' },
      });
    }
  };
  const send = async (document: ProfileDocument): Promise<void> => {
    setBusy(true);
    try {
      await call(createProfile, { body: document, headers: { 'if-none-match': '*' } });
      queries.invalidate('profile');
      toast({ title: `${document.name} ${document.version} is imported` });
      void navigate(profilePath(document.profileUid, document.version));
    } catch (error) {
      const failure = describeFailure(error);
      setSent(
        failure.code === 'precondition_failed'
          ? { kind: 'there', document }
          : failure.code === 'version_conflict'
            ? { kind: 'conflict', document }
            : { kind: 'failed', failure },
      );
      setBusy(false);
    }
  };
  const edit = (content: unknown): void =>
    start((birth) => fileDraft(content, file?.name ?? '', birth));

  return (
    <Dialog
      open
      onOpenChange={onClose}
      focus="dialog"
      title="Import a profile"
      description="A JSON file with one profile of the standard SGA-QEM-1.0, as Export JSON writes it."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {read?.kind === 'faulty' && (
            <Button variant="primary" onClick={() => edit(read.content)}>
              Open in the editor
            </Button>
          )}
          {isForOthers && (
            <Button variant="primary" onClick={() => edit(read.document)}>
              Open in the editor
            </Button>
          )}
          {read?.kind === 'profile' &&
            !isForOthers &&
            (sent === undefined || sent.kind === 'failed') && (
              <Button variant="primary" busy={busy} onClick={() => void send(read.document)}>
                Import
              </Button>
            )}
        </>
      }
    >
      <div className="actions">
        <input
          ref={input}
          type="file"
          accept=".json,application/json"
          className="visually-hidden"
          tabIndex={-1}
          aria-label="Profile file"
          onChange={(event) => {
            void take(event.target.files?.[0]);
            event.target.value = '';
          }}
        />
        <Button
          icon={<FileUp size={14} aria-hidden="true" />}
          onClick={() => input.current?.click()}
        >
          {file === undefined ? 'Choose a file…' : 'Another file…'}
        </Button>
        {file !== undefined && <span className="small muted">{file.name}</span>}
      </div>
      {read?.kind === 'unreadable' && (
        <Notice tone="danger" live title="This file cannot be imported">
          <p>{read.message}</p>
        </Notice>
      )}
      {read?.kind === 'faulty' && (
        <Notice tone="warning" live title="This is not yet a profile">
          <ul className="plain-list">
            {read.faults.map((fault) => (
              <li key={fault.place + fault.message}>
                <strong>{fault.place}</strong>: {fault.message}
              </li>
            ))}
          </ul>
          {read.more > 0 && <p>and {read.more} more</p>}
          <p>
            Nothing was added. In the editor the known fields are filled in; what is no field of a
            profile is left out.
          </p>
        </Notice>
      )}
      {read?.kind === 'profile' && (
        <Facts
          entries={[
            { name: 'Profile', value: read.document.name },
            {
              name: 'Uid and version',
              value: (
                <code>
                  {read.document.profileUid}@{read.document.version}
                </code>
              ),
            },
            { name: 'Rules', value: plural(read.document.rules.length, 'rule') },
          ]}
        />
      )}
      {isForOthers && (
        <Notice
          live
          title={
            publisher === 'operator'
              ? 'Whoever runs this server publishes to the community'
              : 'An owner of this account publishes to the community'
          }
        >
          <p>
            The file is of a profile for the community. In the editor it becomes a private one of
            this account, which they can publish.
          </p>
        </Notice>
      )}
      {sent?.kind === 'there' && (
        <Notice
          live
          title="Already there"
          actions={
            <Button
              size="sm"
              onClick={() =>
                void navigate(profilePath(sent.document.profileUid, sent.document.version))
              }
            >
              Open it
            </Button>
          }
        >
          <p>
            This studio has {sent.document.profileUid} {sent.document.version} with the same
            content. Nothing was added.
          </p>
        </Notice>
      )}
      {sent?.kind === 'conflict' && (
        <Notice
          tone="danger"
          live
          title="This version is taken"
          actions={
            <Button size="sm" onClick={() => edit(sent.document)}>
              Open in the editor
            </Button>
          }
        >
          <p>
            {sent.document.profileUid} {sent.document.version} is published here with other content,
            and a published version never changes. Give the file&apos;s content a higher version.
          </p>
        </Notice>
      )}
      {sent?.kind === 'failed' && <FailureNotice failure={sent.failure} />}
    </Dialog>
  );
}
