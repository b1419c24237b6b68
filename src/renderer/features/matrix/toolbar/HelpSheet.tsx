import { Fragment } from 'react';
import { Dialog } from '../../../ui/Dialog.tsx';
import { ACTION_GROUPS, type Action } from '../actions/action.ts';
import { ACTIONS } from '../actions.ts';
import { chordParts } from '../keymap.ts';
import { Mark } from '../Mark.tsx';
import { STATE_KEYS, STATE_WORDS } from '../states.ts';
import { useEditor, useEditorState } from '../use-editor.ts';
import { isMac } from './key-hint.ts';

/** One line speaks for all of them. */
const isExtension = (action: Action): boolean => action.id.startsWith('extend.');

const listed = ACTIONS.filter((action) => action.keys.length > 0 && !isExtension(action));
const GROUPS = ACTION_GROUPS.filter((group) => listed.some((action) => action.group === group));

/** Everything that has a key, from the table that the keys themselves come from. */
export function HelpSheet() {
  const editor = useEditor();
  const open = useEditorState((state) => state.dialog === 'help');
  return (
    <Dialog open={open} onOpenChange={(next) => editor.show(next ? 'help' : null)} title="Keys and signs" wide>
      <Signs />
      <div className="mx-help" role="region" aria-label="Keys" tabIndex={0}>
        <div className="mx-help-columns">
          {GROUPS.map((group) => (
            <section key={group}>
              <h3>{group}</h3>
              <dl>
                {listed.filter((action) => action.group === group).map((action) => (
                  <div key={action.id}><dt>{action.label}</dt><dd><Keys action={action} /></dd></div>
                ))}
                {group === 'Record' && <div><dt>Copy, cut, paste outcomes</dt><dd>as in a spreadsheet</dd></div>}
                {group === 'Select' && <div><dt>Extend the selection</dt><dd><span><kbd>Shift</kbd></span> with arrows, Home, End, Page Up, Page Down, or a click</dd></div>}
              </dl>
            </section>
          ))}
        </div>
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
      <span>{chordParts(chord, isMac()).map((part) => <kbd key={part}>{part}</kbd>)}</span>
    </Fragment>
  ));
}
