import { useCallback, useEffect, useRef } from 'react';

/**
 * For an act that leads to another page in the end. Called as it begins; what it returns says
 * whether the person still waits for that: what began it is on screen, on the same page.
 */
export function useStillHere(): () => () => boolean {
  const isMounted = useRef(true);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return useCallback(() => {
    const { pathname } = window.location;
    return () => isMounted.current && window.location.pathname === pathname;
  }, []);
}
