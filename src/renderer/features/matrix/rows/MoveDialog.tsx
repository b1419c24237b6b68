import { type FormEvent, useId, useMemo, useState } from 'react';

import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { TextField } from '../../../ui/Field.tsx';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import { moveItems, selectedItems, itemsAsValues } from './rows.ts';
import { t } from '../../../text/t.ts';

export function MoveDialog() {
  const open = useEditorState((state) => state.dialog === 'items-move');
  return open ? <Move /> : null;
}

/** Where a number or an ID leads: before which row, or to the end (null). Undefined: nowhere. */
export function targetOf(
  text: string,
  items: readonly { item_uid: string }[],
  rowOf: (uid: string) => number,
  moved: ReadonlySet<string>,
): string | null | undefined {
  const plain = text.trim();
  if (rowOf(plain) >= 0) return plain;
  if (!/^[1-9]\d{0,6}$/.test(plain)) return undefined;
  // The item is to have this number afterwards: those that move leave the count.
  const rest = items.filter((item) => !moved.has(item.item_uid));
  return rest[Number(plain) - 1]?.item_uid ?? null;
}

function Move() {
  const editor = useEditor();
  const { session } = editor;
  const [uids] = useState(() => selectedItems(editor));
  const moved = useMemo(() => new Set(uids), [uids]);
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const id = useId();
  const close = (): void => editor.show(null);
  const move = async (before: string | null): Promise<void> => {
    close();
    await moveItems(editor, uids, before);
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    const before = targetOf(text, session.items, session.rowOf, moved);
    if (before === undefined) setError(t('There is no such item, and it is no row number.'));
    else void move(before);
  };
  return (
    <Dialog
      onClose={close}
      title={t(
        '{count, plural, =1 {Move {name}} other {Move # items}}',
        itemsAsValues(editor, uids),
      )}
      footer={
        <>
          <Button onClick={close}>{t('Cancel')}</Button>
          <Button
            onClick={() =>
              void move(session.items.find((item) => !moved.has(item.item_uid))?.item_uid ?? null)
            }
          >
            {t('To the top')}
          </Button>
          <Button onClick={() => void move(null)}>{t('To the end')}</Button>
          <Button variant="primary" type="submit" form={id} disabled={text.trim() === ''}>
            {t('Move')}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={onSubmit}>
        <TextField
          name="target"
          label={t('Row number, or ID of the item to stand before')}
          mono
          hint={
            uids.length === 1
              ? t(
                  'The case has {rows, number} rows. The number is the one that it has afterwards.',
                  {
                    rows: session.items.length,
                  },
                )
              : t(
                  'The case has {rows, number} rows. The number is the one that the first of them has afterwards.',
                  { rows: session.items.length },
                )
          }
          value={text}
          onValue={(next) => {
            setText(next);
            setError(undefined);
          }}
          error={error}
        />
      </form>
    </Dialog>
  );
}
