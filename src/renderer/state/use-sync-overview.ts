import { useEffect, useState } from 'react';
import type { SyncOverview } from '../data/sync/sync-overview.ts';
import { createRerun } from './rerun.ts';
import { useServices } from './services.tsx';

interface OverviewAnswer<T> {
  data: T | undefined;
  problem: string | undefined;
}

/**
 * What the sync overview answers, asked again at every change; the previous answer stays until the
 * next is there.
 */
export function useSyncOverview<T>(ask: (overview: SyncOverview) => Promise<T>): OverviewAnswer<T> {
  const { overview } = useServices();
  const [answer, setAnswer] = useState<OverviewAnswer<T>>({ data: undefined, problem: undefined });
  useEffect(() => {
    const reading = createRerun(async (signal) => {
      try {
        const data = await ask(overview);
        if (!signal.aborted) setAnswer({ data, problem: undefined });
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        if (!signal.aborted) setAnswer((previous) => ({ ...previous, problem }));
      }
    });
    reading.request();
    const unsubscribe = overview.subscribe(reading.request);
    return () => {
      reading.stop();
      unsubscribe();
    };
  }, [overview, ask]);
  return answer;
}
