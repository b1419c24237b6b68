import type { KeyboardEvent } from 'react';
import { chordOf } from '../model/keymap.ts';
import { type EditorAction, isOffered } from '../actions/actions.ts';
import { actionFor, reviewActionFor } from '../actions/keys.ts';
import { useEditor } from '../editor/use-editor.ts';

const TEXT = 'input:not([type=radio], [type=checkbox]), textarea, select, [role=combobox]';

/** What was resolved here can be taken back here. */
const history = (chord: string): EditorAction | undefined => {
  const action = actionFor(chord);
  return action?.group === 'History' ? action : undefined;
};

/** The keys of the review, wherever in the dialog the focus is; buttons and fields have their own. */
export function useReviewKeys(): (event: KeyboardEvent) => void {
  const editor = useEditor();
  return (event) => {
    const chord = chordOf(event.nativeEvent);
    const action = chord === undefined ? undefined : (reviewActionFor(chord) ?? history(chord));
    if (
      action === undefined ||
      !isOffered(action, editor) ||
      event.defaultPrevented ||
      (action.inText !== true && event.target instanceof Element && event.target.matches(TEXT))
    )
      return;
    event.preventDefault();
    action.run(editor);
  };
}
