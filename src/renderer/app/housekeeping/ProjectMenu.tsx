import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import type { RecordState } from '../../../shared/contract/v1/housekeeping.ts';
import { type Project, upsertProject } from '../../../shared/contract/v1/projects.ts';
import { useMay } from '../../state/use-may.ts';
import { useStillHere } from '../../state/use-still-here.ts';
import { Menu, MenuAction } from '../../ui/Menu.tsx';
import { RenameProject } from './RenameDialog.tsx';
import { StateActions, StateDialog, type StateWords } from './StateDialog.tsx';
import { useStates } from './use-states.ts';
import { t } from '../../text/t.ts';

const WORDS: StateWords = {
  archived: {
    action: t('Archive project'),
    title: (name: string) => t('Archive project {name}', { name }),
    description: t(
      'Lists leave it out with its cases. Everything can be read and recorded as before.',
    ),
  },
  deleted: {
    action: t('Delete project'),
    title: (name: string) => t('Delete project {name}', { name }),
    description: t('It is hidden with its cases, and can be restored whole. Its runs stay.'),
  },
  active: {
    action: t('Restore project'),
    title: (name: string) => t('Restore project {name}', { name }),
    description: t('It comes back with its cases.'),
  },
};

/** What can be done with a project as a whole. */
export function ProjectMenu({
  project,
  state,
  onDeleted,
}: {
  project: Project;
  state: RecordState;
  /** The page that shows it has nothing left to show. */
  onDeleted?: () => void;
}) {
  const [open, setOpen] = useState<'rename' | RecordState | null>(null);
  const states = useStates();
  const begin = useStillHere();
  const mayWrite = useMay(upsertProject);
  if (!mayWrite) return null;
  const close = () => setOpen(null);
  return (
    <>
      <Menu
        label={t('More for {name}', { name: project.name })}
        trigger={<Ellipsis size={16} aria-hidden="true" />}
      >
        {state !== 'deleted' && (
          <MenuAction label={t('Rename…')} onSelect={() => setOpen('rename')} />
        )}
        <StateActions state={state} onChoose={setOpen} />
      </Menu>
      {open === 'rename' && <RenameProject project={project} onClose={close} />}
      {open !== null && open !== 'rename' && (
        <StateDialog
          words={WORDS}
          name={project.name}
          to={open}
          act={async (reason) => {
            const isHere = begin();
            await states.ofProject(project, state, open, reason);
            if (open === 'deleted' && isHere()) onDeleted?.();
          }}
          onClose={close}
        />
      )}
    </>
  );
}
