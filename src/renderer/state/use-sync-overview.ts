import { useEffect, useState } from 'react';
import type { Desk } from '../data/sync/desk.ts';
import { useServices } from './services.tsx';

/**
 * What the sync overview answers, asked again at every change; the previous answer stays until the
 * next is there.
 */
export function useSyncOverview<T>(ask: (desk: Desk) => Promise<T>): {
  data: T | undefined;
  problem: string | undefined;
} {
  const { desk } = useServices();
  const [state, setState] = useState<{ data: T | undefined; problem: string | undefined }>({
    data: undefined,
    problem: undefined,
  });
  useEffect(() => {
    let isOver = false;
    let isAsking = false;
    let again = false;
    const read = async (): Promise<void> => {
      again = true;
      if (isAsking) return;
      isAsking = true;
      while (again && !isOver) {
        again = false;
        try {
          const data = await ask(desk);
          if (!isOver) setState({ data, problem: undefined });
        } catch (error) {
          const problem = error instanceof Error ? error.message : String(error);
          if (!isOver) setState((previous) => ({ ...previous, problem }));
        }
      }
      isAsking = false;
    };
    void read();
    const stop = desk.subscribe(() => void read());
    return () => {
      isOver = true;
      stop();
    };
  }, [desk, ask]);
  return state;
}
