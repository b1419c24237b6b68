import type { CaseUid } from '../../../shared/contract/ids.ts';
import { getSignOff, type SignOff } from '../../../shared/contract/v1/sign-off.ts';
import { type Query, useQuery } from '../../state/query.ts';
import { useServices } from '../../state/services.tsx';

/** In which stage a case is, as its server says: it is moved there. */
export function useSignOff(caseUid: CaseUid): Query<SignOff> {
  const { call, clock } = useServices();
  return useQuery(`case-stage/${caseUid}`, async () => ({
    data: await call(getSignOff, { params: { caseUid } }),
    stale: false,
    at: clock.now(),
  }));
}
