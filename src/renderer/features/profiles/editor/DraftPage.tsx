import { STUDIO_PAGES } from '../../../../shared/contract/page-addresses.ts';
import { useLocation, useParams } from 'react-router';
import { ButtonLink } from '../../../ui/Button.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Page } from '../../../ui/Page.tsx';
import { DraftEditor } from './DraftEditor.tsx';
import { ProfileDraft } from './draft.ts';
import { draftStore } from './use-drafts.ts';
import { t } from '../../../text/t.ts';

/** The draft of this address, where this computer has it. */
export function DraftPage() {
  const { draftId = '' } = useParams();
  const { state } = useLocation();
  const handed = ProfileDraft.safeParse((state as { draft?: unknown } | null)?.draft);
  const draft =
    draftStore.get(draftId) ??
    (handed.success && handed.data.id === draftId ? handed.data : undefined);
  if (draft !== undefined) return <DraftEditor key={draftId} first={draft} />;
  return (
    <Page
      title={t('Draft not found')}
      crumbs={[{ label: t('Profiles'), to: STUDIO_PAGES.profiles }]}
    >
      <Notice
        title={t('This draft is not on this computer')}
        actions={
          <ButtonLink size="sm" to={STUDIO_PAGES.profiles}>
            {t('To the profiles')}
          </ButtonLink>
        }
      >
        <p>
          {t(
            'It was published or discarded, or it was written in another browser: drafts stay where they are written.',
          )}
        </p>
      </Notice>
    </Page>
  );
}
