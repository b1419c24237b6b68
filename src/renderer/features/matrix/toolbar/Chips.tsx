import { X } from 'lucide-react';

import { show } from '../model/column-plan.ts';
import {
  conditionWords,
  isActive,
  NO_FILTER,
  TRAIT_LABELS,
  withAuthor,
  withoutField,
  withStates,
  withTrait,
} from '../model/filter.ts';
import { whose } from '../model/history-text.ts';
import { STATE_WORDS } from '../model/states.ts';
import { CASE_ORDER, sortWords } from '../model/sort.ts';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import { t } from '../../../text/t.ts';

const OR = ` ${t('or')} `;

/**
 * Everything that keeps the matrix from being shown whole and in its own order, each with its way
 * out.
 */
export function Chips() {
  const editor = useEditor();
  const filter = useEditorState((state) => state.filter);
  const sort = useEditorState((state) => state.sort);
  const columns = useEditorState((state) => state.columns);
  const nameOf = (uid: string): string =>
    editor.session.profile.rules.find(({ ruleUid }) => ruleUid === uid)?.name ?? uid;
  const chips: { label: string; undo: string; remove: () => void }[] = [];
  if (filter.text.trim() !== '')
    chips.push({
      label: `“${filter.text.trim()}”`,
      undo: t('Remove the text'),
      remove: () => editor.setFilter({ ...filter, text: '' }),
    });
  for (const trait of filter.traits)
    chips.push({
      label: TRAIT_LABELS[trait],
      undo: t('Remove: {what}', { what: TRAIT_LABELS[trait] }),
      remove: () => editor.setFilter(withTrait(filter, trait)),
    });
  if (filter.types.length > 0)
    chips.push({
      label: t('Type: {types}', { types: filter.types.join(OR) }),
      undo: t('Remove the types'),
      remove: () => editor.setFilter({ ...filter, types: [] }),
    });
  for (const author of filter.authors)
    chips.push({
      label: t('Recorded by {author}', { author: whose(author) }),
      undo: t('Remove: recorded by {author}', { author: whose(author) }),
      remove: () => editor.setFilter(withAuthor(filter, author)),
    });
  for (const { rule, states } of filter.rules)
    chips.push({
      label: `${nameOf(rule)}: ${states.map((state) => STATE_WORDS[state].full).join(OR)}`,
      undo: t('Remove: {what}', { what: nameOf(rule) }),
      remove: () => editor.setFilter(withStates(filter, rule, [])),
    });
  for (const condition of filter.fields)
    chips.push({
      label: conditionWords(condition),
      undo: t('Remove: {what}', { what: condition.key }),
      remove: () => editor.setFilter(withoutField(filter, condition.key)),
    });
  if (sort.by !== 'case')
    chips.push({
      label: t('Sorted: {sort}', { sort: sortWords(sort, nameOf) }),
      undo: t('Back to the order of the case'),
      remove: () => editor.setSort(CASE_ORDER),
    });
  const hidden = columns.hidden.length;
  if (hidden > 0)
    chips.push({
      label: t('{hidden, plural, one {# rule} other {# rules}} hidden', { hidden }),
      undo: t('Show all rules'),
      remove: () => editor.arrange({ columns: show(columns, columns.hidden) }),
    });
  if (chips.length === 0) return null;
  // A chip is removed with its button, so the focus moves to the cells.
  const take = (remove: () => void): void => {
    remove();
    editor.focusGrid();
  };
  return (
    <div className="mx-chips" role="group" aria-label={t('What is shown')}>
      {chips.map(({ label, undo, remove }) => (
        <span key={`${label} ${undo}`} className="mx-chip">
          <span className="mx-chip-text">{label}</span>
          <button type="button" aria-label={undo} title={undo} onClick={() => take(remove)}>
            <X size={12} aria-hidden="true" />
          </button>
        </span>
      ))}
      {isActive(filter) && (
        <button
          type="button"
          className="mx-clear"
          onClick={() => take(() => editor.setFilter(NO_FILTER))}
        >
          {t('Clear filters')}
        </button>
      )}
    </div>
  );
}
