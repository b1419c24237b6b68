import { useParams, useSearchParams } from 'react-router';
import { type CaseUid, known } from '../../../shared/contract/ids.ts';
import { pageAddress, STUDIO_PAGES } from '../../../shared/contract/page-addresses.ts';
import {
  formatProfileAddress,
  parseProfileAddress,
  type ProfileAddress,
} from '../../features/cases/profile-address.ts';
import { SuggestionQueue } from '../../features/suggestions/SuggestionQueue.tsx';
import { useQuery } from '../../state/query.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { Page } from '../../ui/Page.tsx';
import { t } from '../../text/t.ts';
import { useCase, useProject } from '../find.ts';
import { NotFound } from '../RouteError.tsx';

/** What agents and people suggest for the matrix of a case, decided by a person. */
export function SuggestionsPage() {
  const caseUid = known.caseUid.parse(useParams().caseUid);
  const profile = parseProfileAddress(useSearchParams()[0].get('profile'));
  const entry = useCase(caseUid).data;
  const project = useProject(entry?.project_id).data;
  if (profile === undefined) return <NotFound />;
  return (
    <Page
      title={t('Suggestions')}
      crumbs={[
        { label: t('Projects'), to: STUDIO_PAGES.projects },
        ...(project === undefined
          ? []
          : [
              {
                label: project.name,
                to: pageAddress('project', { projectId: project.project_id }),
              },
            ]),
        {
          label: entry?.title ?? caseUid,
          to: `${pageAddress('case', { caseUid })}?profile=${formatProfileAddress(profile)}`,
        },
      ]}
    >
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
