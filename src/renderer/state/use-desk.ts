import { useEffect, useState } from 'react';
import type { Desk } from '../data/sync/desk.ts';
import { useServices } from './services.tsx';

/**
 * What the desk answers now, asked again whenever something moves; the former answer stays until
 * the next is there.
 */
export function useDesk<T>(ask: (desk: Desk) => Promise<T>): {
  data: T | undefined;
  problem: string | undefined;
} {
  const { desk } = useServices();
  const [state, setState] = useState<{ data: T | undefined; problem: string | undefined }>({
    data: undefined,
    problem: undefined,
  });
  useEffect(() => {
    let isGone = false;
    let isAsking = false;
    let again = false;
    const read = async (): Promise<void> => {
      again = true;
      if (isAsking) return;
      isAsking = true;
      while (again && !isGone) {
        again = false;
        try {
          const data = await ask(desk);
          if (!isGone) setState({ data, problem: undefined });
        } catch (error) {
          const problem = error instanceof Error ? error.message : String(error);
          if (!isGone) setState((former) => ({ ...former, problem }));
        }
      }
      isAsking = false;
    };
    void read();
    const stop = desk.subscribe(() => void read());
    return () => {
      isGone = true;
      stop();
    };
  }, [desk, ask]);
  return state;
}
