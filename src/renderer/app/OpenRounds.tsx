import type { CaseUid } from '../../shared/contract/ids.ts';
import { useRounds } from '../features/rounds/use-rounds.ts';
import { t } from '../text/t.ts';
import { Notice } from '../ui/Notice.tsx';

/**
 * The rounds of this matrix that are not released, named before a run is started: it shows the
 * record to all.
 */
export function OpenRounds({
  caseUid,
  profile,
}: {
  caseUid: CaseUid;
  profile: { profileUid: string; version: string };
}) {
  const open = (useRounds(caseUid).data ?? []).filter(
    ({ state, profile_uid, profile_version }) =>
      state === 'open' && profile_uid === profile.profileUid && profile_version === profile.version,
  );
  if (open.length === 0) return null;
  return (
    <Notice
      tone="warning"
      title={t(
        '{count, plural, one {# independent recording is} other {# independent recordings are}} not released',
        { count: open.length },
      )}
    >
      <ul>
        {open.map(({ round_id, title }) => (
          <li key={round_id}>{title}</li>
        ))}
      </ul>
      <p>
        {t('Those who still record can read the run, and in it what others say of the same cells.')}
      </p>
    </Notice>
  );
}
