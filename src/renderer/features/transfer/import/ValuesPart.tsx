import { useId, useState } from 'react';
import { useStore } from 'zustand';
import { formatCount, plural } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Select } from '../../../ui/Select.tsx';
import {
  type ColumnValues,
  type FoundValue,
  type Meaning,
  meaningOf,
  type Polarity,
  remappedCells,
  wordKey,
} from './values.ts';
import type { Wizard } from './wizard.ts';
import { MEANINGS } from './words.ts';

const LISTED = 50;
const KINDS: Partial<Record<FoundValue['word']['kind'], string>> = {
  number: 'a number',
  date: 'a date',
  boolean: 'a truth value',
  error: 'an error',
};

interface ValuesProps {
  wizard: Wizard;
  /** The column's heading. */
  title: string;
  held: ColumnValues;
  chosen: ReadonlyMap<string, Meaning> | undefined;
  polarity: Polarity | undefined;
  itemOf: (row: number) => string;
}

/** Whether a word is half of a pair without being TRUE or FALSE itself. */
const isPair = ({ half, reading }: FoundValue): boolean =>
  half !== undefined && reading === undefined;

/** What the values of one column map to. Only TRUE, FALSE and NA are mapped without asking. */
export function ValuesPart(props: ValuesProps) {
  const { wizard, title, held, chosen, polarity } = props;
  const { values, column } = held;
  const open = values.filter(
    (value) => meaningOf(value, chosen, polarity) === undefined && value.half === undefined,
  );
  const [isOpen, setOpen] = useState(open.length > 0);
  const remapped = remappedCells(
    held,
    new Map(chosen === undefined ? [] : [[column, chosen]]),
    new Map(polarity === undefined ? [] : [[column, polarity]]),
  );
  return (
    <div className="tr-mapping">
      {values.some(({ half }) => half !== undefined) && <Switch {...props} />}
      {remapped > 0 && (
        <Notice tone="warning" live title="TRUE and FALSE are not read as they stand">
          In “{title}” {plural(remapped, 'cell')} with TRUE or FALSE {remapped === 1 ? 'is' : 'are'}{' '}
          read as another outcome: elsewhere TRUE means that a problem was found.
        </Notice>
      )}
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="small">
          {values
            .slice(0, 6)
            .map(({ word, count }) => `${word.text} (${formatCount(count)})`)
            .join(', ')}
          {values.length > 6 && ` and ${formatCount(values.length - 6)} more`}
        </summary>
        <ul className="plain-list tr-value-list">
          {values.slice(0, LISTED).map((value) => (
            <Value key={wordKey(value.word)} {...props} value={value} wizard={wizard} />
          ))}
        </ul>
        {values.length > LISTED && (
          <p className="muted small">
            and {plural(values.length - LISTED, 'more value')}. So many different values are rarely
            outcomes: look at what the column is used as.
          </p>
        )}
      </details>
    </div>
  );
}

/** What yes, 1, + or TRUE means in the column: both halves in one choice. */
function Switch({ wizard, title, held, polarity }: ValuesProps) {
  const name = useId();
  const { values, column } = held;
  const texts = (half: 'so' | 'not'): string =>
    values
      .filter((value) => value.half === half)
      .slice(0, 4)
      .map(({ word }) => word.text)
      .join(' / ');
  const [so, not] = [texts('so'), texts('not')];
  const asks = values.some(isPair);
  const now = polarity ?? (asks ? undefined : 'problem');
  const others = useStore(wizard.store, ({ columns, polarities }) =>
    columns
      .filter(
        (other) =>
          other.column !== column && !polarities.has(other.column) && other.values.some(isPair),
      )
      .map((other) => other.column)
      .join(','),
  );
  const option = (value: Polarity, words: string) => (
    <label className="check">
      <input
        type="radio"
        name={name}
        checked={now === value}
        onChange={() => void wizard.setPolarity([column], value)}
      />
      <span>{words}</span>
    </label>
  );
  return (
    <fieldset className="tr-switch" data-asks={now === undefined || undefined}>
      <legend className="visually-hidden">
        What {so === '' ? not : so} means in {title}
      </legend>
      <span className="small" aria-hidden="true">
        <strong>{so === '' ? not : so}</strong> {so === '' ? 'is the opposite of' : 'means'}
        {so !== '' && not !== '' && (
          <span className="muted">
            {' '}
            (<strong>{not}</strong> the opposite)
          </span>
        )}
      </span>
      {option('evidence', 'evidence present')}
      {option('problem', 'problem found')}
      {polarity !== undefined && others !== '' && (
        <Button
          size="sm"
          onClick={() => void wizard.setPolarity(others.split(',').map(Number), polarity)}
        >
          Same in the {plural(others.split(',').length, 'other column')} not chosen yet
        </Button>
      )}
    </fieldset>
  );
}

function Value({
  wizard,
  title,
  held,
  chosen,
  polarity,
  itemOf,
  value,
}: ValuesProps & { value: FoundValue }) {
  const { word, count, rows, reading } = value;
  const kind = KINDS[word.kind];
  return (
    <li>
      <span className="tr-field">
        <code>{word.text}</code>
        {kind !== undefined && <span className="muted small"> {kind}</span>}
      </span>
      <span className="muted small tr-seen">
        {plural(count, 'cell')}: {rows.map(itemOf).join(', ')}
        {count > rows.length && ' …'}
        {reading !== undefined &&
          reading.language !== null &&
          ` · as written in: ${reading.language}`}
      </span>
      <Select
        labelHidden
        label={`“${word.text}” in ${title} maps to`}
        options={MEANINGS}
        value={meaningOf(value, chosen, polarity) ?? null}
        onValue={(meaning) => void wizard.setMeaning(held.column, value, meaning)}
      />
    </li>
  );
}
