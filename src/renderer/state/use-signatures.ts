import type { RunUid } from '../../shared/contract/ids.ts';
import { type CheckedSignature, listSignatures } from '../../shared/contract/v1/sign-off.ts';
import { allOf } from './all-of.ts';
import { type Query, useQuery } from './query.ts';
import { useServices } from './services.tsx';

/** The signatures on a run, each checked by the server. */
export function useSignatures(runUid: RunUid): Query<CheckedSignature[]> {
  const { call, clock } = useServices();
  return useQuery(`signatures/${runUid}`, async () => ({
    data: await allOf((cursor) =>
      call(listSignatures, { params: { runUid }, query: { ...cursor, limit: '200' } }),
    ),
    stale: false,
    at: clock.now(),
  }));
}
