import { useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { CaseUid } from '../../shared/contract/ids.ts';
import type { ProfileAddress } from '../features/cases/profile-address.ts';
import type { ReleasedRounds } from '../features/matrix/editor/released-rounds.ts';
import { useServices } from '../state/services.tsx';

/**
 * What recorders of rounds of a matrix recorded independently, kept for when the server is away.
 */
export function useReleasedRounds(
  caseUid: CaseUid,
  { uid, version }: ProfileAddress,
): ReleasedRounds {
  const { library } = useServices();
  const [search] = useSearchParams();
  const [asked] = useState(() => search.get('round') ?? undefined);
  return useMemo(
    () => ({
      asked,
      list: async () =>
        (await library.rounds(caseUid)).data.data
          .filter(
            ({ state, profile_uid, profile_version }) =>
              state === 'released' && profile_uid === uid && profile_version === version,
          )
          .map(({ round_id, title }) => ({ id: round_id, title })),
      cells: async (round, agreement) => (await library.ratings(caseUid, round, agreement)).data,
    }),
    [library, asked, caseUid, uid, version],
  );
}
