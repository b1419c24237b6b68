import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import type { RecordState } from '../../../shared/contract/v1/housekeeping.ts';
import { type Project, upsertProject } from '../../../shared/contract/v1/projects.ts';
import { useMay } from '../../state/use-may.ts';
import { Menu, MenuAction } from '../../ui/Menu.tsx';
import { ReasonFor } from './ReasonFor.tsx';
import { RenameProject } from './RenameDialog.tsx';
import { useStates } from './use-states.ts';

const WORDS = {
  archived: {
    action: 'Archive project',
    description:
      'Lists leave it out with its cases. Everything can be read and recorded as before.',
  },
  deleted: {
    action: 'Delete project',
    description: 'It is hidden with its cases, and can be restored whole. Its runs stay.',
  },
  active: { action: 'Restore project', description: 'It comes back with its cases.' },
} as const;

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
  const mayWrite = useMay(upsertProject);
  if (!mayWrite) return null;
  const close = () => setOpen(null);
  return (
    <>
      <Menu label={`More for ${project.name}`} trigger={<Ellipsis size={16} aria-hidden="true" />}>
        {state !== 'deleted' && <MenuAction label="Rename…" onSelect={() => setOpen('rename')} />}
        {state === 'active' && <MenuAction label="Archive…" onSelect={() => setOpen('archived')} />}
        {state !== 'active' && (
          <MenuAction
            label={state === 'archived' ? 'Unarchive…' : 'Restore…'}
            onSelect={() => setOpen('active')}
          />
        )}
        {state !== 'deleted' && <MenuAction label="Delete…" onSelect={() => setOpen('deleted')} />}
      </Menu>
      {open === 'rename' && <RenameProject project={project} onClose={close} />}
      {open !== null && open !== 'rename' && (
        <ReasonFor
          title={`${WORDS[open].action} ${project.name}`}
          description={WORDS[open].description}
          action={WORDS[open].action}
          isOptional={open !== 'deleted'}
          tone={open === 'deleted' ? 'danger' : 'primary'}
          act={async (reason) => {
            await states.ofProject(project, state, open, reason);
            if (open === 'deleted') onDeleted?.();
          }}
          onClose={close}
        />
      )}
    </>
  );
}
