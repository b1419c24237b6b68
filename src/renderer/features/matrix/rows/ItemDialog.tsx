import { itemName } from '../model/names.ts';
import { type FormEvent, useId, useState } from 'react';
import type { ItemEdit } from '../../../data/store/port.ts';
import { formatCount, plural } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { CheckField, TextField } from '../../../ui/Field.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { spreadsheetDamage } from '../../../../shared/domain/spreadsheet-damage.ts';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import { type Member, membersOf, readMembers } from './metadata.ts';
import { MetadataEditor } from './MetadataEditor.tsx';
import { PlaceChoice } from './PlaceChoice.tsx';
import {
  applyRows,
  firstSelected,
  goToItem,
  nameItems,
  type Place,
  selectedItems,
} from './rows.ts';
import { TypeField } from './TypeField.tsx';

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

const NO_PROBLEMS: ReadonlyMap<number, string> = new Map();

/** What `check` says of one edit, on the field that it names. */
function placeMessage(message: string): {
  field: 'item_uid' | 'label' | 'item_type' | 'form';
  message: string;
} {
  if (message.startsWith('Label: ')) return { field: 'label', message: message.slice(7) };
  if (message.startsWith('Type: ')) return { field: 'item_type', message: message.slice(6) };
  if (message.startsWith('Metadata: '))
    return { field: 'form', message: `Fields: ${message.slice(10)}` };
  return { field: 'item_uid', message };
}

interface Fields {
  label: string;
  item_type: string;
  members: readonly Member[];
}

function useItemForm(initial: Fields) {
  const { session } = useEditor();
  const [fields, setFields] = useState(initial);
  const [problem, setProblem] = useState<{
    field: string;
    message: string;
    members: ReadonlyMap<number, string>;
  }>();
  return {
    fields,
    set: (change: Partial<Fields>) => {
      setFields({ ...fields, ...change });
      setProblem(undefined);
    },
    errorOf: (field: string) => (problem?.field === field ? problem.message : undefined),
    members: problem?.members ?? NO_PROBLEMS,
    clear: () => setProblem(undefined),
    /** The edit if nothing speaks against it. */
    read: (edit: (metadata: Record<string, unknown>) => ItemEdit): ItemEdit | undefined => {
      const metadata = readMembers(fields.members);
      if (!metadata.ok) {
        setProblem({ field: 'form', message: metadata.message, members: metadata.problems });
        return undefined;
      }
      const read = edit(metadata.metadata);
      const [refused] = session.check([read]);
      if (refused === undefined) return read;
      setProblem({ ...placeMessage(refused.message), members: NO_PROBLEMS });
      return undefined;
    },
  };
}

function FormError({ message }: { message: string | undefined }) {
  return message === undefined ? null : (
    <p className="field-error" role="alert">
      {message}
    </p>
  );
}

/** What an item is that nobody has given a type. */
const NEW_TYPE = 'item';

function AddItem() {
  const editor = useEditor();
  const [before] = useState(() => firstSelected(editor));
  const [place, setPlace] = useState<Place>(before === undefined ? 'end' : 'before');
  const [uid, setUid] = useState('');
  const [accepted, setAccepted] = useState(false);
  const [added, setAdded] = useState<string>();
  const form = useItemForm({ label: '', item_type: NEW_TYPE, members: [] });
  const [removed] = useState(
    () => new Set(editor.session.removedItems().map((item) => item.item_uid)),
  );
  const id = useId();
  const plain = uid.trim().normalize('NFC');
  const damage = spreadsheetDamage(plain);
  const close = (): void => editor.show(null);
  const add = async (another: boolean): Promise<void> => {
    if (damage !== null && !accepted) return;
    const { label, item_type } = form.fields;
    const name = label.trim() || plain;
    // What is not given stays as it was where a removed item comes back.
    const edit = form.read((metadata) => ({
      do: 'add',
      item_uid: plain,
      ...(label.trim() !== '' && { label: label.trim() }),
      ...(item_type !== NEW_TYPE && { item_type }),
      ...(Object.keys(metadata).length > 0 && { metadata }),
      ...(place === 'before' && before !== undefined && { before }),
    }));
    if (
      edit === undefined ||
      !(await applyRows(editor, { label: `Add ${name}`, items: [edit] }, `${name} added`))
    )
      return;
    setAdded(name);
    setUid('');
    setAccepted(false);
    form.set({ label: '' });
    if (another) document.getElementById(id)?.querySelector('input')?.focus();
    else {
      close();
      requestAnimationFrame(() => goToItem(editor, plain));
    }
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void add(false);
  };
  return (
    <Dialog
      open
      onOpenChange={(next) => {
        if (!next) close();
      }}
      title="Add an item"
      footer={
        <>
          <Button onClick={close}>{added === undefined ? 'Cancel' : 'Done'}</Button>
          <Button onClick={() => void add(true)} disabled={plain === ''}>
            Add and go on
          </Button>
          <Button variant="primary" type="submit" form={id} disabled={plain === ''}>
            Add
          </Button>
        </>
      }
    >
      <form id={id} className="form" noValidate onSubmit={onSubmit}>
        <TextField
          name="item_uid"
          label="ID"
          mono
          hint="Identifies the item: it cannot be changed later."
          value={uid}
          onValue={(next) => {
            setUid(next);
            setAccepted(false);
            form.clear();
          }}
          error={form.errorOf('item_uid')}
        />
        {damage !== null && (
          <Notice tone="warning" live title="Is this the ID?">
            <p>{damage}</p>
            <CheckField label="Add it as it is" checked={accepted} onChecked={setAccepted} />
          </Notice>
        )}
        {removed.has(plain) && (
          <Notice live title="This item was removed before">
            <p>
              It comes back with its cells and history. What you leave empty here stays as it was.
            </p>
          </Notice>
        )}
        <TextField
          name="label"
          label="Label"
          optional
          value={form.fields.label}
          onValue={(label) => form.set({ label })}
          error={form.errorOf('label')}
        />
        <TypeField
          value={form.fields.item_type}
          onValue={(item_type) => form.set({ item_type })}
          error={form.errorOf('item_type')}
        />
        <PlaceChoice place={place} before={before} onPlace={setPlace} />
        <MetadataEditor
          members={form.fields.members}
          problems={form.members}
          onChange={(members) => form.set({ members })}
        />
        <FormError message={form.errorOf('form')} />
        {added !== undefined && (
          <p className="muted small" role="status">
            {added} was added.
          </p>
        )}
      </form>
    </Dialog>
  );
}

function EditItem({ uid }: { uid: string }) {
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
    const edit = form.read((metadata) => ({
      do: 'set',
      item_uid: uid,
      ...(label !== item?.label && { label: label.trim() }),
      ...(item_type !== item?.item_type && { item_type }),
      ...(form.fields.members.length + Object.keys(item?.metadata ?? {}).length > 0 && {
        metadata,
      }),
    }));
    if (
      edit !== undefined &&
      (await applyRows(editor, { label: `Edit ${name}`, items: [edit] }, `${name} changed`))
    )
      close();
  };
  return (
    <Dialog
      open
      onOpenChange={(next) => {
        if (!next) close();
      }}
      title="Edit the item"
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" type="submit" form={id}>
            Save
          </Button>
        </>
      }
    >
      <form id={id} className="form" noValidate onSubmit={(event) => void onSubmit(event)}>
        <div className="field">
          <span className="field-label">ID</span>
          <p className="mx-uid mx-fixed-uid">{uid}</p>
          <p className="field-hint">
            Cannot be changed: history, runs and agents know the item by it. For another ID, add a
            new item.
          </p>
        </div>
        <TextField
          name="label"
          label="Label"
          optional
          value={form.fields.label}
          onValue={(label) => form.set({ label })}
          error={form.errorOf('label')}
        />
        <TypeField
          value={form.fields.item_type}
          onValue={(item_type) => form.set({ item_type })}
          error={form.errorOf('item_type')}
        />
        <MetadataEditor
          members={form.fields.members}
          problems={form.members}
          onChange={(members) => form.set({ members })}
        />
        <FormError message={form.errorOf('form') ?? form.errorOf('item_uid')} />
      </form>
    </Dialog>
  );
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
        { label: `Set the type of ${nameItems(editor, uids)}`, items },
        `${plural(uids.length, 'item')}: type ${type}`,
      )
    )
      close();
  };
  return (
    <Dialog
      open
      onOpenChange={(next) => {
        if (!next) close();
      }}
      title={`Edit ${nameItems(editor, uids)}`}
      description={
        types.size === 1
          ? 'One type for all of them. Labels and fields are edited item by item.'
          : `They have ${formatCount(types.size)} types now. Labels and fields are edited item by item.`
      }
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" type="submit" form={id} disabled={type.trim() === ''}>
            Set the type
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
