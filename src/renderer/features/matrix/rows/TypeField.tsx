import { useId, useMemo } from 'react';
import { TextField } from '../../../ui/Field.tsx';
import { useEditor } from '../editor/use-editor.ts';
import { t } from '../../../text/t.ts';

const OFFERED = 20;

/** A type, free to choose; those of the case are offered. */
export function TypeField({
  value,
  onValue,
  error,
}: {
  value: string;
  onValue: (value: string) => void;
  error: string | undefined;
}) {
  const { session } = useEditor();
  const id = useId();
  const types = useMemo(
    () => [...new Set(session.items.map((item) => item.item_type))].slice(0, OFFERED),
    [session],
  );
  return (
    <>
      <TextField
        name="item_type"
        label={t('Type')}
        hint={t('What kind of thing it is: item, variant, clone, claim…')}
        list={id}
        value={value}
        onValue={onValue}
        error={error}
      />
      <datalist id={id}>
        {types.map((type) => (
          <option key={type} value={type}>
            {type}
          </option>
        ))}
      </datalist>
    </>
  );
}
