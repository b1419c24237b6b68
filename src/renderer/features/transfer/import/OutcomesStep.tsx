import { useId } from 'react';
import { columnName } from '../../../files/table.ts';
import { formatCount, plural } from '../../../state/format.ts';
import { manyOriginsHint } from '../../../state/keep-origin.ts';
import { CheckField } from '../../../ui/Field.tsx';
import { Select } from '../../../ui/Select.tsx';
import { Table } from '../../../ui/Table.tsx';
import { type FoundWord, isPlain, type Meaning, wordKey } from './words.ts';
import type { Wizard } from './wizard.ts';
import { undecided, type WizardState } from './wizard-state.ts';

const MEANINGS = [
  { value: 'FALSE', label: 'FALSE', detail: 'evidence present' },
  { value: 'TRUE', label: 'TRUE', detail: 'problem found' },
  { value: 'NA', label: 'NA', detail: 'not available' },
  { value: 'unrecorded', label: 'Clear the cell', detail: 'to unrecorded' },
  { value: 'skip', label: 'Leave the cell as it is' },
] as const satisfies readonly { value: Meaning; label: string; detail?: string }[];
const LISTED = 100;
const KINDS: Partial<Record<FoundWord['word']['kind'], string>> = {
  number: 'a number',
  date: 'a date',
  boolean: 'a truth value',
  error: 'an error',
};

/** What the values of the file map to. Only TRUE, FALSE and NA are mapped without asking. */
export function OutcomesStep({ wizard, state }: { wizard: Wizard; state: WizardState }) {
  const { words, keepsWords, emptyClears } = state;
  const plain = words.filter(isPlain);
  const others = words.filter((word) => !isPlain(word));
  const open = undecided(state);
  return (
    <>
      <p className="muted small">
        TRUE means that a problem was found, FALSE that the evidence is present. Values such as
        “yes”, “1” or “+” may mean either and are never guessed.
      </p>
      {plain.length > 0 && (
        <p className="small">
          Read as they are:{' '}
          {plain.map(({ word, count }) => `${word.text} (${formatCount(count)})`).join(', ')}.
        </p>
      )}
      {words.length === 0 && <p className="small">The columns of outcomes are empty.</p>}
      {others.length > 0 && (
        <Values wizard={wizard} state={state} words={others.slice(0, LISTED)} />
      )}
      {others.length > LISTED && (
        <p className="muted small">
          and {plural(others.length - LISTED, 'more value')}. So many different values are rarely
          outcomes: check the columns again.
        </p>
      )}
      {open.length > 1 && (
        <Select
          inline
          label={`All ${formatCount(open.length)} that are not mapped yet`}
          options={MEANINGS}
          value={null}
          onValue={wizard.setRest}
        />
      )}
      {words.length > 0 && (
        <CheckField
          label="Keep with each cell what was read and where"
          checked={keepsWords}
          onChecked={(next) => wizard.setChoice({ keepsWords: next })}
          hint={
            'The text as its reported value; file, place and date as its provenance. ' +
            'Remembered on this computer.' +
            manyOriginsHint(words.reduce((sum, { count }) => sum + count, 0))
          }
        />
      )}
      <EmptyCells
        clears={emptyClears}
        onClears={(next) => wizard.setChoice({ emptyClears: next })}
      />
    </>
  );
}

function Values({
  wizard,
  state,
  words,
}: {
  wizard: Wizard;
  state: WizardState;
  words: readonly FoundWord[];
}) {
  return (
    <div className="tr-fixed">
      <Table
        caption="Values and what they map to"
        dense
        head={
          <tr>
            <th scope="col">Value</th>
            <th scope="col" className="tr-number">
              Cells
            </th>
            <th scope="col" className="tr-number">
              First in
            </th>
            <th scope="col" className="tr-use">
              Maps to
            </th>
          </tr>
        }
      >
        {words.map((found) => {
          const { word, count, line, column, reading } = found;
          const kind = KINDS[word.kind];
          return (
            <tr key={wordKey(word)}>
              <th scope="row" className="tr-field">
                <code>{word.text}</code>
                {kind !== undefined && <span className="muted small"> {kind}</span>}
              </th>
              <td className="num">{formatCount(count)}</td>
              <td className="num muted">
                {columnName(column)}
                {line}
              </td>
              <td>
                <Select
                  labelHidden
                  label={`“${word.text}” maps to`}
                  options={MEANINGS}
                  value={state.meanings.get(wordKey(word)) ?? null}
                  onValue={(meaning) => wizard.setMeaning(found, meaning)}
                />
                {reading !== undefined && (
                  <p className="field-hint">As written in: {reading.language}</p>
                )}
              </td>
            </tr>
          );
        })}
      </Table>
    </div>
  );
}

function EmptyCells({
  clears,
  onClears,
}: {
  clears: boolean;
  onClears: (clears: boolean) => void;
}) {
  const name = useId();
  return (
    <fieldset className="form-group">
      <legend className="field-label">Empty cells of the file</legend>
      <label className="check">
        <input type="radio" name={name} checked={!clears} onChange={() => onClears(false)} />
        <span>leave the cell of the matrix as it is</span>
      </label>
      <label className="check">
        <input type="radio" name={name} checked={clears} onChange={() => onClears(true)} />
        <span>clear the cell of the matrix to unrecorded</span>
      </label>
    </fieldset>
  );
}
