import { ArrowDownUp } from 'lucide-react';
import { Popover } from '../../../ui/Popover.tsx';
import { Select } from '../../../ui/Select.tsx';
import { sameSort, type Sort, sortWords, firstWords } from '../model/sort.ts';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import { ITEM_SORTS, PROGRESS_SORTS } from './HeadingMenu.tsx';
import { t, tAs } from '../../../text/t.ts';

const CHOICES = [...ITEM_SORTS, ...PROGRESS_SORTS];
const FIRSTS = (['TRUE', 'FALSE', 'unrecorded'] as const).map((value) => ({
  value,
  label: firstWords(value),
}));

/** The order of the items; equals stay in the case's order. */
export function SortMenu() {
  const by = useEditorState((state) => state.sort.by);
  return (
    <Popover
      label={t('Sort')}
      icon={<ArrowDownUp size={14} aria-hidden="true" />}
      count={by === 'case' ? 0 : 1}
    >
      <Orders />
    </Popover>
  );
}

function Orders() {
  const editor = useEditor();
  const { profile } = editor.session;
  const sort = useEditorState((state) => state.sort);
  const rules = profile.rules
    .toSorted((a, b) => a.ruleOrder - b.ruleOrder)
    .map(({ ruleUid, name }) => ({ value: ruleUid, label: name }));
  const byRule = (rule: string, first: 'TRUE' | 'FALSE' | 'unrecorded'): Sort => ({
    by: 'rule',
    rule,
    first,
  });
  const rule = sort.by === 'rule' ? sort.rule : null;
  return (
    <div className="mx-pop">
      <fieldset>
        <legend>{t('Order of the items')}</legend>
        {CHOICES.map((choice) => (
          <label key={choice.label} className="check">
            <input
              type="radio"
              name="mx-sort"
              checked={sameSort(sort, choice.sort)}
              onChange={() => editor.setSort(choice.sort)}
            />
            <span>{choice.label}</span>
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>{t('By the outcome of a rule')}</legend>
        <Select
          label={t('Rule')}
          options={rules}
          value={rule}
          placeholder={tAs('rule', 'None')}
          onValue={(next) => editor.setSort(byRule(next, sort.by === 'rule' ? sort.first : 'TRUE'))}
        />
        {sort.by === 'rule' && (
          <Select
            label={t('What comes first')}
            options={FIRSTS}
            value={sort.first}
            onValue={(first) => editor.setSort(byRule(sort.rule, first))}
          />
        )}
      </fieldset>
      <p className="muted small">
        {sortWords(sort, (uid) => rules.find(({ value }) => value === uid)?.label ?? uid)}.{' '}
        {t('Rows stay where they are while you work.')}
      </p>
    </div>
  );
}
