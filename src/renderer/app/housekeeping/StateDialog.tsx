import { useState } from 'react';
import type { RecordState } from '../../../shared/contract/v1/housekeeping.ts';
import { MenuAction } from '../../ui/Menu.tsx';
import { ReasonFor } from './ReasonFor.tsx';
import { t } from '../../text/t.ts';

/** What bringing a record into a state is called, and what it does. */
export type StateWords = Readonly<
  Record<RecordState, { action: string; title: (name: string) => string; description: string }>
>;

/** The entries of a menu that bring a record into another state. */
export function StateActions({
  state,
  onChoose,
}: {
  state: RecordState;
  onChoose: (state: RecordState) => void;
}) {
  return (
    <>
      {state === 'active' && (
        <MenuAction label={t('Archive…')} onSelect={() => onChoose('archived')} />
      )}
      {state !== 'active' && (
        <MenuAction
          label={state === 'archived' ? t('Unarchive…') : t('Restore…')}
          onSelect={() => onChoose('active')}
        />
      )}
      {state !== 'deleted' && (
        <MenuAction label={t('Delete…')} onSelect={() => onChoose('deleted')} />
      )}
    </>
  );
}

/**
 * Asks why a record is to come into a state, and brings it there: the record as it was shown when
 * this was opened.
 */
export function StateDialog({
  words,
  name,
  to,
  act,
  onClose,
}: {
  words: StateWords;
  name: string;
  to: RecordState;
  act: (reason: string | undefined) => Promise<unknown>;
  onClose: () => void;
}) {
  const { title, description, action } = words[to];
  const [asked] = useState({ name, act });
  return (
    <ReasonFor
      title={title(asked.name)}
      description={description}
      action={action}
      isOptional={to !== 'deleted'}
      tone={to === 'deleted' ? 'danger' : 'primary'}
      act={asked.act}
      onClose={onClose}
    />
  );
}
