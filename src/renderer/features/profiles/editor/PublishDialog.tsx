import { plural } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Facts } from '../../../ui/Page.tsx';
import { changesInWords } from '../compare/changes-in-words.ts';
import type { Distance } from '../next-version.ts';
import { documentOf, type ProfileDraft } from './draft.ts';

interface PublishDialogProps {
  draft: ProfileDraft;
  suggestion: { version: string; distance: Distance } | undefined;
  onClose: () => void;
  onPublish: () => void;
}

export function PublishDialog({ draft, suggestion, onClose, onPublish }: PublishDialogProps) {
  const facts = [
    { name: 'Profile', value: <code>{draft.profileUid}</code> },
    { name: 'Version', value: draft.version },
    { name: 'Rules', value: plural(draft.rules.length, 'rule') },
    {
      name: 'Visible to',
      value: draft.visibility === 'private' ? 'this account alone' : 'every account of this server',
    },
    ...(draft.origin.kind === 'version'
      ? [
          {
            name: `Since ${draft.origin.base.version}`,
            value: changesInWords(draft.origin.base, documentOf(draft)),
          },
        ]
      : []),
  ];
  return (
    <Dialog
      open
      onOpenChange={onClose}
      focus="dialog"
      title={`Publish ${draft.name} ${draft.version}?`}
      description="A published version never changes: cases and runs rely on it. A later correction is a new version."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" onClick={onPublish}>
            Publish
          </Button>
        </>
      }
    >
      <Facts entries={facts} />
      {suggestion?.distance === 'none' && (
        <Notice tone="warning" title="Nothing differs from the version it is based on" />
      )}
      {suggestion?.distance === 'major' && (
        <Notice title="Outcomes of changed rules are not carried forward">
          <p>
            Cases that use an older version keep it until somebody carries their outcomes forward,
            and then changed rules are listed for review.
          </p>
        </Notice>
      )}
    </Dialog>
  );
}
