import { type Action, actionFor, worksEverywhere } from '../actions.ts';
import type { Editor } from '../editor.ts';
import { chordOf } from '../keymap.ts';
import { headingOf } from './rule-heading.ts';

/** Keys that mean the selected block also while a heading has the focus; the other keys stay the grid's there. */
const worksInHeadings = (action: Action): boolean => action.group === 'Record' || action.id === 'select.all' || worksEverywhere(action);

/**
 * Listens before the grid does. A key that means a command is taken away from the grid (which ignores prevented events); all others reach it.
 * Copy, cut and paste chords are in no table and so are never prevented.
 */
export function listenToKeys(host: HTMLElement, editor: Editor): () => void {
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = event.target;
    if (event.defaultPrevented || !(target instanceof Element)) return;
    const heading = headingOf(target);
    if (heading === undefined && target.closest('.ag-cell') === null) return;
    const chord = chordOf(event);
    if (chord === undefined) return;
    if (heading !== undefined && (chord === 'Enter' || chord === 'Space')) {
      event.preventDefault();
      event.stopPropagation();
      selectRule(editor, heading.rule, false);
      return;
    }
    const action = actionFor(chord);
    if (action === undefined || (heading !== undefined && !worksInHeadings(action))) return;
    if (action.isEnabled?.(editor) !== false && action.run(editor) === false) return;
    event.preventDefault();
    event.stopPropagation();
  };
  host.addEventListener('keydown', onKeyDown, { capture: true });
  return () => host.removeEventListener('keydown', onKeyDown, { capture: true });
}

/** Selects a whole column of the rows shown; `extend` keeps the anchor's column. */
export function selectRule(editor: Editor, rule: string, extend: boolean): void {
  const { view, selection } = editor.store.getState();
  if (view.rowCount === 0) return;
  const from = extend && selection !== null ? selection.anchor.rule : rule;
  editor.select({ anchor: { item: view.itemAt(view.rowCount - 1), rule: from }, focus: { item: view.itemAt(0), rule }, extra: [] }, { reveal: false, focus: false });
}

export function selectItem(editor: Editor, item: string, extend: boolean, focus: boolean): void {
  const { view, selection } = editor.store.getState();
  const from = extend && selection !== null ? selection.anchor.item : item;
  editor.select({ anchor: { item: from, rule: view.ruleAt(view.columnCount - 1) }, focus: { item, rule: view.ruleAt(0) }, extra: [] }, { reveal: false, focus });
}
