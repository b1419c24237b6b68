import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { setRunState } from '../../../shared/contract/v1/housekeeping.ts';
import type { RunEntry } from '../../../shared/contract/v1/runs.ts';
import { useMay } from '../../state/use-may.ts';
import { Menu, MenuAction } from '../../ui/Menu.tsx';
import { ReasonFor } from './ReasonFor.tsx';
import { useStates } from './use-states.ts';
import { t } from '../../text/t.ts';

/** A run is hidden from lists or shown again, and never changed. */
export function RunMenu({ run }: { run: Pick<RunEntry, 'run_uid' | 'hidden'> }) {
  const [isOpen, setOpen] = useState(false);
  const states = useStates();
  const mayHide = useMay(setRunState);
  if (!mayHide) return null;
  const isHidden = run.hidden === true;
  const action = isHidden ? t('Show run') : t('Hide run');
  return (
    <>
      <Menu
        label={t('More for the run {runUid}', { runUid: run.run_uid })}
        trigger={<Ellipsis size={16} aria-hidden="true" />}
      >
        <MenuAction
          label={isHidden ? t('Show again…') : t('Hide…')}
          onSelect={() => setOpen(true)}
        />
      </Menu>
      {isOpen && (
        <ReasonFor
          title={
            isHidden
              ? t('Show run {runUid}', { runUid: run.run_uid })
              : t('Hide run {runUid}', { runUid: run.run_uid })
          }
          description={
            isHidden
              ? t('Lists show it again.')
              : t('Lists leave it out. It stays as it was frozen, and opens by its address.')
          }
          action={action}
          isOptional={isHidden}
          act={(reason) => states.ofRun(run.run_uid, isHidden ? 'shown' : 'hidden', reason)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
