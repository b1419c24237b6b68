import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Facts } from '../../../ui/Page.tsx';
import { changesInWords } from '../compare/changes-in-words.ts';
import type { Distance } from '../next-version.ts';
import { documentOf, type ProfileDraft } from './draft.ts';
import { t } from '../../../text/t.ts';

interface PublishDialogProps {
  draft: ProfileDraft;
  suggestion: { version: string; distance: Distance } | undefined;
  onClose: () => void;
  onPublish: () => void;
}

export function PublishDialog({ draft, suggestion, onClose, onPublish }: PublishDialogProps) {
  const facts = [
    { name: t('Profile'), value: <code>{draft.profileUid}</code> },
    { name: t('Version'), value: draft.version },
    {
      name: t('Rules'),
      value: t('{rules, plural, one {# rule} other {# rules}}', { rules: draft.rules.length }),
    },
    {
      name: t('Visible to'),
      value:
        draft.visibility === 'private'
          ? t('this account alone')
          : t('every account of this server'),
    },
    ...(draft.origin.kind === 'version'
      ? [
          {
            name: t('Since {version}', { version: draft.origin.base.version }),
            value: changesInWords(draft.origin.base, documentOf(draft)),
          },
        ]
      : []),
  ];
  return (
    <Dialog
      onClose={onClose}
      focus="dialog"
      title={t('Publish {name} {version}?', { name: draft.name, version: draft.version })}
      description={t(
        'A published version never changes: cases and runs rely on it. A later correction is a new version.',
      )}
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button variant="primary" onClick={onPublish}>
            {t('Publish')}
          </Button>
        </>
      }
    >
      <Facts entries={facts} />
      {suggestion?.distance === 'none' && (
        <Notice tone="warning" title={t('Nothing differs from the version it is based on')} />
      )}
      {suggestion?.distance === 'major' && (
        <Notice title={t('Outcomes of changed rules are not carried forward')}>
          <p>
            {t(
              'Cases that use an older version keep it until somebody carries their outcomes forward, and then changed rules are listed for review.',
            )}
          </p>
        </Notice>
      )}
    </Dialog>
  );
}
