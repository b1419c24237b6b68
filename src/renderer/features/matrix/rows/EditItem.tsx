import { type FormEvent, useId, useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { useEditor } from '../editor/use-editor.ts';
import { itemName } from '../model/names.ts';
import { FormError, MetadataFields, NamingFields, useItemForm } from './item-form.tsx';
import { membersOf, withChanges } from './metadata.ts';
import { applyRows } from './rows.ts';
import { t } from '../../../text/t.ts';

export function EditItem({ uid }: { uid: string }) {
  const editor = useEditor();
  const [item] = useState(() => editor.session.items[editor.session.rowOf(uid)]);
  const form = useItemForm({
    label: item?.label ?? '',
    item_type: item?.item_type ?? '',
    members: membersOf(item?.metadata ?? {}),
  });
  const id = useId();
  const close = (): void => editor.show(null);
  const onSubmit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const { label, item_type } = form.fields;
    const name = itemName(editor.session, uid);
    const now = editor.session.items[editor.session.rowOf(uid)]?.metadata ?? {};
    const edit = form.read((edited) => {
      const metadata = withChanges(now, item?.metadata ?? {}, edited);
      return {
        do: 'set',
        item_uid: uid,
        ...(label !== item?.label && { label: label.trim() }),
        ...(item_type !== item?.item_type && { item_type }),
        ...(metadata !== undefined && { metadata }),
      };
    });
    if (
      edit !== undefined &&
      (await applyRows(
        editor,
        { label: t('Edit {name}', { name }), items: [edit] },
        t('{name} changed', { name }),
      ))
    )
      close();
  };
  return (
    <Dialog
      onClose={close}
      title={t('Edit the item')}
      footer={
        <>
          <Button onClick={close}>{t('Cancel')}</Button>
          <Button variant="primary" type="submit" form={id}>
            {t('Save')}
          </Button>
        </>
      }
    >
      <form id={id} className="form" noValidate onSubmit={(event) => void onSubmit(event)}>
        <div className="field">
          <span className="field-label">{t('ID')}</span>
          <p className="mx-uid mx-fixed-uid">{uid}</p>
          <p className="field-hint">
            {t(
              'Cannot be changed: history, runs and agents know the item by it. For another ID, add a new item.',
            )}
          </p>
        </div>
        <NamingFields form={form} />
        <MetadataFields form={form} />
        <FormError message={form.errorOf('form') ?? form.errorOf('item_uid')} />
      </form>
    </Dialog>
  );
}
