import { Fragment } from 'react';
import { Dialog } from '../../../ui/Dialog.tsx';
import { type Action, ACTIONS, type ActionGroup } from '../actions.ts';
import { chordParts } from '../keymap.ts';
import { Mark } from '../Mark.tsx';
import { STATE_KEYS, STATE_WORDS } from '../states.ts';
import { useEditor, useEditorState } from '../use-editor.ts';
import { isMac } from './key-hint.ts';

const GROUPS: readonly ActionGroup[] = ['Record', 'History', 'Panel and help', 'Move', 'Select'];

/** Everything that has a key, from the table that the keys themselves come from. */
export function HelpSheet() {
  const editor = useEditor();
  const open = useEditorState((state) => state.dialog === 'help');
  return (
    <Dialog open={open} onOpenChange={(next) => editor.show(next ? 'help' : null)} title="Keys and signs" wide>
      <Signs />
      <div className="mx-help">
        {GROUPS.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {ACTIONS.filter((action) => action.group === group && action.keys.length > 0).map((action) => (
                <div key={action.id}><dt>{action.label}</dt><dd><Keys action={action} /></dd></div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="muted small">Keys work while a cell of the matrix has the focus; those for history, help and parts of the editor work everywhere in it but in text fields.</p>
    </Dialog>
  );
}

function Signs() {
  return (
    <ul className="mx-signs">
      {STATE_KEYS.map((state) => <li key={state}><Mark state={state} /><span>{STATE_WORDS[state].full}</span></li>)}
      <li><span className="mx-sign mx-sign-contested" aria-hidden="true" /><span>contested: two people recorded different values</span></li>
      <li><span className="mx-sign mx-sign-noted" aria-hidden="true" /><span>has notes</span></li>
    </ul>
  );
}

function Keys({ action }: { action: Action }) {
  const chords = action.keys.filter((chord) => !/^Shift\+[A-Z]$/.test(chord) || action.keys[0] === chord);
  return chords.map((chord, index) => (
    <Fragment key={chord}>
      {index > 0 && <span className="muted"> or </span>}
      {chordParts(chord, isMac()).map((part) => <kbd key={part}>{part}</kbd>)}
    </Fragment>
  ));
}
