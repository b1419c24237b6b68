import { useEffect, useState } from 'react';
import type { Announcement } from './editor/editor-state.ts';
import { useEditor } from './editor/use-editor.ts';

/** Milliseconds of quiet before something is read out: a drag announces its end, not each step. */
const QUIET = 250;

/** Most announcements read out after one pause: a key held down must not fill the ear. */
const MAX_MESSAGES = 2;

/** Announcements as sentences, one after another. */
export const inTurn = (texts: readonly string[]): string =>
  texts
    .map((text, at) => (at < texts.length - 1 && !/[.!?]$/.test(text) ? `${text}.` : text))
    .join(' ');

/** What happened, for those who do not see it. The same words twice are two announcements. */
export function LiveRegion() {
  const { store } = useEditor();
  const [text, setText] = useState('');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let waiting: Announcement[] = [];
    const speak = (): void => {
      const words = inTurn(waiting.map((one) => one.text));
      waiting = [];
      setText((old) => (old === words ? `${words}\u00a0` : words));
    };
    const stop = store.subscribe(({ announcement }, before) => {
      if (announcement === before.announcement) return;
      waiting = [...waiting.filter((one) => !one.passing), announcement].slice(-MAX_MESSAGES);
      clearTimeout(timer);
      timer = setTimeout(speak, QUIET);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [store]);
  return (
    <div className="visually-hidden" role="status" aria-live="polite" data-testid="mx-live">
      {text}
    </div>
  );
}
