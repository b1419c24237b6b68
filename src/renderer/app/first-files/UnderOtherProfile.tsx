import { Link, useNavigate } from 'react-router';
import type { CaseUid } from '../../../shared/contract/ids.ts';
import { STUDIO_PAGES } from '../../../shared/contract/page-addresses.ts';
import type { ProfileUid } from '../../../shared/domain/uid.ts';
import { casePath } from '../../features/cases/CasesTable.tsx';
import { formatProfileAddress } from '../../features/cases/profile-address.ts';
import { useProfile } from '../../features/profiles/versions.ts';
import { holdFiles } from '../../state/files-in-hand.ts';
import { rich } from '../../text/rich.ts';
import { t } from '../../text/t.ts';
import { Button } from '../../ui/Button.tsx';

/** Says that a profile must be imported first. */
export function MissingProfile({ profileUid }: { profileUid: ProfileUid }) {
  return (
    <p>
      {rich(
        'This studio does not have the profile {id}. Import it under {profiles} first, then this file again.',
        {
          id: <code>{profileUid}</code>,
          profiles: <Link to={STUDIO_PAGES.profiles}>{t('Profiles')}</Link>,
        },
      )}
    </p>
  );
}

/**
 * For files of a matrix under another profile: opens that matrix of the case, and imports there.
 */
export function UnderOtherProfile({
  caseUid,
  profileUid,
  files,
}: {
  caseUid: CaseUid;
  profileUid: ProfileUid;
  files: readonly File[];
}) {
  const navigate = useNavigate();
  const known = useProfile(profileUid).data;
  if (known === undefined) return null;
  if (known.found === undefined) return <MissingProfile profileUid={profileUid} />;
  const { name, version } = known.found.newest;
  const open = (): void => {
    holdFiles(files, caseUid);
    void navigate(
      `${casePath(caseUid)}?profile=${formatProfileAddress({ uid: profileUid, version })}`,
    );
  };
  return (
    <>
      <p>
        {t(
          'Each profile has a matrix of its own in a case. What is recorded under this one stays as it is.',
        )}
      </p>
      <div>
        <Button onClick={open}>
          {t('Open this case under {name} and import', { name: `${name} ${version}` })}
        </Button>
      </div>
    </>
  );
}
