import { type FormEvent, useId, useState } from 'react';
import { spreadsheetDamage } from '../../../../shared/domain/spreadsheet-damage.ts';
import type { ItemEdit } from '../../../data/store/port.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { CheckField, TextField } from '../../../ui/Field.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { useEditor } from '../editor/use-editor.ts';
import { FormError, MetadataFields, NamingFields, useItemForm } from './item-form.tsx';
import { PlaceChoice } from './PlaceChoice.tsx';
import { applyRows, firstSelected, type InsertPlace } from './rows.ts';
import { useWayToItem } from './use-way-to-item.ts';
import { t } from '../../../text/t.ts';

/** What an item is that nobody has given a type. */
const NEW_TYPE = 'item';

/** What is typed of a new item, and adding it. */
function useNewItem() {
  const editor = useEditor();
  const [before] = useState(() => firstSelected(editor));
  const [place, setPlace] = useState<InsertPlace>(before === undefined ? 'end' : 'before');
  const [uid, setUid] = useState('');
  const [accepted, setAccepted] = useState(false);
  const [added, setAdded] = useState<string>();
  const form = useItemForm({ label: '', item_type: NEW_TYPE, members: [] });
  const plain = uid.trim().normalize('NFC');
  const damage = spreadsheetDamage(plain);
  const editOf = (metadata: Record<string, unknown>): ItemEdit => {
    const { label, item_type } = form.fields;
    // What is not given stays as it was where a removed item comes back.
    return {
      do: 'add',
      item_uid: plain,
      ...(label.trim() !== '' && { label: label.trim() }),
      ...(item_type !== NEW_TYPE && { item_type }),
      ...(Object.keys(metadata).length > 0 && { metadata }),
      ...(place === 'before' && before !== undefined && { before }),
    };
  };
  return {
    form,
    uid,
    plain,
    place: { before, place, onPlace: setPlace },
    damage,
    accepted,
    setAccepted,
    added,
    type: (next: string): void => {
      setUid(next);
      setAccepted(false);
      form.clear();
    },
    /** False where it was not added, which is shown. */
    add: async (): Promise<boolean> => {
      if (damage !== null && !accepted) return false;
      const name = form.fields.label.trim() || plain;
      const edit = form.read(editOf);
      if (edit === undefined) return false;
      if (
        !(await applyRows(
          editor,
          { label: t('Add {name}', { name }), items: [edit] },
          t('{name} added', { name }),
        ))
      )
        return false;
      setAdded(name);
      // What was typed of the next one while this was being stored stays.
      setUid((now) => (now === uid ? '' : now));
      form.set(({ label }) => (label === form.fields.label ? { label: '' } : {}));
      return true;
    },
  };
}

/** What is worth knowing of the ID that is typed. */
function IdNotices({ item }: { item: ReturnType<typeof useNewItem> }) {
  const { session } = useEditor();
  const [removed] = useState(() => new Set(session.removedItems().map(({ item_uid }) => item_uid)));
  return (
    <>
      {item.damage !== null && (
        <Notice tone="warning" live title={t('Is this the ID?')}>
          <p>{item.damage}</p>
          <CheckField
            label={t('Add it as it is')}
            checked={item.accepted}
            onChecked={item.setAccepted}
          />
        </Notice>
      )}
      {removed.has(item.plain) && (
        <Notice live title={t('This item was removed before')}>
          <p>
            {t(
              'It comes back with its cells and history. What you leave empty here stays as it was.',
            )}
          </p>
        </Notice>
      )}
    </>
  );
}

export function AddItem() {
  const editor = useEditor();
  const item = useNewItem();
  const { form, plain, added } = item;
  const id = useId();
  const way = useWayToItem();
  const close = (): void => editor.show(null);
  const add = async (another: boolean): Promise<void> => {
    if (!(await item.add())) return;
    if (another) document.getElementById(id)?.querySelector('input')?.focus();
    else {
      way.setItem(plain);
      close();
    }
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void add(false);
  };
  return (
    <Dialog
      onClose={close}
      returnFocus={way.returnFocus}
      title={t('Add an item')}
      footer={
        <>
          <Button onClick={close}>{added === undefined ? t('Cancel') : t('Done')}</Button>
          <Button onClick={() => void add(true)} disabled={plain === ''}>
            {t('Add another')}
          </Button>
          <Button variant="primary" type="submit" form={id} disabled={plain === ''}>
            {t('Add')}
          </Button>
        </>
      }
    >
      <form id={id} className="form" noValidate onSubmit={onSubmit}>
        <TextField
          name="item_uid"
          label={t('ID')}
          mono
          hint={t('Identifies the item: it cannot be changed later.')}
          value={item.uid}
          onValue={item.type}
          error={form.errorOf('item_uid')}
        />
        <IdNotices item={item} />
        <NamingFields form={form} />
        <PlaceChoice {...item.place} />
        <MetadataFields form={form} />
        <FormError message={form.errorOf('form')} />
        {added !== undefined && (
          <p className="muted small" role="status">
            {t('{name} was added.', { name: added })}
          </p>
        )}
      </form>
    </Dialog>
  );
}
