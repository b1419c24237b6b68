import { Button } from '../../../ui/Button.tsx';
import { FailureNotice } from '../../../ui/Loaded.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { documentOf, type ProfileDraft } from './draft.ts';
import type { usePublish } from './use-publish.ts';
import { t } from '../../../text/t.ts';

/** What stands in the way of the draft: a role, the storage, or the server. */
export function DraftNotices({
  draft,
  mayPublish,
  kept,
  publish,
}: {
  draft: ProfileDraft;
  mayPublish: boolean;
  kept: boolean;
  publish: ReturnType<typeof usePublish>;
}) {
  return (
    <>
      {!mayPublish && (
        <Notice
          title={t(
            'You are a viewer here: the draft stays on this computer, and cannot be published',
          )}
        />
      )}
      {!kept && <Unkept draft={draft} />}
      {publish.state.kind === 'waiting' && (
        <Notice
          tone="warning"
          live
          title={t('Publishing waits for the server')}
          actions={
            <>
              <Button size="sm" onClick={publish.retry}>
                {t('Try again')}
              </Button>
              <Button size="sm" onClick={publish.stop}>
                {t('Do not publish')}
              </Button>
            </>
          }
        >
          <p>
            {t(
              'The server cannot be reached. The draft is stored on this computer; it is published when the server answers again, as long as this page is open and the draft is not changed.',
            )}
          </p>
        </Notice>
      )}
      {publish.state.kind === 'failed' && <FailureNotice failure={publish.state.failure} />}
    </>
  );
}

function Unkept({ draft }: { draft: ProfileDraft }) {
  const save = (): void =>
    saveFile(
      `${draft.profileUid === '' ? 'profile' : draft.profileUid}_draft.json`,
      'application/json',
      JSON.stringify(documentOf(draft), null, 2),
    );
  return (
    <Notice
      tone="danger"
      live
      title={t('The draft cannot be stored on this computer')}
      actions={
        <Button size="sm" onClick={save}>
          {t('Save as a file')}
        </Button>
      }
    >
      <p>
        {t(
          "The browser's storage is full or switched off. Publish before you leave this page, or save the draft as a file and import it later.",
        )}
      </p>
    </Notice>
  );
}
