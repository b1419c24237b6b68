import type { ProfileUid } from '../../../shared/contract/ids.ts';
import { useState } from 'react';
import { Link } from 'react-router';
import { formatDateTime } from '../../state/format.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Page.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Table } from '../../ui/Table.tsx';
import { DiscardDraft } from './editor/DiscardDraft.tsx';
import type { ProfileDraft } from './editor/draft.ts';
import type { Damaged } from './editor/draft-store.ts';
import { draftPath, draftStore, useDrafts } from './editor/use-drafts.ts';
import { t } from '../../text/t.ts';

const nameOf = (draft: ProfileDraft): string =>
  draft.name.trim() === '' ? t('Profile without a name') : draft.name;

function kindOf({ origin }: ProfileDraft): string {
  if (origin.kind === 'version') return t('next after {version}', { version: origin.base.version });
  if (origin.kind === 'copy')
    return t('copy of {uid} {version}', { uid: origin.uid, version: origin.version });
  return origin.kind === 'file' ? t('from {file}', { file: origin.file }) : t('new');
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
    <Section title={t('Drafts on this computer')}>
      {shown.length > 0 && <DraftsTable drafts={shown} onDiscard={setLeaving} />}
      {broken.map((draft) => (
        <DamagedDraft key={draft.key} draft={draft} onDiscard={setLeaving} />
      ))}
      {leaving !== undefined && (
        <DiscardDraft
          title={leaving.title}
          onClose={() => setLeaving(undefined)}
          onDiscard={leaving.act}
        />
      )}
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
      caption={t('Drafts')}
      head={
        <tr>
          <th scope="col">{t('Draft')}</th>
          <th scope="col">{t('Kind')}</th>
          <th scope="col" className="n">
            {t('Rules')}
          </th>
          <th scope="col">{t('Changed')}</th>
          <th scope="col">
            <span className="visually-hidden">{t('Actions')}</span>
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
                aria-label={t('Continue {draft}', { draft: nameOf(draft) })}
              >
                {t('Continue')}
              </ButtonLink>
              <Button
                size="sm"
                aria-label={t('Discard {draft}', { draft: nameOf(draft) })}
                onClick={() =>
                  onDiscard({
                    title: t('Discard the draft of {draft}?', { draft: nameOf(draft) }),
                    act: () => draftStore.remove(draft.id),
                  })
                }
              >
                {t('Discard')}
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
      title={t('A draft cannot be read')}
      actions={
        <>
          <Button
            size="sm"
            onClick={() => saveFile('profile-draft.json', 'application/json', text)}
          >
            {t('Save as a file')}
          </Button>
          <Button
            size="sm"
            onClick={() =>
              onDiscard({
                title: t('Discard the unreadable draft?'),
                act: () => draftStore.removeDamaged(key),
              })
            }
          >
            {t('Discard')}
          </Button>
        </>
      }
    >
      <p>
        {t(
          'It was written by another version of the studio, or changed by something else. {characters, plural, one {# character is} other {# characters are}} stored.',
          { characters: text.length },
        )}
      </p>
    </Notice>
  );
}
