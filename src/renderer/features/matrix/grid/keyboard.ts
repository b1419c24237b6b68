import { type EditorAction, actionFor, press, worksEverywhere } from '../actions/actions.ts';
import type { Editor } from '../editor/editor.ts';
import { chordOf } from '../model/keymap.ts';
import { selectRule } from '../editor/selecting.ts';
import { fieldCellOf } from './field-cell.ts';
import { isFieldInput } from './field-edit.ts';
import { pressInField } from './field-keys.ts';
import { headingOf } from './rule-heading.ts';
import { createTyping } from './typing.ts';

/**
 * Keys that mean the selected block also while a heading has the focus; the other keys stay the
 * grid's there.
 */
const worksInHeadings = (action: EditorAction): boolean =>
  action.group === 'Record' ||
  action.id === 'select.all' ||
  action.id === 'menu.open' ||
  worksEverywhere(action);

/**
 * Listens before the grid does. A key that means a command is prevented, and the grid ignores
 * prevented events; all others reach it. The chords of copy, cut and paste are never prevented,
 * since the browser has events of its own for them.
 */
export function listenToKeys(host: HTMLElement, editor: Editor): () => void {
  const typing = createTyping(editor);
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = event.target;
    if (event.defaultPrevented || !(target instanceof Element) || isFieldInput(target)) return;
    const chord = chordOf(event);
    if (chord === undefined) return;
    const column = target.closest('.ag-header-cell')?.getAttribute('col-id');
    if (chord === 'Alt+ArrowDown' && column !== null && column !== undefined && column !== '#') {
      event.preventDefault();
      event.stopPropagation();
      editor.store.setState({ menuOf: column });
      return;
    }
    const heading = headingOf(target);
    if (heading === undefined && target.closest('.ag-cell') === null) return;
    if (heading !== undefined && (chord === 'Enter' || chord === 'Space')) {
      event.preventDefault();
      event.stopPropagation();
      selectRule(editor, heading.rule, 'only');
      return;
    }
    const found = actionFor(chord);
    if (fieldCellOf(target) !== undefined) {
      if (!pressInField(editor, event, chord, found)) return;
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const action =
      heading === undefined || (found !== undefined && worksInHeadings(found)) ? found : undefined;
    if (!typing.take(event, action) && (action === undefined || !press(action, editor))) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const stop = (): void => typing.stop();
  host.addEventListener('keydown', onKeyDown, { capture: true });
  // What is done by pointer is no part of a word, wherever it is done.
  document.addEventListener('pointerdown', stop, { capture: true });
  return () => {
    stop();
    document.removeEventListener('pointerdown', stop, { capture: true });
    host.removeEventListener('keydown', onKeyDown, { capture: true });
  };
}
