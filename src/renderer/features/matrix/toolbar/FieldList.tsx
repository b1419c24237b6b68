import { ArrowDown, ArrowUp, Pin, PinOff } from 'lucide-react';
import { type FormEvent, useMemo, useState } from 'react';
import { Button, IconButton } from '../../../ui/Button.tsx';
import { useEditor, useEditorState, useRevision } from '../editor/use-editor.ts';
import { changeField, hideField, showField, shownFields, stepField } from '../model/column-plan.ts';
import { type FieldColumn, fieldCounts, guessType, memberOf } from '../model/fields.ts';
import { loadSuggested, saveSuggested } from '../model/suggested-fields.ts';
import { t } from '../../../text/t.ts';

/** Fields that are offered by name; a case with more is helped by the name typed. */
const OFFERED = 30;

interface OfferedField {
  key: string;
  type: FieldColumn['type'];
  detail: string;
  isSuggested: boolean;
}

/** Fields that the profile suggests, then those that items have, without those shown already. */
function useOffered(): { offered: OfferedField[]; suggest(): void; isSuggesting: boolean } {
  const { session } = useEditor();
  const { profileUid } = session.profile;
  useRevision();
  const fields = useEditorState((state) => state.columns.fields);
  const [suggested, setSuggested] = useState(() => loadSuggested(profileUid));
  const { items } = session;
  const counts = useMemo(() => new Map(fieldCounts(items)), [items]);
  const offered = useMemo(() => {
    const shown = new Set(fields.map(({ key }) => key));
    const named = new Map(suggested.map(({ key, type }) => [key, type]));
    return [...new Set([...named.keys(), ...counts.keys()])]
      .filter((key) => !shown.has(key))
      .map((key) => ({
        key,
        type: named.get(key) ?? guessType(items.map(({ metadata }) => memberOf(metadata, key))),
        detail: named.has(key)
          ? t('suggested, {items, plural, one {# item} other {# items}}', {
              items: counts.get(key) ?? 0,
            })
          : t('{items, plural, one {# item} other {# items}}', { items: counts.get(key) ?? 0 }),
        isSuggested: named.has(key),
      }));
  }, [counts, fields, items, suggested]);
  const wanted = fields.map(({ key, type }) => ({ key, type }));
  return {
    offered,
    isSuggesting: JSON.stringify(wanted) === JSON.stringify(suggested),
    suggest: () => {
      saveSuggested(profileUid, wanted);
      setSuggested(wanted);
    },
  };
}

/** Which fields of the items are columns beside them. */
export function FieldList() {
  const editor = useEditor();
  const columns = useEditorState((state) => state.columns);
  const { offered, suggest, isSuggesting } = useOffered();
  const [name, setName] = useState('');
  const add = (fields: readonly Omit<FieldColumn, 'frozen'>[]): void =>
    editor.arrange({
      columns: fields.reduce((plan, { key, type }) => showField(plan, { key, type }), columns),
    });
  const missing = offered.filter(({ isSuggested }) => isSuggested);
  const key = name.trim();
  const addNamed = (event: FormEvent): void => {
    event.preventDefault();
    if (key === '') return;
    add([{ key, type: offered.find((entry) => entry.key === key)?.type ?? 'text' }]);
    setName('');
  };
  return (
    <fieldset className="mx-fieldlist">
      <legend>{t('Fields of the items')}</legend>
      <ul className="mx-rules" aria-label={t('Fields')}>
        {shownFields(columns).map((field) => (
          <ShownRow key={field.key} field={field} />
        ))}
        {offered.slice(0, OFFERED).map((field) => (
          <li key={field.key}>
            <label className="check">
              <input type="checkbox" checked={false} onChange={() => add([field])} />
              <span>
                {field.key} <span className="muted">{field.detail}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      <form className="mx-fieldadd" onSubmit={addNamed}>
        <input
          className="input"
          aria-label={t('Name of a new field')}
          placeholder={t('New field')}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button size="sm" type="submit" disabled={key === ''}>
          {t('Add')}
        </Button>
      </form>
      <div className="actions">
        {missing.length > 0 && (
          <Button size="sm" onClick={() => add(missing)}>
            {t('Show {fields, plural, one {# suggested field} other {# suggested fields}}', {
              fields: missing.length,
            })}
          </Button>
        )}
        {columns.fields.length > 0 && (
          <Button size="sm" disabled={isSuggesting} onClick={suggest}>
            {t('Suggest these for the profile')}
          </Button>
        )}
      </div>
    </fieldset>
  );
}

function ShownRow({ field: { key, frozen } }: { field: FieldColumn }) {
  const editor = useEditor();
  const columns = useEditorState((state) => state.columns);
  const change = (next: typeof columns | undefined): void => {
    if (next !== undefined) editor.arrange({ columns: next });
  };
  const [up, down] = [stepField(columns, key, -1), stepField(columns, key, 1)];
  return (
    <li>
      <label className="check">
        <input type="checkbox" checked onChange={() => change(hideField(columns, key))} />
        <span>{key}</span>
      </label>
      <IconButton
        label={frozen ? t('Unfreeze {name}', { name: key }) : t('Freeze {name}', { name: key })}
        aria-pressed={frozen}
        onClick={() => change(changeField(columns, key, { frozen: !frozen }))}
      >
        {frozen ? <PinOff size={13} aria-hidden="true" /> : <Pin size={13} aria-hidden="true" />}
      </IconButton>
      <IconButton
        label={t('Move {name} left', { name: key })}
        disabled={up === undefined}
        onClick={() => change(up)}
      >
        <ArrowUp size={13} aria-hidden="true" />
      </IconButton>
      <IconButton
        label={t('Move {name} right', { name: key })}
        disabled={down === undefined}
        onClick={() => change(down)}
      >
        <ArrowDown size={13} aria-hidden="true" />
      </IconButton>
    </li>
  );
}
