import { useState } from 'react';
import { setProfileState } from '../../../shared/contract/v1/housekeeping.ts';
import type { ProfileListEntry } from '../../data/api/library.ts';
import { useMay } from '../../state/use-may.ts';
import { Button } from '../../ui/Button.tsx';
import { ReasonFor } from './ReasonFor.tsx';
import { useStates } from './use-states.ts';
import { t } from '../../text/t.ts';

/** Retires a profile in this account, or offers it again. */
export function ProfileMenu({
  entry,
}: {
  entry: Pick<ProfileListEntry, 'profileUid' | 'name' | 'retired'>;
}) {
  const [isOpen, setOpen] = useState(false);
  const states = useStates();
  const mayRetire = useMay(setProfileState);
  if (!mayRetire) return null;
  const isRetired = entry.retired === true;
  const action = isRetired ? t('Offer again') : t('Retire profile');
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)} aria-label={`${action}: ${entry.name}`}>
        {isRetired ? t('Offer again…') : t('Retire…')}
      </Button>
      {isOpen && (
        <ReasonFor
          title={`${action}: ${entry.name}`}
          description={
            isRetired
              ? t('New cases can choose it again.')
              : t(
                  'New cases are no longer offered it. Cases that use it keep it, and it stays readable.',
                )
          }
          action={action}
          isOptional
          act={(reason) => states.ofProfile(entry, isRetired ? 'active' : 'retired', reason)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
