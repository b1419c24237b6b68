import { actionFor, press, worksEverywhere } from './actions.ts';
import type { Editor } from '../editor/editor.ts';
import { chordOf } from '../model/keymap.ts';

const TEXT = 'input, textarea, select, [contenteditable], [role=textbox]';

/** The parts that F6 goes through: the filter, the matrix, the panel's outcome. */
function goOn(root: HTMLElement, editor: Editor, backwards: boolean): void {
  const areas = [
    {
      holder: '.mx-toolbar',
      enter: () => root.querySelector<HTMLElement>('.mx-search input')?.focus(),
    },
    { holder: '.mx-field', enter: () => editor.focusGrid() },
    {
      holder: '.mx-panel',
      enter: () =>
        (
          root.querySelector<HTMLElement>('.mx-panel [role=radio][aria-checked=true]') ??
          root.querySelector<HTMLElement>('.mx-panel button')
        )?.focus(),
    },
  ].filter(({ holder }) => root.querySelector(holder) !== null);
  const at = areas.findIndex(
    ({ holder }) => root.querySelector(holder)?.contains(document.activeElement) === true,
  );
  areas[(at + (backwards ? -1 : 1) + areas.length) % areas.length]?.enter();
}

/** Keys that work outside the grid too, in so far as they would not write into a text. */
export function listenEverywhere(root: HTMLElement, editor: Editor): () => void {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented) return;
    const chord = chordOf(event);
    const action = chord === undefined ? undefined : actionFor(chord);
    if (action === undefined || !worksEverywhere(action)) return;
    if (action.inText !== true && event.target instanceof Element && event.target.matches(TEXT))
      return;
    event.preventDefault();
    press(action, editor);
  };
  editor.onNextArea = (backwards) => goOn(root, editor, backwards);
  root.addEventListener('keydown', onKeyDown);
  return () => {
    editor.onNextArea = undefined;
    root.removeEventListener('keydown', onKeyDown);
  };
}
