import { useEffect, useState } from 'react';

const PAUSE_MS = 200;

/** A value once it has stayed the same for a moment, so that not every letter is asked for. */
export function useDebounced<T>(value: T): T {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
