import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { known } from '../../../shared/contract/ids.ts';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import { openRound, releaseRound, type Round } from '../../../shared/contract/v1/rounds.ts';
import { parseProfileAddress } from '../../features/cases/profile-address.ts';
import { OpenRoundDialog } from '../../features/rounds/OpenRoundDialog.tsx';
import { ReleaseDialog } from '../../features/rounds/ReleaseDialog.tsx';
import { RoundList } from '../../features/rounds/RoundList.tsx';
import { useRounds } from '../../features/rounds/use-rounds.ts';
import { useMay } from '../../state/use-may.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Page } from '../../ui/Page.tsx';
import { t } from '../../text/t.ts';
import { useCaseCrumbs } from '../case-crumbs.ts';

/** Independent recordings of a case: what is open, who is done, what is released. */
export function RoundsPage() {
  const caseUid = known.caseUid.parse(useParams().caseUid);
  const profile = parseProfileAddress(useSearchParams()[0].get('profile'));
  const rounds = useRounds(caseUid);
  const mayOpen = useMay(openRound);
  const mayRelease = useMay(releaseRound);
  const [opening, setOpening] = useState(false);
  const [releasing, release] = useState<Round>();
  const crumbs = useCaseCrumbs(caseUid, profile);
  return (
    <Page
      title={t('Independent recording')}
      crumbs={crumbs}
      actions={
        mayOpen &&
        profile !== undefined && (
          <Button
            variant="primary"
            icon={<Plus size={15} aria-hidden="true" />}
            onClick={() => setOpening(true)}
          >
            {t('Open a recording…')}
          </Button>
        )
      }
    >
      <Loaded query={rounds} what={t('independent recordings')} lines={6}>
        {(entries) =>
          entries.length === 0 ? (
            <EmptyState title={t('No independent recording yet')}>
              <p>
                {t(
                  'Two or more people or agents record the same cells without seeing each other; afterwards the studio shows how far they agree.',
                )}
              </p>
            </EmptyState>
          ) : (
            <RoundList
              rounds={entries}
              acts={(round) => (
                <>
                  <ButtonLink
                    size="sm"
                    to={pageAddress('round', { caseUid, roundId: round.round_id })}
                  >
                    {round.state === 'released' ? t('Agreement') : t('Show')}
                  </ButtonLink>
                  {round.state === 'open' && mayRelease && (
                    <Button size="sm" onClick={() => release(round)}>
                      {t('Release…')}
                    </Button>
                  )}
                </>
              )}
            />
          )
        }
      </Loaded>
      {opening && profile !== undefined && (
        <OpenRoundDialog caseUid={caseUid} profile={profile} onClose={() => setOpening(false)} />
      )}
      {releasing !== undefined && (
        <ReleaseDialog round={releasing} onClose={() => release(undefined)} />
      )}
    </Page>
  );
}
