import { cellName } from '../model/names.ts';
import type { ReactNode } from 'react';
import { Notice } from '../../../ui/Notice.tsx';
import { rectsOf } from '../model/selection.ts';
import { useEditor } from '../editor/use-editor.ts';
import type { Keys } from './keys.ts';
import type { PasteChoices, PastePlan } from './plan.ts';
import type { PasteRequest } from '../editor/paste-request.ts';
import { t } from '../../../text/t.ts';

const NAMED = 5;
function skippedWords(all: readonly string[]): string {
  const names = all
    .slice(0, NAMED)
    .map((name) => t('“{name}”', { name: name.slice(0, 60) }))
    .join(', ');
  return all.length > NAMED
    ? t('Skipped: {names} and {more, number} more.', { names, more: all.length - NAMED })
    : t('Skipped: {names}.', { names });
}

function byNames(keys: Keys): string {
  const count = (found: Int32Array | undefined): number =>
    found?.reduce((sum, line) => sum + (line >= 0 ? 1 : 0), 0) ?? 0;
  const [items, rules] = [count(keys.items), count(keys.rules)];
  if (keys.rules === undefined)
    return t('By the names in the block: {items, plural, one {# item} other {# items}} found', {
      items,
    });
  return keys.items === undefined
    ? t('By the names in the block: {rules, plural, one {# rule} other {# rules}} found', { rules })
    : t(
        'By the names in the block: {items, plural, one {# item} other {# items}} and {rules, plural, one {# rule} other {# rules}} found',
        { items, rules },
      );
}

interface Props {
  request: PasteRequest;
  plan: PastePlan;
  choices: PasteChoices;
  onChange: (part: Partial<PasteChoices>) => void;
}

/** Where the values go. */
export function PasteChoicesForm({ request: { selection, view }, plan, choices, onChange }: Props) {
  const { session } = useEditor();
  const { keys } = plan;
  const [rect] = rectsOf(selection, view);
  const from = rect && { item: view.itemAt(rect.top), rule: view.ruleAt(rect.left) };
  const strangers =
    keys === undefined || choices.place === 'position'
      ? []
      : [...keys.unknownRules, ...keys.unknownItems];
  return (
    <>
      {keys !== undefined && (
        <Question legend={t('Where the values go')}>
          <Answer
            name="place"
            label={byNames(keys)}
            checked={choices.place === 'keys'}
            onChoose={() => onChange({ place: 'keys' })}
          />
          <Answer
            name="place"
            label={
              from === undefined
                ? t('By position')
                : t('By position, from {cell}', { cell: cellName(session, from) })
            }
            checked={choices.place === 'position'}
            onChoose={() => onChange({ place: 'position' })}
          />
        </Question>
      )}
      {strangers.length > 0 && (
        <Notice
          tone="warning"
          title={t('{names, plural, one {# name is} other {# names are}} not in this matrix', {
            names: strangers.length,
          })}
        >
          {skippedWords(strangers)}
        </Notice>
      )}
    </>
  );
}

/** Empty never becomes NA. */
export function PasteEmpties({ plan, choices, onChange }: Omit<Props, 'request'>) {
  if (plan.empty === 0) return null;
  return (
    <Question
      legend={t('{cells, plural, one {# empty cell} other {# empty cells}}', {
        cells: plan.empty,
      })}
    >
      <Answer
        name="empties"
        label={
          plan.empty === 1 ? t('Leave its outcome as it is') : t('Leave their outcomes as they are')
        }
        checked={choices.empties === 'leave'}
        onChoose={() => onChange({ empties: 'leave' })}
      />
      <Answer
        name="empties"
        label={plan.empty === 1 ? t('Clear it to unrecorded') : t('Clear them to unrecorded')}
        checked={choices.empties === 'clear'}
        onChoose={() => onChange({ empties: 'clear' })}
      />
    </Question>
  );
}

function Question({ legend, children }: { legend: string; children: ReactNode }) {
  return (
    <fieldset className="mx-question">
      <legend>{legend}</legend>
      {children}
    </fieldset>
  );
}

function Answer({
  name,
  label,
  checked,
  onChoose,
}: {
  name: string;
  label: string;
  checked: boolean;
  onChoose: () => void;
}) {
  return (
    <label className="check">
      <input type="radio" name={`paste-${name}`} checked={checked} onChange={onChoose} />
      <span>{label}</span>
    </label>
  );
}
