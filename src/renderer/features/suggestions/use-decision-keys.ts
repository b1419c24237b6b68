import { useEffect, useRef } from 'react';
import { isDialogOpen } from '../../ui/is-dialog-open.ts';

type DecisionKey = 'a' | 'x' | 's' | 'e' | 'undo';

const TYPED_IN = 'input, textarea, select, [role="combobox"], [role="listbox"], [role="menu"]';

function keyOf(event: KeyboardEvent): DecisionKey | undefined {
  const key = event.key.toLowerCase();
  if (event.altKey) return undefined;
  if (event.ctrlKey || event.metaKey) return key === 'z' && !event.shiftKey ? 'undo' : undefined;
  return key === 'a' || key === 'x' || key === 's' || key === 'e' ? key : undefined;
}

/** One key a decision, wherever the focus is on the page but in a field or a list. */
export function useDecisionKeys(act: (key: DecisionKey) => void): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { target } = event;
      const isTyped = target instanceof Element && target.closest(TYPED_IN) !== null;
      const key = keyOf(event);
      // A key that is held down decides once.
      if (key === undefined || isTyped || event.repeat || isDialogOpen()) return;
      event.preventDefault();
      latest.current(key);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}
