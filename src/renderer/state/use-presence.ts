import { useEffect, useState } from 'react';
import type { CaseUid } from '../../shared/contract/ids.ts';
import { NOBODY, type Presence } from '../data/api/events.ts';
import { useServices } from './services.tsx';

/** Who else has a case open, and says so by it: this window is seen there meanwhile. */
export function usePresence(caseUid: CaseUid): Presence {
  const { watchPresence } = useServices();
  const [presence, setPresence] = useState(NOBODY);
  useEffect(() => {
    const stop = watchPresence(caseUid, setPresence);
    return () => {
      stop();
      setPresence(NOBODY);
    };
  }, [watchPresence, caseUid]);
  return presence;
}
