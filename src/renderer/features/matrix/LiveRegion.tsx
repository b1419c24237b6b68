import { useEffect, useState } from 'react';
import { useEditor } from './use-editor.ts';

/** Milliseconds of quiet before something is read out: a drag announces its end, not each step. */
const QUIET = 250;

/** What happened, for those who do not see it. The same words twice are two announcements. */
export function LiveRegion() {
  const { store } = useEditor();
  const [text, setText] = useState('');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = store.subscribe(({ announcement }, before) => {
      if (announcement === before.announcement) return;
      clearTimeout(timer);
      timer = setTimeout(() => setText((old) => (old === announcement.text ? `${announcement.text}\u00a0` : announcement.text)), QUIET);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [store]);
  return <div className="visually-hidden" role="status" aria-live="polite" data-testid="mx-live">{text}</div>;
}
