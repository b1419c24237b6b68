import { type ReactNode, useId, useState } from 'react';
import { useStore } from 'zustand';
import { formatCount } from '../../../state/format.ts';
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
import { rich } from '../../../text/rich.ts';
import { t, tOf } from '../../../text/t.ts';

const LISTED = 50;
const bold = (text: ReactNode) => <strong>{text}</strong>;
const KINDS: Partial<Record<FoundValue['word']['kind'], string>> = {
  number: t('a number'),
  date: t('a date'),
  boolean: t('a truth value'),
  error: t('an error'),
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
        <Notice tone="warning" live title={t('TRUE and FALSE are not read as they stand')}>
          {t(
            'In “{title}” {cells, plural, one {# cell with TRUE or FALSE is} other {# cells with TRUE or FALSE are}} read as another outcome: elsewhere TRUE means that a problem was found.',
            { title, cells: remapped },
          )}
        </Notice>
      )}
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="small">
          {values
            .slice(0, 6)
            .map(({ word, count }) => `${word.text} (${formatCount(count)})`)
            .join(', ')}
          {values.length > 6 && ` ${t('and {more, number} more', { more: values.length - 6 })}`}
        </summary>
        <ul className="plain-list tr-value-list">
          {values.slice(0, LISTED).map((value) => (
            <Value key={wordKey(value.word)} {...props} value={value} wizard={wizard} />
          ))}
        </ul>
        {values.length > LISTED && (
          <p className="muted small">
            {t(
              'and {more, plural, one {# more value} other {# more values}}. So many different values are rarely outcomes: look at what the column is used as.',
              { more: values.length - LISTED },
            )}
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
        {t('What {word} means in {title}', { word: so === '' ? not : so, title })}
      </legend>
      <span className="small" aria-hidden="true">
        {so === ''
          ? rich('<b>{word}</b> is the opposite of', { b: bold, word: not })
          : rich('<b>{word}</b> means', { b: bold, word: so })}
        {so !== '' && not !== '' && (
          <span className="muted">
            {' '}
            {rich('(<b>{word}</b> the opposite)', { b: bold, word: not })}
          </span>
        )}
      </span>
      {option('evidence', t('evidence present'))}
      {option('problem', t('problem found'))}
      {polarity !== undefined && others !== '' && (
        <Button
          size="sm"
          onClick={() => void wizard.setPolarity(others.split(',').map(Number), polarity)}
        >
          {t(
            'Same in the {columns, plural, one {# other column} other {# other columns}} not chosen yet',
            { columns: others.split(',').length },
          )}
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
        {t('{count, plural, one {# cell} other {# cells}}', { count })}:{' '}
        {rows.map(itemOf).join(', ')}
        {count > rows.length && ' …'}
        {reading !== undefined &&
          reading.language !== null &&
          ` · ${t('as written in: {language}', { language: reading.language.split(', ').map(tOf).join(', ') })}`}
      </span>
      <Select
        labelHidden
        label={t('“{text}” in {title} maps to', { text: word.text, title })}
        options={MEANINGS}
        value={meaningOf(value, chosen, polarity) ?? null}
        onValue={(meaning) => void wizard.setMeaning(held.column, value, meaning)}
      />
    </li>
  );
}
