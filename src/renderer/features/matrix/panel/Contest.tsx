import { cellName } from '../model/names.ts';
import { TriangleAlert } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import type { Alternative, CellAddress } from '../../../data/store/port.ts';
import { Button } from '../../../ui/Button.tsx';
import { Mark } from '../../../ui/OutcomeMark.tsx';
import { contentKey } from '../conflicts/decide.ts';
import { STATE_WORDS, stateKey } from '../model/states.ts';
import { useEditor, useMayWrite } from '../editor/use-editor.ts';
import { provenanceText } from '../model/history-text.ts';
import { t } from '../../../text/t.ts';

const FIELDS = ['outcome', 'notes'] as const;
type Chosen = Partial<Record<Alternative['field'], string>>;

/**
 * What people recorded without seeing each other's, and the one act that resolves it. Recording
 * another value does not.
 */
export function Contest({
  cell,
  alternatives,
}: {
  cell: CellAddress;
  alternatives: readonly Alternative[];
}) {
  const editor = useEditor();
  const mayWrite = useMayWrite();
  const id = useId();
  // A choice is between the values that were shown: it goes when another one comes.
  const entries = alternatives.map(({ entry }) => entry);
  const heads = entries.join(' ');
  const [made, setMade] = useState<{ heads: string; chosen: Chosen }>({ heads, chosen: {} });
  const chosen: Chosen = made.heads === heads ? made.chosen : {};
  const setChosen = (next: Chosen): void => setMade({ heads, chosen: next });
  const [typed, setTyped] = useState({ entries, why: '' });
  // A reason belongs to the conflict that it was typed for: to values of which one at least is
  // still there.
  const why = typed.entries.some((entry) => entries.includes(entry)) ? typed.why : '';
  const setWhy = (next: string): void => setTyped({ entries, why: next });
  const contested = FIELDS.map((field) => ({
    field,
    options: alternatives.filter((entry) => entry.field === field),
  })).filter(({ options }) => new Set(options.map(contentKey)).size > 1);
  const isReady =
    contested.length > 0 &&
    contested.every(({ field, options }) =>
      options.some((option) => option.entry === chosen[field]),
    ) &&
    why.trim() !== '';
  const resolve = (event: FormEvent): void => {
    event.preventDefault();
    if (!isReady) return;
    const settlings = contested.flatMap(({ field, options }) => {
      const option = options.find((one) => one.entry === chosen[field]);
      return option === undefined
        ? []
        : [{ reg: option.reg, heads: options.map((one) => one.entry), value: option.value }];
    });
    void editor
      .resolve(settlings, why.trim(), t('Resolve {name}', { name: cellName(editor.session, cell) }))
      .then((done) => {
        if (done) setTyped({ entries: [], why: '' });
      });
  };
  return (
    <form className="mx-contest" aria-label={t('Resolve the conflict')} onSubmit={resolve}>
      <p className="mx-contest-head">
        <TriangleAlert size={14} aria-hidden="true" />
        <span>
          {mayWrite
            ? t(
                "Conflict: recorded by people who had not seen each other's values. All of them are kept; choose which one holds.",
              )
            : t(
                "Conflict: recorded by people who had not seen each other's values. All of them are kept until a member chooses which one holds.",
              )}
        </span>
      </p>
      {contested.map(({ field, options }) => (
        <fieldset key={field} className="mx-alternatives">
          <legend>{field === 'outcome' ? t('Outcome') : t('Notes')}</legend>
          {options.map((option) => (
            <label key={option.entry} className="mx-alternative">
              <input
                type="radio"
                name={`${id}-${field}`}
                checked={chosen[field] === option.entry}
                disabled={!mayWrite}
                onChange={() => setChosen({ ...chosen, [field]: option.entry })}
              />
              <Words option={option} />
            </label>
          ))}
        </fieldset>
      ))}
      {mayWrite && (
        <>
          <label className="mx-contest-why" htmlFor={id}>
            {t('Reason')}
          </label>
          <input
            id={id}
            className="input"
            required
            maxLength={2_000}
            value={why}
            placeholder={t('Why this value holds')}
            onChange={(event) => setWhy(event.target.value)}
          />
          <Button type="submit" size="sm" disabled={!isReady}>
            {t('Resolve')}
          </Button>
        </>
      )}
    </form>
  );
}

function Words({ option }: { option: Alternative }) {
  const shown = option.displayed ? <span className="mx-quiet"> {t('(shown now)')}</span> : null;
  if (option.field === 'notes')
    return (
      <span>
        {option.notes ?? t('no notes')}
        {shown}
      </span>
    );
  const key = stateKey(option.raw_outcome);
  const from = [option.source_value ?? '', provenanceText(option.provenance)]
    .filter((text) => text !== '')
    .join('; ');
  return (
    <span className="mx-alternative-words">
      <span>
        <Mark state={key} /> {STATE_WORDS[key].full}
        {shown}
      </span>
      {from !== '' && <span className="mx-quiet">{from}</span>}
    </span>
  );
}
