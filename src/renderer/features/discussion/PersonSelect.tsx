import type { Participant, ThreadReply } from '../../../shared/contract/v1/discussion.ts';
import type { Person } from '../../state/use-people.ts';
import { t } from '../../text/t.ts';
import { Select } from '../../ui/Select.tsx';
import { nameOf } from './words.ts';

type Whom = Extract<ThreadReply, { does: 'assign' }>['to'];
const NOBODY = '-';

/** One of the people and agents, or nobody; also somebody whom this account does not know. */
export function PersonSelect({
  label,
  people,
  value,
  onValue,
}: {
  label: string;
  people: readonly Person[];
  value: Participant | null;
  onValue: (to: Whom) => void;
}) {
  const isKnown = value === null || people.some(({ id }) => id === value.id);
  return (
    <Select
      label={label}
      options={[
        { value: NOBODY, label: t('Nobody in particular') },
        ...people.map(({ id, name }) => ({ value: id, label: name })),
        ...(isKnown ? [] : [{ value: value.id, label: nameOf(value) }]),
      ]}
      value={value?.id ?? NOBODY}
      onValue={(id) => {
        if (id !== (value?.id ?? NOBODY)) onValue(id === NOBODY ? null : (id as Whom));
      }}
    />
  );
}
