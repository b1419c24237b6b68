import { useEffect, useState } from 'react';
import { useServices } from '../../state/services.tsx';
import { useHome, useTotals } from '../../state/use-standing.ts';
import { Notice } from '../../ui/Notice.tsx';

const DAY_MS = 24 * 3_600_000;

/** What a person should know of this window's own store before trusting it for long. */
export function useStorageWarnings(): string[] {
  const { persisted, clock } = useServices();
  const { oldest, waiting, parked } = useTotals();
  const home = useHome();
  const [kept, setKept] = useState<boolean | null>(null);
  useEffect(() => {
    let isGone = false;
    void persisted.then((answer) => (isGone ? undefined : setKept(answer)));
    return () => {
      isGone = true;
    };
  }, [persisted]);
  const unsent = waiting + parked;
  return [
    ...(kept === false && home === 'hosted' ? ['This browser has not promised to keep what it stores for this page: it may throw unsent work away when space runs low. Stay online until nothing waits, or use the desktop application.'] : []),
    ...(unsent > 0 && oldest !== null && clock.now() - oldest > DAY_MS ? ['Work in this window has not reached the server for more than a day. Export it, or bring the server back.'] : []),
  ];
}

export function Storage() {
  const warnings = useStorageWarnings();
  return warnings.map((text) => <Notice key={text} tone="warning" title={text} />);
}
