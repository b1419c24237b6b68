import { useState } from 'react';
import type { ItemEdit } from '../../../data/store/port.ts';
import { TextField } from '../../../ui/Field.tsx';
import { useEditor } from '../editor/use-editor.ts';
import { type MetadataMember, readMembers } from './metadata.ts';
import { MetadataEditor } from './MetadataEditor.tsx';
import { TypeField } from './TypeField.tsx';
import { t, tOf } from '../../../text/t.ts';

const NO_PROBLEMS: ReadonlyMap<number, string> = new Map();

/** What `check` says of one edit, on the field that it names. */
export function placeMessage(message: string): {
  field: 'item_uid' | 'label' | 'item_type' | 'form';
  message: string;
} {
  if (message.startsWith('Label: ')) return { field: 'label', message: tOf(message.slice(7)) };
  if (message.startsWith('Type: ')) return { field: 'item_type', message: tOf(message.slice(6)) };
  if (message.startsWith('Metadata: '))
    return {
      field: 'form',
      message: t('Fields: {message}', { message: tOf(message.slice(10)) }),
    };
  return { field: 'item_uid', message: tOf(message) };
}

interface ItemFormFields {
  label: string;
  item_type: string;
  members: readonly MetadataMember[];
}

export function useItemForm(initial: ItemFormFields) {
  const { session } = useEditor();
  const [fields, setFields] = useState(initial);
  const [problem, setProblem] = useState<{
    field: string;
    message: string;
    members: ReadonlyMap<number, string>;
  }>();
  return {
    fields,
    /** A function gets what is there by then. */
    set: (change: Partial<ItemFormFields> | ((now: ItemFormFields) => Partial<ItemFormFields>)) => {
      setFields((now) => ({ ...now, ...(change instanceof Function ? change(now) : change) }));
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

export function FormError({ message }: { message: string | undefined }) {
  return message === undefined ? null : (
    <p className="field-error" role="alert">
      {message}
    </p>
  );
}

export type ItemForm = ReturnType<typeof useItemForm>;

/** Label and type, as a new item and a changed one have them. */
export function NamingFields({ form }: { form: ItemForm }) {
  return (
    <>
      <TextField
        name="label"
        label={t('Label')}
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
    </>
  );
}

export function MetadataFields({ form }: { form: ItemForm }) {
  return (
    <MetadataEditor
      members={form.fields.members}
      problems={form.members}
      onChange={(members) => form.set({ members })}
    />
  );
}
