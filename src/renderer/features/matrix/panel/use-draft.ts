import { type KeyboardEvent, useEffect, useRef, useState } from 'react';

interface TextDraft {
  text: string;
  /** It was begun on another value than the one that is there now, which saving would replace. */
  isOvertaken: boolean;
  setText(text: string): void;
  /** Hands the text over if it was edited. */
  commit(): void;
  onKeyDown(event: KeyboardEvent): void;
}

/**
 * A text field that is saved as one change: on leaving it, on Ctrl+Enter, and when it is removed
 * with an edit in it. Escape discards the edit. The caller gives the field a key for each cell, so
 * that an edit can never end up in another cell.
 */
export function useDraft(
  value: string,
  save: (text: string) => void,
  leave: () => void,
): TextDraft {
  const [draft, setDraft] = useState<string | null>(null);
  const [begun, setBegun] = useState(value);
  const latest = useRef({ draft: null as string | null, value, save });
  useEffect(() => {
    latest.current.value = value;
    latest.current.save = save;
  });
  const set = (text: string | null): void => {
    if (latest.current.draft === null) setBegun(value);
    latest.current.draft = text;
    setDraft(text);
  };
  const commit = (): void => {
    const { draft: text, value: before, save: hand } = latest.current;
    if (text === null) return;
    set(null);
    if (text !== before) hand(text);
  };
  useEffect(
    () => () => {
      const { draft: text, value: before, save: hand } = latest.current;
      latest.current.draft = null;
      if (text !== null && text !== before) hand(text);
    },
    [],
  );
  return {
    text: draft ?? value,
    isOvertaken: draft !== null && value !== begun && value !== draft,
    setText: set,
    commit,
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
