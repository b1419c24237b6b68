import { useId } from 'react';
import { columnName } from '../../../files/table.ts';
import { formatCount, plural } from '../../../state/format.ts';
import { MANY_ORIGINS } from '../../../state/keep-origin.ts';
import { CheckField } from '../../../ui/Field.tsx';
import { Select } from '../../../ui/Select.tsx';
import { Table } from '../../../ui/Table.tsx';
import { type FoundWord, isPlain, type Meaning, wordKey } from './words.ts';
import { undecided, type Wizard, type WizardState } from './wizard.ts';

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

/** What the words of the file say. Only what says TRUE, FALSE or NA plainly is read by itself. */
export function OutcomesStep({ wizard, state }: { wizard: Wizard; state: WizardState }) {
  const { words, keepsWords, emptyClears } = state;
  const plain = words.filter(isPlain);
  const others = words.filter((word) => !isPlain(word));
  const open = undecided(state);
  return (
    <>
      <p className="muted small">
        TRUE means that a problem was found, FALSE that the evidence is present. Words such as
        “yes”, “1” or “+” may mean either and are never guessed.
      </p>
      {plain.length > 0 && (
        <p className="small">
          Read as they are:{' '}
          {plain.map(({ word, count }) => `${word.text} (${formatCount(count)})`).join(', ')}.
        </p>
      )}
      {words.length === 0 && <p className="small">The columns of outcomes are empty.</p>}
      {others.length > 0 && <Words wizard={wizard} state={state} words={others.slice(0, LISTED)} />}
      {others.length > LISTED && (
        <p className="muted small">
          and {plural(others.length - LISTED, 'more word')}. So many words are rarely outcomes: look
          at the columns again.
        </p>
      )}
      {open.length > 1 && (
        <Select
          inline
          label={`All ${formatCount(open.length)} without a meaning`}
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
          hint={`The text as its source value; file, place and date as its provenance. Remembered on this computer.${words.reduce((sum, { count }) => sum + count, 0) > MANY_ORIGINS ? ' So many are stored and sent one by one, which takes a while: off until you ask for it.' : ''}`}
        />
      )}
      <EmptyFields
        clears={emptyClears}
        onClears={(next) => wizard.setChoice({ emptyClears: next })}
      />
    </>
  );
}

function Words({
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
        caption="Words and what they mean"
        dense
        head={
          <tr>
            <th scope="col">Word</th>
            <th scope="col" className="tr-number">
              Fields
            </th>
            <th scope="col" className="tr-number">
              First in
            </th>
            <th scope="col" className="tr-use">
              Means
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
                  label={`Meaning of ${word.text}`}
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

function EmptyFields({
  clears,
  onClears,
}: {
  clears: boolean;
  onClears: (clears: boolean) => void;
}) {
  const name = useId();
  return (
    <fieldset className="form-group">
      <legend className="field-label">Empty fields</legend>
      <label className="check">
        <input type="radio" name={name} checked={!clears} onChange={() => onClears(false)} />
        <span>leave their cell as it is</span>
      </label>
      <label className="check">
        <input type="radio" name={name} checked={clears} onChange={() => onClears(true)} />
        <span>clear their cell to unrecorded</span>
      </label>
    </fieldset>
  );
}
