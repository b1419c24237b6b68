import { useEffect, useState } from 'react';
import type { MatrixSession } from '../../../data/store/port.ts';
import { createRerun } from '../../../state/rerun.ts';
import { countCells, pause, type RuleCount } from './carry-cells.ts';

/** How much is recorded, counted again with every change of either matrix, unless copying. */
export function useCounts(
  source: MatrixSession,
  target: MatrixSession,
  isCopying: boolean,
): ReadonlyMap<string, RuleCount> | undefined {
  const [counts, setCounts] = useState<ReadonlyMap<string, RuleCount>>();
  useEffect(() => {
    if (isCopying) return undefined;
    const counting = createRerun(async (signal) => {
      const found = await countCells(source, target, source.rules, { signal, pause });
      if (!signal.aborted) setCounts(found);
    });
    counting.request();
    const unsubscribe = [source, target].map((session) => session.subscribe(counting.request));
    return () => {
      counting.stop();
      for (const end of unsubscribe) end();
    };
  }, [source, target, isCopying]);
  return counts;
}
