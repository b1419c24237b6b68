import { useEffect, useState } from 'react';
import type { CaseUid } from '../../shared/contract/ids.ts';
import { useServices } from './services.tsx';

/** How many other windows of this browser have the case open. */
export function useOtherWindows(caseUid: CaseUid): number {
  const { watchWindows } = useServices();
  const [count, setCount] = useState(0);
  useEffect(() => watchWindows(caseUid, setCount), [watchWindows, caseUid]);
  return count;
}
