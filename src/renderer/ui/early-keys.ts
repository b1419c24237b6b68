import type { BaseUIEvent } from '@base-ui/react/types';
import { type KeyboardEvent, useRef } from 'react';

const LEFT_TO_OTHERS = new Set(['Tab', 'Escape']);

/**
 * The focus comes into a list a moment after the key that opens it. Keys that are pressed meanwhile
 * are meant for the list: the first of them brings the focus there and is pressed again, or it
 * would be lost, and the next option chosen than the one that was meant.
 */
export function useEarlyKeys() {
  const list = useRef<HTMLDivElement>(null);
  const isOpening = useRef(false);

  function onKeyDown(event: BaseUIEvent<KeyboardEvent>): void {
    if (!isOpening.current || event.target !== event.currentTarget || LEFT_TO_OTHERS.has(event.key))
      return;
    const find = (selector: string): HTMLElement | null =>
      list.current?.querySelector<HTMLElement>(selector) ?? null;
    const option = find('[role=option][aria-selected=true]') ?? find('[role=option]');
    option?.focus();
    if (option === null || document.activeElement !== option) return;
    event.preventBaseUIHandler();
    event.preventDefault();
    event.stopPropagation();
    option.dispatchEvent(new window.KeyboardEvent('keydown', event.nativeEvent));
  }

  return {
    onOpenChange(open: boolean, { event }: { event: Event }): void {
      isOpening.current =
        open && (event.type === 'keydown' || (event instanceof MouseEvent && event.detail === 0));
    },
    /** Of what has the focus until the list has it: what opens it, and the list's frame. */
    onKeyDown,
    list: { ref: list, onFocus: () => void (isOpening.current = false) },
  };
}
