import type { ReactNode } from 'react';
import type { CaseUid } from '../../shared/contract/ids.ts';
import { pageAddress } from '../../shared/contract/page-addresses.ts';
import type { Round } from '../../shared/contract/v1/rounds.ts';
import type { ProfileAddress } from '../features/cases/profile-address.ts';
import { useRounds } from '../features/rounds/use-rounds.ts';
import { useQuery } from '../state/query.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { t } from '../text/t.ts';

/** The open round whose recorder is at this window, and is not to see the record meanwhile. */
function useHidingRound(caseUid: CaseUid, { uid, version }: ProfileAddress): Round | undefined {
  const me = useQuery('session', (library) => library.session()).data?.user.user_id;
  return useRounds(caseUid).data?.find(
    ({ state, record, profile_uid, profile_version, recorders }) =>
      state === 'open' &&
      record === 'hidden' &&
      profile_uid === uid &&
      profile_version === version &&
      recorders.some(({ recorder, removed }) => recorder === me && !removed),
  );
}

/** The matrix, unless the person records its cells independently. */
export function RecordingApart({
  caseUid,
  profile,
  children,
}: {
  caseUid: CaseUid;
  profile: ProfileAddress;
  children: ReactNode;
}) {
  const round = useHidingRound(caseUid, profile);
  if (round === undefined) return children;
  return (
    <EmptyState
      title={t('You record this matrix independently')}
      actions={
        <ButtonLink
          variant="primary"
          to={pageAddress('round', { caseUid, roundId: round.round_id })}
        >
          {t('To your recording')}
        </ButtonLink>
      }
    >
      <p>
        {t('What others have recorded is hidden from you until "{title}" is released.', {
          title: round.title,
        })}
      </p>
    </EmptyState>
  );
}
