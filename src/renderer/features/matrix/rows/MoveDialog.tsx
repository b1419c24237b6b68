import { type FormEvent, useId, useMemo, useState } from 'react';
import { formatCount } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { TextField } from '../../../ui/Field.tsx';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import { moveItems, nameItems, selectedItems } from './rows.ts';

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
    if (before === undefined) setError('There is no such item, and it is no row number.');
    else void move(before);
  };
  return (
    <Dialog
      open
      onOpenChange={(next) => {
        if (!next) close();
      }}
      title={`Move ${nameItems(editor, uids)}`}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            onClick={() =>
              void move(session.items.find((item) => !moved.has(item.item_uid))?.item_uid ?? null)
            }
          >
            To the top
          </Button>
          <Button onClick={() => void move(null)}>To the end</Button>
          <Button variant="primary" type="submit" form={id} disabled={text.trim() === ''}>
            Move
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={onSubmit}>
        <TextField
          name="target"
          label="Row number, or ID of the item to stand before"
          mono
          hint={
            `The case has ${formatCount(session.items.length)} rows. ` +
            `The number is the one that ${uids.length === 1 ? 'it' : 'the first of them'} has ` +
            'afterwards.'
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
