import type { CaseUid } from '../../shared/contract/ids.ts';
import type { Thread } from '../../shared/contract/v1/discussion.ts';
import { pageAddress } from '../../shared/contract/page-addresses.ts';
import { Link } from 'react-router';
import { useOpenQueries } from '../features/discussion/use-threads.ts';
import { placeWords, stateWords } from '../features/discussion/words.ts';
import { t } from '../text/t.ts';
import { Notice } from '../ui/Notice.tsx';

/** So many are named one by one. */
const NAMED = 5;

/** The queries of this matrix that nobody has closed, named before a run is started. */
export function OpenQueries({
  caseUid,
  profile,
}: {
  caseUid: CaseUid;
  profile: { profileUid: string; version: string };
}) {
  const queries = (useOpenQueries(caseUid).data ?? []).filter(({ place }: Thread) =>
    place.on === 'item'
      ? true
      : place.profile_uid === profile.profileUid && place.profile_version === profile.version,
  );
  if (queries.length === 0) return null;
  const more = queries.length - NAMED;
  return (
    <Notice
      tone="warning"
      title={t('{count, plural, one {# query is} other {# queries are}} not closed', {
        count: queries.length,
      })}
    >
      <ul>
        {queries.slice(0, NAMED).map((thread) => (
          <li key={thread.thread_id}>
            <Link to={`${pageAddress('discussion', { caseUid })}?thread=${thread.thread_id}`}>
              {placeWords(thread)}
            </Link>
            {`: ${thread.text} (${stateWords(thread)})`}
          </li>
        ))}
      </ul>
      {more > 0 && <p>{t('and {more, number} more', { more })}</p>}
      <p>{t('The run can be started all the same; it holds no queries.')}</p>
    </Notice>
  );
}
