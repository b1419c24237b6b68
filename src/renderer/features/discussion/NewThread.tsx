import { useState } from 'react';
import { z } from 'zod';
import type { CaseUid } from '../../../shared/contract/ids.ts';
import { assignPlaces, type ThreadInput } from '../../../shared/contract/v1/discussion.ts';
import { ThreadText } from '../../../shared/domain/thread.ts';
import { useForm } from '../../state/form.ts';
import { useMay } from '../../state/use-may.ts';
import type { Person } from '../../state/use-people.ts';
import { t } from '../../text/t.ts';
import { Button } from '../../ui/Button.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { FailureNotice } from '../../ui/Loaded.tsx';
import { Select } from '../../ui/Select.tsx';
import { mentionsIn } from './mentions.ts';
import { PersonSelect } from './PersonSelect.tsx';
import { useDiscussing } from './use-threads.ts';

export type DiscussedPlaces = Readonly<Record<'cell' | 'item' | 'rule', ThreadInput['place']>>;

const TextForm = z.strictObject({ text: ThreadText });

/** Asks, or says, something about a cell, its item or its rule. */
export function NewThread({
  caseUid,
  places,
  people,
  onDone,
}: {
  caseUid: CaseUid;
  places: DiscussedPlaces;
  people: readonly Person[];
  onDone: () => void;
}) {
  const { open } = useDiscussing(caseUid);
  const mayAssign = useMay(assignPlaces);
  const [on, setOn] = useState<keyof DiscussedPlaces>('cell');
  const [kind, setKind] = useState<ThreadInput['kind']>('query');
  const [to, setTo] = useState<NonNullable<ThreadInput['assigned_to']> | null>(null);
  const asked = people.find(({ id }) => id === to);
  const form = useForm({
    initial: { text: '' },
    schema: TextForm,
    toInput: ({ text }) => ({ text: text.trim() }),
    submit: async ({ text }) => {
      const mentions = mentionsIn(text, people) as NonNullable<ThreadInput['mentions']>;
      await open({
        place: places[on],
        kind,
        text,
        ...(mentions.length > 0 && { mentions }),
        ...(kind === 'query' && to !== null && { assigned_to: to }),
      });
      onDone();
    },
  });
  return (
    <form {...form.props} className="form" aria-label={t('Begin a discussion')}>
      <Select
        label={t('About')}
        options={[
          { value: 'cell', label: t('This cell') },
          { value: 'item', label: t('The item') },
          { value: 'rule', label: t('The rule') },
        ]}
        value={on}
        onValue={setOn}
      />
      <Select
        label={t('Kind')}
        options={[
          { value: 'query', label: t('Query, which waits for an answer') },
          { value: 'comment', label: t('Comment') },
        ]}
        value={kind}
        onValue={setKind}
      />
      {kind === 'query' && mayAssign && (
        <PersonSelect
          label={t('Who is to answer')}
          people={people}
          value={asked === undefined ? null : { ...asked, kind: 'human' }}
          onValue={setTo}
        />
      )}
      <TextArea
        name="text"
        label={kind === 'query' ? t('What is asked') : t('Comment')}
        hint={t('@ and a name mentions somebody: it then waits for them.')}
        required
        value={form.values.text}
        onValue={(text) => form.set('text', text)}
        error={form.errors['text']}
      />
      {form.failure !== undefined && <FailureNotice failure={form.failure} />}
      <div className="actions">
        <Button onClick={onDone}>{t('Cancel')}</Button>
        <Button variant="primary" type="submit" busy={form.busy}>
          {kind === 'query' ? t('Ask') : t('Comment')}
        </Button>
      </div>
    </form>
  );
}
