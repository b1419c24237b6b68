import { useEffect, useRef } from 'react';
import { Link, useNavigate } from 'react-router';
import { pageAddress, STUDIO_PAGES } from '../../shared/contract/page-addresses.ts';
import type { WaitingCase } from '../../shared/contract/v1/discussion.ts';
import { useWaitingForMe } from '../features/discussion/use-threads.ts';
import { placeWords, waitsWords } from '../features/discussion/words.ts';
import { t } from '../text/t.ts';
import { useToast } from '../ui/Toast.tsx';

const ASK_AGAIN_MS = 30_000;

const namesOf = (
  cases: readonly WaitingCase[],
): Map<string, [WaitingCase, WaitingCase['threads'][number]]> =>
  new Map(
    cases.flatMap((one) =>
      one.threads.map((thread) => [
        `${thread.thread_id} ${thread.why} ${thread.size}`,
        [one, thread] as [WaitingCase, WaitingCase['threads'][number]],
      ]),
    ),
  );

/** Tells of what has begun to wait for the person since this window was opened. */
function useNews(cases: readonly WaitingCase[] | undefined): void {
  const announce = useToast();
  const navigate = useNavigate();
  const known = useRef<ReadonlySet<string>>(undefined);
  useEffect(() => {
    if (cases === undefined) return;
    const names = namesOf(cases);
    const before = known.current;
    known.current = new Set([...(before ?? []), ...names.keys()]);
    if (before === undefined) return;
    const [first, ...more] = [...names].filter(([name]) => !before.has(name));
    if (first === undefined) return;
    const [{ case_uid, title }, thread] = first[1];
    announce({
      title: t('{why}: {place}', { why: waitsWords(thread.why), place: placeWords(thread) }),
      description:
        more.length === 0
          ? title
          : t('{title}, and {more, plural, one {# more} other {# more}}', {
              title,
              more: more.length,
            }),
      action: {
        label: t('Show'),
        run: () =>
          void navigate(
            `${pageAddress('discussion', { caseUid: case_uid })}?thread=${thread.thread_id}`,
          ),
      },
    });
  }, [cases, announce, navigate]);
}

/** How much waits for the person, on every page; nothing where nothing does. */
export function WaitingNews() {
  const { data, reload } = useWaitingForMe();
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reload();
    }, ASK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [reload]);
  useNews(data);
  const count = (data ?? []).reduce((sum, { waiting }) => sum + waiting, 0);
  if (count === 0) return null;
  return (
    <Link to={STUDIO_PAGES.projects} className="open-account">
      {t('{count, plural, one {# waits for you} other {# wait for you}}', { count })}
    </Link>
  );
}
