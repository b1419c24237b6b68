import type { RefObject } from 'react';

/**
 * Remembers where the focus is. What it returns gives it to the list, unless the person has put it
 * somewhere else meanwhile: a button that was disabled loses it to what holds the list.
 */
export function focusAfter(list: RefObject<HTMLElement | null>): () => void {
  const before = document.activeElement;
  return () => {
    const { activeElement: now } = document;
    if (now === null || now === before || now.contains(list.current)) list.current?.focus();
  };
}
