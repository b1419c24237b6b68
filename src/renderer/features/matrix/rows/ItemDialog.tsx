import { type FormEvent, useId, useState } from 'react';
import type { ItemEdit } from '../../../data/store/port.ts';

import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import { AddItem } from './AddItem.tsx';
import { EditItem } from './EditItem.tsx';
import { placeMessage } from './item-form.tsx';
import { applyRows, selectedItems, itemsAsValues } from './rows.ts';
import { TypeField } from './TypeField.tsx';
import { t } from '../../../text/t.ts';

/** The form of an item: a new one, the selected one, or the type of several. */
export function ItemDialog() {
  const editor = useEditor();
  const dialog = useEditorState((state) => state.dialog);
  if (dialog === 'item-add') return <AddItem />;
  if (dialog !== 'item-edit') return null;
  const uids = selectedItems(editor);
  const [uid] = uids;
  if (uid === undefined) return null;
  return uids.length === 1 ? <EditItem uid={uid} /> : <EditItems uids={uids} />;
}

function EditItems({ uids }: { uids: readonly string[] }) {
  const editor = useEditor();
  const [types] = useState(
    () =>
      new Set(uids.map((uid) => editor.session.items[editor.session.rowOf(uid)]?.item_type ?? '')),
  );
  const [type, setType] = useState(types.size === 1 ? ([...types][0] ?? '') : '');
  const [error, setError] = useState<string>();
  const id = useId();
  const close = (): void => editor.show(null);
  const onSubmit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const items = uids.map((item_uid): ItemEdit => ({ do: 'set', item_uid, item_type: type }));
    const [refused] = editor.session.check(items.slice(0, 1));
    if (refused !== undefined) setError(placeMessage(refused.message).message);
    else if (
      await applyRows(
        editor,
        {
          label: t(
            '{count, plural, =1 {Set the type of {name}} other {Set the type of # items}}',
            itemsAsValues(editor, uids),
          ),
          items,
        },
        t('{items, plural, one {# item} other {# items}}: type {type}', {
          items: uids.length,
          type,
        }),
      )
    )
      close();
  };
  return (
    <Dialog
      onClose={close}
      title={t(
        '{count, plural, =1 {Edit {name}} other {Edit # items}}',
        itemsAsValues(editor, uids),
      )}
      description={
        types.size === 1
          ? t('One type for all of them. Labels and fields are edited item by item.')
          : t('They have {types, number} types now. Labels and fields are edited item by item.', {
              types: types.size,
            })
      }
      footer={
        <>
          <Button onClick={close}>{t('Cancel')}</Button>
          <Button variant="primary" type="submit" form={id} disabled={type.trim() === ''}>
            {t('Set the type')}
          </Button>
        </>
      }
    >
      <form id={id} className="form" noValidate onSubmit={(event) => void onSubmit(event)}>
        <TypeField
          value={type}
          onValue={(next) => {
            setType(next);
            setError(undefined);
          }}
          error={error}
        />
      </form>
    </Dialog>
  );
}
