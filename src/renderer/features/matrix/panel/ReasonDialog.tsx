import { type FormEvent, useId, useState } from 'react';

import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { TextField } from '../../../ui/Field.tsx';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import { t, tAs } from '../../../text/t.ts';

/** Asked once for each change, where the person wants to be asked. */
export function ReasonDialog() {
  const question = useEditorState((state) => state.reason);
  return question === null ? null : (
    <Reason key={question.id} changes={question.changes} answer={question.answer} />
  );
}

function Reason({ changes, answer }: { changes: number; answer: (reason: string | null) => void }) {
  const { store } = useEditor();
  const [text, setText] = useState('');
  const id = useId();
  const finish = (reason: string | null): void => {
    store.setState({ reason: null });
    answer(reason);
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== '') finish(text.trim());
  };
  return (
    <Dialog
      onClose={() => finish(null)}
      title={t(
        '{changes, plural, =1 {Why is a recorded outcome changed?} other {Why are # recorded outcomes changed?}}',
        { changes },
      )}
      footer={
        <>
          <Button onClick={() => finish(null)}>{t('Leave as it is')}</Button>
          <Button variant="primary" type="submit" form={id} disabled={text.trim() === ''}>
            {tAs('verb', 'Change')}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={onSubmit}>
        <TextField
          name="reason"
          label={t('Reason')}
          hint={t('Kept in the history of each cell.')}
          maxLength={1_500}
          value={text}
          onValue={setText}
        />
      </form>
    </Dialog>
  );
}
