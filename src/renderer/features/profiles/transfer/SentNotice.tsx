import { useNavigate } from 'react-router';
import { Button } from '../../../ui/Button.tsx';
import { FailureNotice } from '../../../ui/Loaded.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { profilePath } from '../versions.ts';
import type { SentProfile } from './use-import.ts';
import { t } from '../../../text/t.ts';

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
        title={t('Already there')}
        actions={
          <Button size="sm" onClick={() => void navigate(profilePath(profileUid, version))}>
            {t('Open it')}
          </Button>
        }
      >
        <p>
          {t('This studio has {profileUid} {version} with the same content. Nothing was added.', {
            profileUid,
            version,
          })}
        </p>
      </Notice>
    );
  return (
    <Notice
      tone="danger"
      live
      title={t('This version is taken')}
      actions={
        <Button size="sm" onClick={() => onEdit(document)}>
          {t('Open in the editor')}
        </Button>
      }
    >
      <p>
        {t(
          "{profileUid} {version} is published here with other content, and a published version never changes. Give the file's content a higher version.",
          { profileUid, version },
        )}
      </p>
    </Notice>
  );
}
