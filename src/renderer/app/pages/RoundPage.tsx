import { useParams } from 'react-router';
import { known } from '../../../shared/contract/ids.ts';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import type { Round } from '../../../shared/contract/v1/rounds.ts';
import type { ProfileRule } from '../../../shared/domain/profile.ts';
import { casePath } from '../../features/cases/CasesTable.tsx';
import { formatProfileAddress, type ProfileAddress } from '../../features/cases/profile-address.ts';
import { AgreementView } from '../../features/rounds/AgreementView.tsx';
import { LayerFilePart } from '../../features/rounds/LayerFilePart.tsx';
import { RoundSheet } from '../../features/rounds/RoundSheet.tsx';
import { useAgreement, useRound } from '../../features/rounds/use-rounds.ts';
import { isDone } from '../../features/rounds/words.ts';
import { useQuery } from '../../state/query.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Page } from '../../ui/Page.tsx';
import { t } from '../../text/t.ts';
import { useCaseCrumbs } from '../case-crumbs.ts';

/**
 * One independent recording: one's own sheet while it is open, then how far the recorders agree.
 */
export function RoundPage() {
  const { caseUid: uid, roundId = '' } = useParams();
  const caseUid = known.caseUid.parse(uid);
  const round = useRound(caseUid, roundId);
  const profile: ProfileAddress | undefined = round.data && {
    uid: round.data.profile_uid,
    version: round.data.profile_version,
  };
  const crumbs = useCaseCrumbs(caseUid, profile);
  const rounds = pageAddress('rounds', { caseUid });
  return (
    <Page
      title={round.data?.title ?? t('Independent recording')}
      crumbs={[
        ...crumbs,
        {
          label: t('Independent recording'),
          to: profile === undefined ? rounds : `${rounds}?profile=${formatProfileAddress(profile)}`,
        },
      ]}
    >
      <Loaded query={round} what={t('the independent recording')} lines={8}>
        {(loaded) => <WithRules round={loaded} />}
      </Loaded>
    </Page>
  );
}

function WithRules({ round }: { round: Round }) {
  const { profile_uid, profile_version } = round;
  const profile = useQuery(`profile/${profile_uid}@${profile_version}`, (library) =>
    library.profile(profile_uid, profile_version),
  );
  const me = useQuery('session', (library) => library.session()).data?.user.user_id;
  const own = round.recorders.find(({ recorder }) => recorder === me);
  return (
    <Loaded query={profile} what={t('the profile')} lines={8}>
      {({ rules }) => (
        <>
          {round.state === 'released' ? (
            <Released round={round} rules={rules} />
          ) : own === undefined || own.removed || isDone(own) ? (
            <Notice title={t('Not released yet')}>
              <p>
                {own !== undefined && isDone(own)
                  ? t('You are done. What was recorded is shown once enough recorders are done.')
                  : t('What was recorded is shown once enough recorders are done.')}
              </p>
            </Notice>
          ) : (
            <RoundSheet key={round.round_id} round={round} recorder={own.recorder} rules={rules} />
          )}
          {own !== undefined && !own.removed && (
            <LayerFilePart round={round} isDone={isDone(own)} />
          )}
        </>
      )}
    </Loaded>
  );
}

/** Where the matrix is opened with what its recorders differ on. */
const decidePath = ({ case_uid, round_id, profile_uid, profile_version }: Round): string =>
  `${casePath(case_uid)}?${new URLSearchParams({
    profile: formatProfileAddress({ uid: profile_uid, version: profile_version }),
    review: 'independent',
    round: round_id,
  })}`;

function Released({ round, rules }: { round: Round; rules: readonly ProfileRule[] }) {
  const agreement = useAgreement(round.case_uid, round.round_id);
  return (
    <Loaded query={agreement} what={t('the agreement')} lines={8}>
      {(figures) => (
        <>
          <ButtonLink variant="primary" to={decidePath(round)}>
            {t('Decide where they differ…')}
          </ButtonLink>
          <AgreementView agreement={figures} rules={rules} />
        </>
      )}
    </Loaded>
  );
}
