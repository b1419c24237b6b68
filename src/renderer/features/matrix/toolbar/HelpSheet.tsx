import { Fragment, useState } from 'react';
import { Dialog } from '../../../ui/Dialog.tsx';
import { useStore } from 'zustand';
import { ACTION_GROUPS, type EditorAction, GROUP_WORDS } from '../editor/action.ts';
import { ACTIONS } from '../actions/actions.ts';
import { chordParts } from '../model/keymap.ts';
import { chordsUnder, type KeyPreferences, keyStore } from '../actions/keys.ts';
import { Mark } from '../../../ui/OutcomeMark.tsx';
import { STATE_KEYS, STATE_WORDS } from '../model/states.ts';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import { isMac } from '../actions/key-hint.ts';
import { KeySettings } from './KeySettings.tsx';
import { t, tAs } from '../../../text/t.ts';

/** Everything that has a key, from the table that the keys themselves come from. */
export function HelpSheet() {
  const editor = useEditor();
  const open = useEditorState((state) => state.dialog === 'help');
  if (!open) return null;
  return (
    <Dialog onClose={() => editor.show(null)} title={t('Keyboard shortcuts')} wide>
      <Sheet />
    </Dialog>
  );
}

interface HelpLine {
  label: string;
  keys: readonly string[];
}

/** One line speaks for all the steps that extend. */
function linesOf(group: string, preferences: KeyPreferences): HelpLine[] {
  const own = ACTIONS.filter(
    (action) => action.group === group && !action.id.startsWith('extend.'),
  ).map((action) => ({ label: action.label, keys: shown(action, preferences) }));
  return group === 'Select'
    ? [
        ...own,
        {
          label: t('Extend the selection with arrows, Home, End, Page Up, Page Down or a click'),
          keys: ['Shift'],
        },
      ]
    : own;
}

/** A letter and its capital are one key to whoever reads. */
const shown = (action: EditorAction, preferences: KeyPreferences): string[] => {
  const chords = chordsUnder(action, preferences);
  return chords.filter((chord) => !/^Shift\+[A-Z]$/.test(chord) || chords[0] === chord);
};

const inWords = (keys: readonly string[]): string =>
  keys.map((chord) => chordParts(chord, isMac()).join('+')).join(' ');

function Sheet() {
  const preferences = useStore(keyStore, (state) => state.preferences);
  const [typed, setTyped] = useState('');
  const wanted = typed.trim().toLowerCase();
  const groups = ACTION_GROUPS.map((group) => ({
    group,
    lines: linesOf(group, preferences).filter(({ label, keys }) =>
      wanted === ''
        ? keys.length > 0
        : `${GROUP_WORDS[group]} ${label} ${inWords(keys)}`.toLowerCase().includes(wanted),
    ),
  })).filter(({ lines }) => lines.length > 0);
  return (
    <>
      <label className="mx-help-find">
        <span className="visually-hidden">{t('Find a key or command')}</span>
        <input
          type="search"
          className="input"
          placeholder={t('Find a key or command')}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </label>
      {wanted === '' && <Signs />}
      <div className="mx-help" role="region" aria-label={tAs('keyboard', 'Keys')} tabIndex={0}>
        <div className="mx-help-columns">
          {groups.map(({ group, lines }) => (
            <section key={group}>
              <h3>{GROUP_WORDS[group]}</h3>
              <dl>
                {lines.map(({ label, keys }) => (
                  <div key={label}>
                    <dt>{label}</dt>
                    <dd>
                      {keys.length === 0 ? (
                        <span className="muted">{t('no key')}</span>
                      ) : (
                        <Keys chords={keys} />
                      )}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
        {groups.length === 0 && (
          <p className="muted" role="status">
            {t('No command fits “{typed}”.', { typed })}
          </p>
        )}
      </div>
      <KeySettings />
      <p className="muted small">
        {t(
          'Keys of cells work while a cell of the matrix has the focus. Those for history, find, help and parts of the editor work everywhere in it; single keys never where text is typed.',
        )}
      </p>
    </>
  );
}

function Signs() {
  return (
    <ul className="mx-signs">
      {STATE_KEYS.map((state) => (
        <li key={state}>
          <Mark state={state} />
          <span>{STATE_WORDS[state].full}</span>
        </li>
      ))}
      <li>
        <span className="mx-sign mx-sign-contested" aria-hidden="true" />
        <span>{t('conflict: two people recorded different values')}</span>
      </li>
      <li>
        <span className="mx-sign mx-sign-noted" aria-hidden="true" />
        <span>{t('has notes')}</span>
      </li>
    </ul>
  );
}

function Keys({ chords }: { chords: readonly string[] }) {
  return chords.map((chord, index) => (
    <Fragment key={chord}>
      {index > 0 && <span className="muted"> {t('or')} </span>}
      <span>
        {chordParts(chord, isMac()).map((part) => (
          <kbd key={part}>{part}</kbd>
        ))}
      </span>
    </Fragment>
  ));
}
