import { useEffect, useState } from 'react';
import { recordEvidence } from '../../../shared/contract/v1/evidence.ts';
import { useServices } from '../../state/services.tsx';
import { useMay } from '../../state/use-may.ts';
import { useHome, useTotals } from '../../state/use-sync-status.ts';
import { Notice } from '../../ui/Notice.tsx';
import { t } from '../../text/t.ts';

const DAY_MS = 24 * 3_600_000;

/** Reasons why a person should not rely on this window's own store for long. */
function useStorageWarnings(): { lines: string[]; unsent: number } {
  const { persisted, clock } = useServices();
  const { oldest, waiting, blocked } = useTotals();
  const home = useHome();
  const mayRecord = useMay(recordEvidence);
  const [isPersisted, setIsPersisted] = useState<boolean | null>(null);
  useEffect(() => {
    let isGone = false;
    void persisted.then((answer) => (isGone ? undefined : setIsPersisted(answer)));
    return () => {
      isGone = true;
    };
  }, [persisted]);
  const unsent = waiting + blocked;
  const lines = [
    ...(isPersisted === false && home === 'hosted' && mayRecord
      ? [
          t(
            'This browser has not promised to keep what it stores for this page: it may throw unsent work away when space runs low. Stay online until all changes are saved, install the studio, or use the desktop application.',
          ),
        ]
      : []),
    ...(unsent > 0 && oldest !== null && clock.now() - oldest > DAY_MS
      ? [
          t(
            'Work in this window has not reached the server for more than a day. Export it, or bring the server back.',
          ),
        ]
      : []),
  ];
  return { lines, unsent };
}

/** The same where it matters: on every page while something is unsent. */
export function useUnsentWarnings(): string[] {
  const { lines, unsent } = useStorageWarnings();
  return unsent > 0 ? lines : [];
}

export function Storage() {
  return useStorageWarnings().lines.map((text) => (
    <Notice key={text} tone="warning" title={text} />
  ));
}
