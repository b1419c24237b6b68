import type { Editor } from '../editor/editor.ts';
import type { GridPort } from '../editor/editor-state.ts';

/** Milliseconds without scrolling before the place is noted. */
const STILL = 80;

/** Notes where the matrix is scrolled to, for a reload or another day. */
export function listenToScroll(
  host: HTMLElement,
  editor: Editor,
  viewport: () => HTMLElement | null,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const notePlace = (): void => {
    timer = undefined;
    const { scrollTop: top = 0, scrollLeft: left = 0 } = viewport() ?? {};
    editor.store.setState({ scroll: { top, left } });
  };
  /** The grid's own scroll bar follows with events of its own. */
  const onScroll = (): void => {
    clearTimeout(timer);
    timer = setTimeout(notePlace, STILL);
  };
  /**
   * Called before the scroll position is saved for the last time: the scroll event comes only with
   * the next frame, which may never come.
   */
  const onPageHide = (): void => {
    clearTimeout(timer);
    const { scroll } = editor.store.getState();
    const shown = viewport();
    if (shown !== null && (shown.scrollTop !== scroll.top || shown.scrollLeft !== scroll.left))
      notePlace();
  };
  host.addEventListener('scroll', onScroll, { capture: true, passive: true });
  window.addEventListener('pagehide', onPageHide, { capture: true });
  return () => {
    clearTimeout(timer);
    host.removeEventListener('scroll', onScroll, { capture: true });
    window.removeEventListener('pagehide', onPageHide, { capture: true });
  };
}

/**
 * Back to where the matrix was scrolled to, and to its focused cell where nothing has the focus.
 */
export function scrollBack(
  editor: Editor,
  viewport: () => HTMLElement | null,
  port: GridPort,
): void {
  const { scroll, selection } = editor.store.getState();
  const scrollTo = (): void => viewport()?.scrollTo(scroll.left, scroll.top);
  scrollTo();
  if (selection === null || document.activeElement !== document.body) return;
  port.focus(selection.focus);
  scrollTo();
}
