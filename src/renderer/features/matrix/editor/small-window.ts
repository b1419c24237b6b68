import type { Preferences } from '../model/preferences.ts';
import type { EditorStore } from './editor-state.ts';

const isSmall = (): boolean => globalThis.innerWidth < 760;

/**
 * In a small window, or one that is zoomed in, the matrix has the room until the panel is asked
 * for.
 */
export const fitted = (preferences: Preferences): Preferences =>
  isSmall() ? { ...preferences, panelOpen: false } : preferences;

/** Closes the panel when the window becomes small, unless somebody works in it. */
export function followWindow(store: EditorStore): () => void {
  let wasSmall = isSmall();
  const onResize = (): void => {
    const becomesSmall = isSmall() && !wasSmall;
    wasSmall = isSmall();
    const isInPanel = document.activeElement?.matches('.mx-panel *') === true;
    if (becomesSmall && !isInPanel)
      store.setState(({ preferences }) => ({ preferences: fitted(preferences) }));
  };
  window.addEventListener('resize', onResize);
  return () => window.removeEventListener('resize', onResize);
}
