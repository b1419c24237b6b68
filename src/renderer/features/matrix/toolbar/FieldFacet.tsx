import { useState } from 'react';
import { Select } from '../../../ui/Select.tsx';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import {
  FIELD_OPS,
  FIELD_OP_WORDS,
  type FieldOp,
  withField,
  withoutField,
} from '../model/filter.ts';
import { t } from '../../../text/t.ts';

/** Operations that need nothing to compare with. */
const ALONE: readonly FieldOp[] = ['empty', 'filled'];
const OPS = FIELD_OPS.map((value) => ({ value, label: FIELD_OP_WORDS[value] }));

/** A field that is shown as a column, compared with a value. */
export function FieldFacet() {
  const editor = useEditor();
  const fields = useEditorState((state) => state.columns.fields);
  const filter = useEditorState((state) => state.filter);
  const [chosen, setChosen] = useState<string | null>(null);
  const key = chosen ?? filter.fields[0]?.key ?? fields[0]?.key;
  if (key === undefined) return null;
  const now = filter.fields.find((entry) => entry.key === key);
  const op = now?.op ?? 'has';
  const set = (next: FieldOp, value: string): void =>
    editor.setFilter(
      value === '' && !ALONE.includes(next)
        ? withoutField(filter, key)
        : withField(filter, { key, op: next, value }),
    );
  const names = [...new Set([...fields, ...filter.fields].map((entry) => entry.key))];
  return (
    <fieldset>
      <legend>{t('Field of the item')}</legend>
      <Select
        label={t('Field')}
        options={names.map((value) => ({ value, label: value }))}
        value={key}
        onValue={setChosen}
      />
      <Comparison key={key} op={op} value={now?.value ?? ''} onSet={set} />
    </fieldset>
  );
}

function Comparison({
  op: applied,
  value,
  onSet,
}: {
  op: FieldOp;
  value: string;
  onSet: (op: FieldOp, value: string) => void;
}) {
  const [op, setOp] = useState(applied);
  const [text, setText] = useState(value);
  return (
    <>
      <Select
        label={t('Condition')}
        options={OPS}
        value={op}
        onValue={(next) => {
          setOp(next);
          onSet(next, text);
        }}
      />
      {!ALONE.includes(op) && (
        <input
          className="input"
          aria-label={t('Value of the field')}
          placeholder={t('Value')}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            onSet(op, event.target.value);
          }}
        />
      )}
    </>
  );
}
