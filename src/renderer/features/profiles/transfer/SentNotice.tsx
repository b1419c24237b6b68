import { useNavigate } from 'react-router';
import { Button } from '../../../ui/Button.tsx';
import { FailureNotice } from '../../../ui/Loaded.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { profilePath } from '../versions.ts';
import type { SentProfile } from './use-import.ts';

/** Why a profile that was sent has not been added. */
export function SentNotice({
  sent,
  onEdit,
}: {
  sent: SentProfile;
  onEdit: (content: unknown) => void;
}) {
  const navigate = useNavigate();
  if (sent.kind === 'failed') return <FailureNotice failure={sent.failure} />;
  const { document } = sent;
  const { profileUid, version } = document;
  if (sent.kind === 'there')
    return (
      <Notice
        live
        title="Already there"
        actions={
          <Button size="sm" onClick={() => void navigate(profilePath(profileUid, version))}>
            Open it
          </Button>
        }
      >
        <p>
          This studio has {profileUid} {version} with the same content. Nothing was added.
        </p>
      </Notice>
    );
  return (
    <Notice
      tone="danger"
      live
      title="This version is taken"
      actions={
        <Button size="sm" onClick={() => onEdit(document)}>
          Open in the editor
        </Button>
      }
    >
      <p>
        {profileUid} {version} is published here with other content, and a published version never
        changes. Give the file&apos;s content a higher version.
      </p>
    </Notice>
  );
}
