import type { KeyboardEvent } from 'react';
import type { RawOutcome } from '../../../../shared/domain/outcome.ts';
import { chordOf } from '../model/keymap.ts';
import { type EditorAction, isOffered } from '../actions/actions.ts';
import { actionFor, reviewActionFor } from '../actions/keys.ts';
import { adjudicationOf } from '../conflicts/adjudication.ts';
import type { Editor } from '../editor/editor.ts';
import { useEditor } from '../editor/use-editor.ts';

const TEXT = 'input:not([type=radio], [type=checkbox]), textarea, select, [role=combobox]';

/** What was resolved here can be taken back here. */
const history = (chord: string): EditorAction | undefined => {
  const action = actionFor(chord);
  return action?.group === 'History' ? action : undefined;
};

const OUTCOMES: ReadonlyMap<string | undefined, RawOutcome> = new Map([
  ['record.true', 'TRUE'],
  ['record.false', 'FALSE'],
  ['record.na', 'NA'],
]);

/** The keys that record an outcome choose it, where recorders differ. */
function taking(chord: string, editor: Editor): (() => void) | undefined {
  const adjudication = adjudicationOf(editor);
  const outcome = OUTCOMES.get(actionFor(chord)?.id);
  return outcome === undefined || !adjudication.store.getState().open
    ? undefined
    : () => adjudication.take(outcome);
}

/**
 * The keys of the review, wherever in the dialog the focus is; buttons and fields have their own.
 */
export function useReviewKeys(): (event: KeyboardEvent) => void {
  const editor = useEditor();
  return (event) => {
    const chord = chordOf(event.nativeEvent);
    if (chord === undefined || event.defaultPrevented) return;
    const isText = event.target instanceof Element && event.target.matches(TEXT);
    const action = reviewActionFor(chord) ?? history(chord);
    const run =
      action === undefined
        ? taking(chord, editor)
        : isOffered(action, editor) && (action.inText === true || !isText)
          ? () => action.run(editor)
          : undefined;
    if (run === undefined || (isText && action === undefined)) return;
    event.preventDefault();
    run();
  };
}
