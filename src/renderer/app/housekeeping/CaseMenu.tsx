import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { type Case, upsertCase } from '../../../shared/contract/v1/cases.ts';
import type { RecordState } from '../../../shared/contract/v1/housekeeping.ts';
import { useMay } from '../../state/use-may.ts';
import { useStillHere } from '../../state/use-still-here.ts';
import { Menu, MenuAction } from '../../ui/Menu.tsx';
import { DuplicateDialog } from './DuplicateDialog.tsx';
import { RenameCase } from './RenameDialog.tsx';
import { StateActions, StateDialog, type StateWords } from './StateDialog.tsx';
import { useStates } from './use-states.ts';
import { t } from '../../text/t.ts';

type Open = 'rename' | 'duplicate' | RecordState | null;

const WORDS: StateWords = {
  archived: {
    action: t('Archive case'),
    title: (title: string) => t('Archive case {title}', { title }),
    description: t('Lists leave it out. It can be read and recorded in as before.'),
  },
  deleted: {
    action: t('Delete case'),
    title: (title: string) => t('Delete case {title}', { title }),
    description: t(
      'It is hidden with all that stands in it, and can be restored whole. Its runs stay.',
    ),
  },
  active: {
    action: t('Restore case'),
    title: (title: string) => t('Restore case {title}', { title }),
    description: t('It comes back with all that stands in it.'),
  },
};

/** What can be done with a case as a whole. */
export function CaseMenu({
  entry,
  state,
  rounds,
  onDeleted,
}: {
  entry: Pick<Case, 'case_uid' | 'title' | 'project_id' | 'version' | 'profile_uid'>;
  state: RecordState;
  /** Where its independent recordings are. */
  rounds?: string | undefined;
  /** The page that shows it has nothing left to show. */
  onDeleted?: () => void;
}) {
  const [open, setOpen] = useState<Open>(null);
  const navigate = useNavigate();
  const states = useStates();
  const begin = useStillHere();
  const mayWrite = useMay(upsertCase);
  if (!mayWrite) return null;
  const close = () => setOpen(null);
  return (
    <>
      <Menu
        label={t('More for {title}', { title: entry.title })}
        trigger={<Ellipsis size={16} aria-hidden="true" />}
      >
        {rounds !== undefined && (
          <MenuAction label={t('Independent recording…')} onSelect={() => void navigate(rounds)} />
        )}
        {state !== 'deleted' && (
          <>
            <MenuAction label={t('Rename…')} onSelect={() => setOpen('rename')} />
            <MenuAction label={t('Duplicate…')} onSelect={() => setOpen('duplicate')} />
          </>
        )}
        <StateActions state={state} onChoose={setOpen} />
      </Menu>
      {open === 'rename' && <RenameCase entry={entry} onClose={close} />}
      {open === 'duplicate' && <DuplicateDialog entry={entry} onClose={close} />}
      {(open === 'active' || open === 'archived' || open === 'deleted') && (
        <StateDialog
          words={WORDS}
          name={entry.title}
          to={open}
          act={async (reason) => {
            const isHere = begin();
            await states.ofCase(entry, state, open, reason);
            if (open === 'deleted' && isHere()) onDeleted?.();
          }}
          onClose={close}
        />
      )}
    </>
  );
}
