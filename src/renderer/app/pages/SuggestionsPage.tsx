import { useParams, useSearchParams } from 'react-router';
import { type CaseUid, known } from '../../../shared/contract/ids.ts';
import { parseProfileAddress, type ProfileAddress } from '../../features/cases/profile-address.ts';
import { SuggestionQueue } from '../../features/suggestions/SuggestionQueue.tsx';
import { useQuery } from '../../state/query.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { Page } from '../../ui/Page.tsx';
import { t } from '../../text/t.ts';
import { useCaseCrumbs } from '../case-crumbs.ts';
import { NotFound } from '../RouteError.tsx';

/** What agents and people suggest for the matrix of a case, decided by a person. */
export function SuggestionsPage() {
  const caseUid = known.caseUid.parse(useParams().caseUid);
  const profile = parseProfileAddress(useSearchParams()[0].get('profile'));
  const crumbs = useCaseCrumbs(caseUid, profile);
  if (profile === undefined) return <NotFound />;
  return (
    <Page title={t('Suggestions')} crumbs={crumbs}>
      <Queue caseUid={caseUid} profile={profile} />
    </Page>
  );
}

function Queue({
  caseUid,
  profile: { uid, version },
}: {
  caseUid: CaseUid;
  profile: ProfileAddress;
}) {
  const document = useQuery(`profile/${uid}@${version}`, (library) =>
    library.profile(uid, version),
  );
  return (
    <Loaded query={document} what={t('the profile')} lines={8}>
      {({ rules }) => <SuggestionQueue matrix={{ caseUid, uid, version }} rules={rules} />}
    </Loaded>
  );
}
