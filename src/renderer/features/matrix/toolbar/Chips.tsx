import { X } from 'lucide-react';
import { plural } from '../../../state/format.ts';
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
      undo: 'Remove the text',
      remove: () => editor.setFilter({ ...filter, text: '' }),
    });
  for (const trait of filter.traits)
    chips.push({
      label: TRAIT_LABELS[trait],
      undo: `Remove: ${TRAIT_LABELS[trait]}`,
      remove: () => editor.setFilter(withTrait(filter, trait)),
    });
  if (filter.types.length > 0)
    chips.push({
      label: `Type: ${filter.types.join(' or ')}`,
      undo: 'Remove the types',
      remove: () => editor.setFilter({ ...filter, types: [] }),
    });
  for (const author of filter.authors)
    chips.push({
      label: `Recorded by ${whose(author)}`,
      undo: `Remove: recorded by ${whose(author)}`,
      remove: () => editor.setFilter(withAuthor(filter, author)),
    });
  for (const { rule, states } of filter.rules)
    chips.push({
      label: `${nameOf(rule)}: ${states.map((state) => STATE_WORDS[state].full).join(' or ')}`,
      undo: `Remove: ${nameOf(rule)}`,
      remove: () => editor.setFilter(withStates(filter, rule, [])),
    });
  for (const condition of filter.fields)
    chips.push({
      label: conditionWords(condition),
      undo: `Remove: ${condition.key}`,
      remove: () => editor.setFilter(withoutField(filter, condition.key)),
    });
  if (sort.by !== 'case')
    chips.push({
      label: `Sorted: ${sortWords(sort, nameOf)}`,
      undo: 'Back to the order of the case',
      remove: () => editor.setSort(CASE_ORDER),
    });
  const hidden = columns.hidden.length;
  if (hidden > 0)
    chips.push({
      label: `${plural(hidden, 'rule')} hidden`,
      undo: 'Show all rules',
      remove: () => editor.arrange({ columns: show(columns, columns.hidden) }),
    });
  if (chips.length === 0) return null;
  // A chip is removed with its button, so the focus moves to the cells.
  const take = (remove: () => void): void => {
    remove();
    editor.focusGrid();
  };
  return (
    <div className="mx-chips" role="group" aria-label="What is shown">
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
          Clear filters
        </button>
      )}
    </div>
  );
}
