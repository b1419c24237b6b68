import { useEffect, useRef, useState } from 'react';
import { upsertCase, type Case } from '../../shared/contract/v1/cases.ts';
import type { ProfileAddress } from '../features/cases/profile-address.ts';
import { ProfileChoice } from '../features/cases/ProfileChoice.tsx';
import { useProfiles } from '../features/profiles/versions.ts';
import { describeFailure, type ShownFailure } from '../state/failure.ts';
import { useServices } from '../state/services.tsx';
import { useMay } from '../state/use-may.ts';
import { FailureNotice, Loaded } from '../ui/Loaded.tsx';
import { t } from '../text/t.ts';

interface ChooseProfileProps {
  entry: Case;
  current: ProfileAddress | undefined;
  onChosen: (profile: ProfileAddress) => void;
  onCancel: (() => void) | undefined;
}

/**
 * Chooses the profile of a matrix to open. If the case has no profile yet, the choice is also
 * stored with the case; for a viewer it is not.
 */
export function ChooseProfile({ entry, current, onChosen, onCancel }: ChooseProfileProps) {
  const { call, queries } = useServices();
  const profiles = useProfiles();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ShownFailure>();
  const mayChoose = useMay(upsertCase);
  const first = entry.profile_uid === null && mayChoose;
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that opened this dialog has disappeared.
  useEffect(() => {
    if (!first) heading.current?.focus();
  }, [first]);
  const choose = async (profile: ProfileAddress) => {
    if (!first) {
      onChosen(profile);
      return;
    }
    setBusy(true);
    setFailure(undefined);
    try {
      const { project_id, case_uid, version } = entry;
      await call(upsertCase, {
        body: { project_id, case_uid, profile_uid: profile.uid, profile_version: profile.version },
        // It has had no profile: one that others have chosen since is not written over.
        headers: { 'if-match': `"v${version}"` },
      });
      queries.invalidate('case');
      onChosen(profile);
    } catch (error) {
      setFailure(describeFailure(error));
      setBusy(false);
      queries.invalidate('case');
    }
  };
  return (
    <div className="case-scroll section">
      <h2 ref={heading} tabIndex={-1}>
        {first
          ? t('Choose a profile')
          : current === undefined
            ? t('Open the matrix under a profile')
            : t('Open the matrix under another profile')}
      </h2>
      <p className="section-note">
        {first
          ? t(
              'The rules of the profile become the columns of the matrix. The choice is stored with the case.',
            )
          : t(
              'Outcomes belong to one profile version. Another profile opens its own matrix of the same items; what is recorded under this one stays as it is.',
            )}
      </p>
      <Loaded query={profiles} what={t('profiles')}>
        {(groups) => (
          <ProfileChoice
            profiles={groups
              .map((group) => group.newest)
              .filter(({ retired, profileUid }) => !retired || profileUid === current?.uid)}
            current={current}
            action={first ? t('Use this profile') : t('Open')}
            busy={busy}
            onChoose={(profile) => void choose(profile)}
            onCancel={onCancel}
          />
        )}
      </Loaded>
      {failure !== undefined && <FailureNotice failure={failure} />}
    </div>
  );
}
