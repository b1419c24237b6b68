import type { ProfileUid } from '../../../shared/contract/ids.ts';
import { useState } from 'react';
import { Link } from 'react-router';
import { formatDateTime, plural } from '../../state/format.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Page.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Table } from '../../ui/Table.tsx';
import { DiscardDraft } from './editor/DiscardDraft.tsx';
import type { ProfileDraft } from './editor/draft.ts';
import type { Damaged } from './editor/draft-store.ts';
import { draftPath, draftStore, useDrafts } from './editor/use-drafts.ts';

const nameOf = (draft: ProfileDraft): string =>
  draft.name.trim() === '' ? 'Profile without a name' : draft.name;

function kindOf({ origin }: ProfileDraft): string {
  if (origin.kind === 'version') return `next after ${origin.base.version}`;
  if (origin.kind === 'copy') return `copy of ${origin.uid} ${origin.version}`;
  return origin.kind === 'file' ? `from ${origin.file}` : 'new';
}

/** A draft that a person is asked whether to discard. */
interface Leaving {
  title: string;
  act: () => void;
}

/**
 * Profiles that are being written on this computer; those of one profile alone where `profileUid`
 * is given.
 */
export function Drafts({ profileUid }: { profileUid?: ProfileUid }) {
  const { drafts, damaged } = useDrafts();
  const [leaving, setLeaving] = useState<Leaving>();
  const shown =
    profileUid === undefined
      ? drafts
      : drafts.filter(
          (draft) => draft.origin.kind === 'version' && draft.profileUid === profileUid,
        );
  const broken = profileUid === undefined ? damaged : [];
  if (shown.length === 0 && broken.length === 0) return null;
  return (
    <Section title="Drafts on this computer">
      {shown.length > 0 && <DraftsTable drafts={shown} onDiscard={setLeaving} />}
      {broken.map((draft) => (
        <DamagedDraft key={draft.key} draft={draft} onDiscard={setLeaving} />
      ))}
      <DiscardDraft
        open={leaving !== undefined}
        title={leaving?.title ?? ''}
        onClose={() => setLeaving(undefined)}
        onDiscard={() => leaving?.act()}
      />
    </Section>
  );
}

function DraftsTable({
  drafts,
  onDiscard,
}: {
  drafts: readonly ProfileDraft[];
  onDiscard: (leaving: Leaving) => void;
}) {
  return (
    <Table
      caption="Drafts"
      head={
        <tr>
          <th scope="col">Draft</th>
          <th scope="col">Kind</th>
          <th scope="col" className="n">
            Rules
          </th>
          <th scope="col">Changed</th>
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      }
    >
      {drafts.map((draft) => (
        <tr key={draft.id}>
          <th scope="row">
            <Link to={draftPath(draft.id)}>{nameOf(draft)}</Link>
          </th>
          <td>{kindOf(draft)}</td>
          <td className="n">{draft.rules.length}</td>
          <td className="nowrap num">{formatDateTime(new Date(draft.changedAt).toISOString())}</td>
          <td>
            <div className="actions">
              <ButtonLink
                size="sm"
                to={draftPath(draft.id)}
                aria-label={`Continue ${nameOf(draft)}`}
              >
                Continue
              </ButtonLink>
              <Button
                size="sm"
                aria-label={`Discard ${nameOf(draft)}`}
                onClick={() =>
                  onDiscard({
                    title: `Discard the draft of ${nameOf(draft)}?`,
                    act: () => draftStore.remove(draft.id),
                  })
                }
              >
                Discard
              </Button>
            </div>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function DamagedDraft({
  draft: { key, text },
  onDiscard,
}: {
  draft: Damaged;
  onDiscard: (leaving: Leaving) => void;
}) {
  return (
    <Notice
      tone="warning"
      title="A draft cannot be read"
      actions={
        <>
          <Button
            size="sm"
            onClick={() => saveFile('profile-draft.json', 'application/json', text)}
          >
            Save as a file
          </Button>
          <Button
            size="sm"
            onClick={() =>
              onDiscard({
                title: 'Discard the unreadable draft?',
                act: () => draftStore.removeDamaged(key),
              })
            }
          >
            Discard
          </Button>
        </>
      }
    >
      <p>
        It was written by another version of the studio, or changed by something else.{' '}
        {plural(text.length, 'character')} are stored.
      </p>
    </Notice>
  );
}
