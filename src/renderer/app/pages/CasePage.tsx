import { known, type CaseUid } from '../../../shared/contract/ids.ts';
import { useEffect, useState } from 'react';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router';
import { pageAddress, STUDIO_PAGES } from '../../../shared/contract/page-addresses.ts';
import { type Case, upsertCase } from '../../../shared/contract/v1/cases.ts';
import { settleField } from '../../../shared/contract/v1/contested.ts';
import {
  formatProfileAddress,
  parseProfileAddress,
  type ProfileAddress,
} from '../../features/cases/profile-address.ts';
import { compareVersions } from '../../../shared/domain/version.ts';
import { profilePath, useProfile } from '../../features/profiles/versions.ts';
import { useServices } from '../../state/services.tsx';
import { useMay } from '../../state/use-may.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { FailureNotice } from '../../ui/Loaded.tsx';
import { Page, type Crumb } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { carryPath } from '../carry-path.ts';
import { useCase, useContestedFields, useProject } from '../find.ts';
import { StageButton } from '../../features/sign-off/StageButton.tsx';
import { CaseMatrix } from '../CaseMatrix.tsx';
import { CaseRuns } from '../CaseRuns.tsx';
import { FieldConflicts } from '../FieldConflicts.tsx';
import { CaseMenu } from '../housekeeping/CaseMenu.tsx';
import { ChooseProfile } from '../ChooseProfile.tsx';
import { CaseLinks } from '../CaseLinks.tsx';
import '../../features/cases/cases.css';
import { rich } from '../../text/rich.ts';
import { t } from '../../text/t.ts';

function inUse(entry: Case | undefined): ProfileAddress | undefined {
  return entry === undefined || entry.profile_uid === null || entry.profile_version === null
    ? undefined
    : { uid: entry.profile_uid, version: entry.profile_version };
}

/** Whether this window has a copy: it stays readable where access to the case has ended. */
function useHolds(caseUid: CaseUid, profile: ProfileAddress | undefined): boolean {
  const { holds } = useServices();
  const [isHere, setHere] = useState(false);
  const { uid, version } = profile ?? {};
  useEffect(() => {
    let isOver = false;
    const isHeld =
      uid === undefined || version === undefined
        ? Promise.resolve(false)
        : holds({ caseUid, profileUid: uid, profileVersion: version });
    void isHeld.then(
      (found) => (isOver ? undefined : setHere(found)),
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [holds, caseUid, uid, version]);
  return isHere;
}

/** A case: its header, and the matrix under the profile of the address or the one in use. */
export function CasePage() {
  const caseUid = known.caseUid.parse(useParams().caseUid);
  const [search, setSearch] = useSearchParams();
  const { call, queries } = useServices();
  const mayResolve = useMay(settleField);
  const entry = useCase(caseUid);
  const contested = useContestedFields(caseUid);
  const project = useProject(entry.data?.project_id).data;
  const [choosing, setChoosing] = useState(false);
  const navigate = useNavigate();
  const isHere = useHolds(caseUid, parseProfileAddress(search.get('profile')));
  const profile = parseProfileAddress(search.get('profile')) ?? inUse(entry.data);
  const title = entry.data?.title ?? caseUid;
  const crumbs: Crumb[] = [
    { label: t('Projects'), to: STUDIO_PAGES.projects },
    ...(project === undefined
      ? []
      : [{ label: project.name, to: pageAddress('project', { projectId: project.project_id }) }]),
  ];
  const choose = (next: ProfileAddress) => {
    setChoosing(false);
    setSearch({ profile: formatProfileAddress(next) });
  };
  const body = () => {
    // If the address names a profile, the matrix opens from this computer even where the list of
    // cases cannot be read.
    if (profile !== undefined && !choosing && (entry.failure?.kind !== 'missing' || isHere))
      return (
        <CaseMatrix
          key={formatProfileAddress(profile)}
          caseUid={caseUid}
          caseTitle={title}
          profile={profile}
          isApproved={entry.data?.stage === 'approved'}
        />
      );
    if (entry.data !== undefined)
      return (
        <ChooseProfile
          entry={entry.data}
          current={profile}
          onChosen={choose}
          onCancel={profile === undefined ? undefined : () => setChoosing(false)}
        />
      );
    if (entry.failure !== undefined)
      return <FailureNotice failure={entry.failure} onRetry={entry.reload} />;
    return <Skeleton label={t('Loading the case…')} lines={8} />;
  };
  return (
    <Page
      layout="full"
      title={title}
      crumbs={crumbs}
      actions={
        <>
          {profile !== undefined && !choosing && (
            <ProfileInUse
              caseUid={caseUid}
              profile={profile}
              onVersion={(version) => choose({ uid: profile.uid, version })}
              onOther={() => setChoosing(true)}
              canChoose={entry.data !== undefined}
            />
          )}
          {profile !== undefined && <CaseLinks caseUid={caseUid} profile={profile} />}
          <CaseRuns caseUid={caseUid} />
          {entry.data !== undefined && (
            <StageButton caseUid={caseUid} stage={entry.data.stage ?? 'in_progress'} />
          )}
          {entry.data !== undefined && (
            <CaseMenu
              entry={entry.data}
              state={entry.data.archived ? 'archived' : 'active'}
              rounds={
                profile === undefined
                  ? undefined
                  : `${pageAddress('rounds', { caseUid })}?profile=${formatProfileAddress(profile)}`
              }
              onDeleted={() => void navigate(crumbs.at(-1)?.to ?? STUDIO_PAGES.projects)}
            />
          )}
        </>
      }
    >
      {contested.data !== undefined && (
        <FieldConflicts
          of="case"
          fields={contested.data}
          mayResolve={mayResolve}
          resolve={(body) => call(settleField, { params: { caseUid }, body })}
          onResolved={() => queries.invalidate('case')}
        />
      )}
      {body()}
    </Page>
  );
}

interface ProfileInUseProps {
  caseUid: CaseUid;
  profile: ProfileAddress;
  onVersion: (version: string) => void;
  onOther: () => void;
  canChoose: boolean;
}

/** Each version has its own matrix; a newer one can take over what means the same. */
function ProfileInUse({ caseUid, profile, onVersion, onOther, canChoose }: ProfileInUseProps) {
  const known = useProfile(profile.uid).data?.found;
  const versions = known?.versions ?? [];
  const name = versions.find((entry) => entry.version === profile.version)?.name ?? profile.uid;
  const newest = known?.newest.version;
  const mayCarry = useMay(upsertCase);
  const hasNewer = newest !== undefined && compareVersions(newest, profile.version) > 0;
  return (
    <>
      <span className="small muted" title={name}>
        {rich('Profile {name}', {
          name: (
            <Link to={profilePath(profile.uid, profile.version)}>
              {versions.length > 1 ? name : `${name} ${profile.version}`}
            </Link>
          ),
        })}
      </span>
      {versions.length > 1 && (
        <Select
          inline
          label={t('Version')}
          options={[...new Set(versions.map((entry) => entry.version))].map((version) => ({
            value: version,
            label: version,
          }))}
          value={profile.version}
          onValue={onVersion}
        />
      )}
      {hasNewer && mayCarry && (
        <ButtonLink
          size="sm"
          to={carryPath(caseUid, profile, { uid: profile.uid, version: newest })}
        >
          {t('Carry forward to {version}…', { version: newest })}
        </ButtonLink>
      )}
      <Button size="sm" onClick={onOther} disabled={!canChoose}>
        {t('Change profile…')}
      </Button>
    </>
  );
}
