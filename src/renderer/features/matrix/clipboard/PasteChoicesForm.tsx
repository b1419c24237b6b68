import { cellName } from '../model/names.ts';
import type { ReactNode } from 'react';
import { formatCount, plural } from '../../../state/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { rectsOf } from '../model/selection.ts';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import type { Keys } from './keys.ts';
import type { PasteChoices, PastePlan } from './plan.ts';
import type { PasteRequest } from '../editor/paste-request.ts';

const NAMED = 5;
const listOf = (names: readonly string[]): string =>
  `${names
    .slice(0, NAMED)
    .map((name) => `“${name.slice(0, 60)}”`)
    .join(', ')}${names.length > NAMED ? ` and ${formatCount(names.length - NAMED)} more` : ''}`;

function foundIn({ rules, items }: Keys): string {
  const count = (found: Int32Array | undefined): number =>
    found?.reduce((sum, line) => sum + (line >= 0 ? 1 : 0), 0) ?? 0;
  const parts = [
    ...(items === undefined ? [] : [plural(count(items), 'item')]),
    ...(rules === undefined ? [] : [plural(count(rules), 'rule')]),
  ];
  return parts.join(' and ');
}

interface Props {
  request: PasteRequest;
  plan: PastePlan;
  choices: PasteChoices;
  onChange: (part: Partial<PasteChoices>) => void;
}

/** Where the values go. */
export function PasteChoicesForm({ request: { selection }, plan, choices, onChange }: Props) {
  const { session } = useEditor();
  const { keys } = plan;
  const view = useEditorState((state) => state.view);
  const [rect] = rectsOf(selection, view);
  const from = rect && { item: view.itemAt(rect.top), rule: view.ruleAt(rect.left) };
  const strangers =
    keys === undefined || choices.place === 'position'
      ? []
      : [...keys.unknownRules, ...keys.unknownItems];
  return (
    <>
      {keys !== undefined && (
        <Question legend="Where the values go">
          <Answer
            name="place"
            label={`By the names in the block: ${foundIn(keys)} found`}
            checked={choices.place === 'keys'}
            onChoose={() => onChange({ place: 'keys' })}
          />
          <Answer
            name="place"
            label={`By position${from === undefined ? '' : `, from ${cellName(session, from)}`}`}
            checked={choices.place === 'position'}
            onChoose={() => onChange({ place: 'position' })}
          />
        </Question>
      )}
      {strangers.length > 0 && (
        <Notice
          tone="warning"
          title={`${plural(strangers.length, 'name is', 'names are')} not in this matrix`}
        >
          Skipped: {listOf(strangers)}.
        </Notice>
      )}
    </>
  );
}

/** Empty never becomes NA. */
export function PasteEmpties({ plan, choices, onChange }: Omit<Props, 'request'>) {
  if (plan.empty === 0) return null;
  return (
    <Question legend={plural(plan.empty, 'empty cell')}>
      <Answer
        name="empties"
        label={plan.empty === 1 ? 'Leave its outcome as it is' : 'Leave their outcomes as they are'}
        checked={choices.empties === 'leave'}
        onChoose={() => onChange({ empties: 'leave' })}
      />
      <Answer
        name="empties"
        label={plan.empty === 1 ? 'Clear it to unrecorded' : 'Clear them to unrecorded'}
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
