import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { Search as SearchIcon } from 'lucide-react';
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { type Command, closePalette, openPalette, useCommandState } from '../../state/commands.ts';
import { focusAtOnce } from '../../ui/focus-at-once.ts';
import { isDialogOpen } from '../../ui/is-dialog-open.ts';
import { loadRecent, saveRecent, withRecent } from '../../state/recent-commands.ts';
import { type Section, sectionsFor } from './sections.ts';
import { FOUND, type Search } from './found.ts';
import './palette.css';
import { inSentence, t } from '../../text/t.ts';

/** Ctrl+K, Cmd+K on a Mac, wherever no dialog is open. */
function useOpeningKey(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isMeant =
        (event.ctrlKey || event.metaKey) &&
        !event.altKey &&
        !event.shiftKey &&
        event.code === 'KeyK';
      if (event.defaultPrevented || !isMeant || isDialogOpen()) return;
      event.preventDefault();
      openPalette();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** What else is found for a text, beside what is on screen. A hook. */
type Finder = (typed: string) => Search;
const NOTHING: Search = { sections: [], isUnderWay: false };
const useNothing: Finder = () => NOTHING;

/** All commands of what is on screen, and whatever else is found by typing. */
export function Palette({ useFound = useNothing }: { useFound?: Finder }) {
  useOpeningKey();
  const asked = useCommandState((state) => state.palette);
  const chosen = useRef<Command>(undefined);
  const before = useRef<Element>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(
    () =>
      useCommandState.subscribe((now, previous) => {
        if (now.palette !== 'closed' && previous.palette === 'closed')
          before.current = document.activeElement;
      }),
    [],
  );
  /**
   * Runs the command after the focus is back where it was, so that whatever the command opens
   * returns it there too.
   */
  const leave = (): boolean => {
    const command = chosen.current;
    chosen.current = undefined;
    if (before.current instanceof HTMLElement && before.current.isConnected)
      before.current.focus({ preventScroll: true });
    command?.run();
    return false;
  };
  if (asked === 'closed') return null;
  return (
    <Dialog.Root open onOpenChange={closePalette}>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-backdrop" />
        <Dialog.Viewport className="dialog-viewport palette-viewport">
          <Dialog.Popup
            className="dialog palette"
            aria-label={t('Commands')}
            initialFocus={() => focusAtOnce(null, input.current)}
            finalFocus={leave}
          >
            <Choices
              place={asked === 'all' ? undefined : asked.place}
              input={input}
              useFound={useFound}
              onChoose={(command) => {
                chosen.current = command;
                closePalette();
              }}
            />
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Choices({
  place,
  input,
  useFound,
  onChoose,
}: {
  place: string | undefined;
  input: RefObject<HTMLInputElement | null>;
  useFound: Finder;
  onChoose: (command: Command) => void;
}) {
  const sources = useCommandState((state) => state.sources);
  const [typed, setTyped] = useState('');
  const [recent] = useState(loadRecent);
  const everywhere = useFound(place === undefined ? typed : '');
  const sections = useMemo(
    () => sectionsFor(sources, place, typed, recent, everywhere.sections),
    [sources, place, typed, recent, everywhere],
  );
  const found = sections.reduce((sum, section) => sum + section.items.length, 0);
  const choose = (command: Command): void => {
    if (!command.enabled) return;
    if (place === undefined && !command.id.startsWith(FOUND))
      saveRecent(withRecent(recent, command.id));
    onChoose(command);
  };
  return (
    <Autocomplete.Root
      inline
      open
      items={sections}
      mode="none"
      value={typed}
      onValueChange={(value, { reason }) => {
        if (reason !== 'item-press') setTyped(value);
      }}
      autoHighlight="always"
      itemToStringValue={(command: Command) => command.label}
    >
      <div className="palette-field">
        <SearchIcon size={16} aria-hidden="true" />
        <Autocomplete.Input
          className="palette-input"
          ref={input}
          aria-label={
            place === undefined
              ? t('Find a command')
              : t('Find in {place}', { place: inSentence(place) })
          }
          placeholder={
            place === undefined
              ? t('Command, project, case, item, run, rule or help')
              : t('Find in {place}', { place: inSentence(place) })
          }
        />
      </div>
      <FoundWords found={found} typed={typed} isUnderWay={everywhere.isUnderWay} />
      <Autocomplete.List className="palette-list">
        {(section: Section) => (
          <Autocomplete.Group key={section.value} items={section.items} className="palette-group">
            <Autocomplete.GroupLabel className="popup-label">
              {section.value}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(command: Command) => (
                <Autocomplete.Item
                  key={command.id}
                  value={command}
                  disabled={!command.enabled}
                  className="popup-item palette-item"
                  onClick={() => choose(command)}
                >
                  <span className="palette-label">{command.label}</span>
                  {command.enabled ? (
                    command.detail !== undefined && (
                      <span className="palette-detail">{command.detail}</span>
                    )
                  ) : (
                    <span className="palette-detail">
                      {command.reason ?? t('unavailable here')}
                    </span>
                  )}
                  {command.keys !== '' && (
                    <span className="palette-keys">
                      <kbd>{command.keys}</kbd>
                    </span>
                  )}
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

/** How much is listed; where it is nothing, that on the screen too. */
function FoundWords({
  found,
  typed,
  isUnderWay,
}: {
  found: number;
  typed: string;
  isUnderWay: boolean;
}) {
  const nothing = isUnderWay ? t('Searching…') : t('Nothing found');
  return (
    <>
      <div className="visually-hidden" role="status">
        {found === 0 ? nothing : t('{count} found', { count: found })}
      </div>
      {found === 0 && (
        <p className="palette-none">
          {isUnderWay ? nothing : t('Nothing fits “{typed}”.', { typed })}
        </p>
      )}
    </>
  );
}
