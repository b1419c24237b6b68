import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { type Case, upsertCase } from '../../../shared/contract/v1/cases.ts';
import type { RecordState } from '../../../shared/contract/v1/housekeeping.ts';
import { useMay } from '../../state/use-may.ts';
import { Menu, MenuAction } from '../../ui/Menu.tsx';
import { DuplicateDialog } from './DuplicateDialog.tsx';
import { ReasonFor } from './ReasonFor.tsx';
import { RenameCase } from './RenameDialog.tsx';
import { useStates } from './use-states.ts';

type Open = 'rename' | 'duplicate' | RecordState | null;

const WORDS = {
  archived: {
    action: 'Archive case',
    description: 'Lists leave it out. It can be read and recorded in as before.',
  },
  deleted: {
    action: 'Delete case',
    description:
      'It is hidden with all that stands in it, and can be restored whole. Its runs stay.',
  },
  active: { action: 'Restore case', description: 'It comes back with all that stands in it.' },
} as const;

/** What can be done with a case as a whole. */
export function CaseMenu({
  entry,
  state,
  onDeleted,
}: {
  entry: Pick<Case, 'case_uid' | 'title' | 'project_id' | 'version' | 'profile_uid'>;
  state: RecordState;
  /** The page that shows it has nothing left to show. */
  onDeleted?: () => void;
}) {
  const [open, setOpen] = useState<Open>(null);
  const states = useStates();
  const mayWrite = useMay(upsertCase);
  if (!mayWrite) return null;
  const close = () => setOpen(null);
  return (
    <>
      <Menu label={`More for ${entry.title}`} trigger={<Ellipsis size={16} aria-hidden="true" />}>
        {state !== 'deleted' && (
          <>
            <MenuAction label="Rename…" onSelect={() => setOpen('rename')} />
            <MenuAction label="Duplicate…" onSelect={() => setOpen('duplicate')} />
          </>
        )}
        {state === 'active' && <MenuAction label="Archive…" onSelect={() => setOpen('archived')} />}
        {state !== 'active' && (
          <MenuAction
            label={state === 'archived' ? 'Unarchive…' : 'Restore…'}
            onSelect={() => setOpen('active')}
          />
        )}
        {state !== 'deleted' && <MenuAction label="Delete…" onSelect={() => setOpen('deleted')} />}
      </Menu>
      {open === 'rename' && <RenameCase entry={entry} onClose={close} />}
      {open === 'duplicate' && <DuplicateDialog entry={entry} onClose={close} />}
      {(open === 'active' || open === 'archived' || open === 'deleted') && (
        <ReasonFor
          title={`${WORDS[open].action} ${entry.title}`}
          description={WORDS[open].description}
          action={WORDS[open].action}
          isOptional={open !== 'deleted'}
          tone={open === 'deleted' ? 'danger' : 'primary'}
          act={async (reason) => {
            await states.ofCase(entry, state, open, reason);
            if (open === 'deleted') onDeleted?.();
          }}
          onClose={close}
        />
      )}
    </>
  );
}
