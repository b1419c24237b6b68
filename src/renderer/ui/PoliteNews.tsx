import { useEffect, useRef, useState } from 'react';

/** What flickers is not read out: only what still holds after this. */
const SETTLED_MS = 1_500;

/**
 * Reads `text` out politely when it has changed and stays. What stood there at first is no news.
 */
export function PoliteNews({ text }: { text: string }) {
  const [shown, setShown] = useState('');
  const last = useRef(text);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (last.current === text) return;
      last.current = text;
      setShown(text);
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <span className="visually-hidden" role="status" data-testid="sync-news">
      {shown}
    </span>
  );
}
