import { useEffect, useMemo } from 'react';
import { create } from 'zustand';
import { SERVER_PAGES } from '../../../shared/contract/page-addresses.ts';
import { type CommandSource, runCommand, useCommands } from '../../state/commands.ts';
import { getDesktop } from '../../state/desktop.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { isDialogOpen } from '../../ui/is-dialog-open.ts';
import { HELP_TOPICS } from './topics.ts';
import './help.css';
import { t } from '../../text/t.ts';

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  [t('Ctrl+K'), t('Commands; finds projects, cases, items, runs, rules and help')],
  [t('F1 or ?'), t('This help; in a matrix its keyboard shortcuts')],
  ['F6', t('Next region of the page')],
  [t('Shift+F6'), t('Previous region of the page')],
  [t('Escape'), t('Closes what is open')],
];

/** Null while it is closed; a topic's id, or '' for all of it. */
const useHelp = create<{ open: string | null }>()(() => ({ open: null }));
const openHelp = (topic = ''): void => useHelp.setState({ open: topic });

const TEXT = 'input, textarea, select, [contenteditable], [role=textbox], [role=combobox]';

/** F1 everywhere, and ? where it is not written. In a matrix both are the editor's own. */
function useHelpKeys(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const isHelp = key === 'F1' || (key === '?' && !(target as Element).matches(TEXT));
      if (!isHelp || ctrlKey || metaKey || altKey || event.defaultPrevented || isDialogOpen())
        return;
      event.preventDefault();
      if (!runCommand('help')) openHelp();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** Topics as commands, so that Ctrl+K finds them. */
function useHelpCommands(): void {
  useCommands(
    useMemo(
      (): CommandSource => ({
        places: [],
        commands: () =>
          HELP_TOPICS.map(({ id, title }) => ({
            id: `topic.${id}`,
            label: title,
            group: t('Help'),
            keys: '',
            enabled: true,
            run: () => openHelp(id),
          })),
      }),
      [],
    ),
  );
}

/** The manual comes with the studio: it needs no network. A desktop shows it in the browser. */
function ManualLink() {
  const desktop = getDesktop();
  return (
    <p>
      {desktop === undefined ? (
        <a href={SERVER_PAGES.manual} target="_blank" rel="noreferrer">
          {t('Open the manual (in English)')}
        </a>
      ) : (
        <Button onClick={() => void desktop.openExternal('manual')}>
          {t('Open the manual (in English)')}
        </Button>
      )}
    </p>
  );
}

/** What the keys do on every page, and what people ask first. */
export function HelpDialog() {
  useHelpKeys();
  useHelpCommands();
  const open = useHelp((state) => state.open);
  if (open === null) return null;
  const topics = HELP_TOPICS.filter(({ id }) => open === '' || id === open);
  return (
    <Dialog
      onClose={() => useHelp.setState({ open: null })}
      title={open === '' || topics[0] === undefined ? t('Help') : topics[0].title}
      focus="dialog"
    >
      {/* It scrolls, so that a keyboard has to reach it. */}
      <div role="group" aria-label={t('Help')} tabIndex={0} className="help">
        {open === '' && <ManualLink />}
        {open === '' && (
          <dl className="help-keys">
            {KEYS.map(([keys, what]) => (
              <div key={keys}>
                <dt>
                  <kbd>{keys}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        )}
        {topics.map(({ id, title, text }) => (
          <section key={id} className="help-topic">
            {open === '' && <h3>{title}</h3>}
            <p>{text}</p>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
