import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Hold } from './Held.tsx';

interface TextDraft {
  text: string;
  /** It was begun on another value than the one that is there now, which saving would replace. */
  isOvertaken: boolean;
  isEdited: boolean;
  setText(text: string): void;
  /** Hands the text over if it was edited, and is not held. */
  commit(): void;
  save(): void;
  drop(): void;
  onKeyDown(event: KeyboardEvent): void;
}

/**
 * A text field that is saved as one change: on leaving it, on Ctrl+Enter, and when it is removed
 * with an edit in it. Escape discards the edit. The caller gives the field a key for each cell, so
 * that an edit can never end up in another cell. While it is on hold an edit is saved by `save`
 * alone; where the field is removed, the hold hears of it.
 */
export function useDraft(
  value: string,
  save: (text: string) => void,
  leave: () => void,
  hold?: Hold,
): TextDraft {
  const [draft, setDraft] = useState<string | null>(null);
  const [begun, setBegun] = useState(value);
  const latest = useRef({ draft: null as string | null, value, save, hold });
  useLayoutEffect(() => {
    latest.current = { ...latest.current, value, save, hold };
  });
  const set = (text: string | null): void => {
    if (latest.current.draft === null) setBegun(value);
    latest.current.draft = text;
    setDraft(text);
  };
  const handOver = (): void => {
    const { draft: text, value: before, save: hand } = latest.current;
    if (text === null) return;
    set(null);
    if (text !== before) hand(text);
  };
  const commit = (): void => {
    const { draft: text, value: before, hold: held } = latest.current;
    if (held === undefined || text === before) handOver();
  };
  useEffect(
    () => () => {
      const { draft: text, value: before, save: hand, hold: held } = latest.current;
      latest.current.draft = null;
      if (text !== null && text !== before) (held?.onLost ?? hand)(text);
    },
    [],
  );
  return {
    text: draft ?? value,
    isOvertaken: draft !== null && value !== begun && value !== draft,
    isEdited: draft !== null && draft !== value,
    setText: set,
    commit,
    save: handOver,
    drop: () => set(null),
    onKeyDown: (event) => {
      if (event.nativeEvent.isComposing) return;
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        commit();
      } else if (event.key === 'Escape') {
        event.preventDefault();
        if (latest.current.draft === null) leave();
        else set(null);
      }
    },
  };
}
