import { useEffect } from 'react';
import { Link } from 'react-router';
import { pageAddress, STUDIO_PAGES } from '../../../shared/contract/page-addresses.ts';
import type { Activity } from '../../../shared/contract/v1/activity.ts';
import type { WaitingCase } from '../../../shared/contract/v1/discussion.ts';
import type { CaseEntry } from '../../data/api/library.ts';
import { CaseProgressBar } from '../../features/cases/CaseProgressBar.tsx';
import { byWords, casePath, reviewPath } from '../../features/cases/CasesTable.tsx';
import { useWaitingForMe } from '../../features/discussion/use-threads.ts';
import { placeWords, waitsWords } from '../../features/discussion/words.ts';
import { formatDateTime } from '../../state/format.ts';
import { isAnswered, useQuery } from '../../state/query.ts';
import { useMay } from '../../state/use-may.ts';
import { decideProfileCollision } from '../../../shared/contract/v1/profile-documents.ts';
import { Section } from '../../ui/Page.tsx';
import { useContested } from '../find.ts';
import { useAgents, useRecentCases } from './use-home.ts';
import './home.css';
import { rich } from '../../text/rich.ts';
import { t } from '../../text/t.ts';

/**
 * What one comes back to: recent cases, what waits, what agents have done. `onThere`: once nothing
 * more comes that would move what stands below it.
 */
export function Home({ onThere }: { onThere: () => void }) {
  const recent = useRecentCases();
  const cases = recent.data ?? [];
  const waiting = useWaiting(cases);
  const agents = useAgents();
  const isThere =
    isAnswered(recent) && (cases.length === 0 || [...waiting.reads, agents].every(isAnswered));
  useEffect(() => {
    if (isThere) onThere();
  }, [isThere, onThere]);
  // Before the first case there is nothing to come back to: the page itself says what to do.
  if (cases.length === 0) return null;
  return (
    <div className="home">
      <Recent cases={cases} />
      <div className="home-side">
        <Waiting cases={cases} waiting={waiting} />
        <Agents agents={agents.data} />
      </div>
    </div>
  );
}

function Recent({ cases }: { cases: readonly CaseEntry[] }) {
  return (
    <Section title={t('Recent cases')}>
      <ul className="home-list">
        {cases.map(({ case_uid, title, progress, last_change, updated_at }) => (
          <li key={case_uid} className="home-case">
            <span>
              <Link to={casePath(case_uid)}>{title}</Link>
              <span className="home-note num">
                {formatDateTime(last_change?.at ?? updated_at)}
                {last_change && `, ${byWords(last_change)}`}
              </span>
            </span>
            <CaseProgressBar progress={progress} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

const openCells = ({ progress }: CaseEntry): number =>
  progress === null || progress === undefined ? 0 : progress.cells - progress.recorded;

function useWaiting(cases: readonly CaseEntry[]) {
  const contested = useContested(cases);
  const mayDecide = useMay(decideProfileCollision);
  const collisions = useQuery('profile-collisions', (library) => library.collisions());
  const asked = useWaitingForMe();
  return {
    reads: [contested, collisions, asked],
    contested: contested.data ?? [],
    undecided: mayDecide
      ? (collisions.data?.data.filter(({ own, decision }) => own && decision === null).length ?? 0)
      : 0,
    asked: asked.data ?? [],
  };
}

/** Conflicts first, then documents to decide about, then what is begun and not done. */
function Waiting({
  cases,
  waiting: { contested, undecided, asked },
}: {
  cases: readonly CaseEntry[];
  waiting: ReturnType<typeof useWaiting>;
}) {
  const begun = cases.filter(
    (entry) => openCells(entry) > 0 && (entry.progress?.recorded ?? 0) > 0,
  );
  const titleOf = (uid: string): string =>
    cases.find(({ case_uid }) => case_uid === uid)?.title ?? uid;
  const isNothing =
    contested.length === 0 && undecided === 0 && begun.length === 0 && asked.length === 0;
  return (
    <Section title={t('Waits for you')}>
      {isNothing ? (
        <p className="muted">
          {t('Nothing. What was begun in the recent cases is recorded in full.')}
        </p>
      ) : (
        <ul className="home-list">
          {contested.map((matrix) => (
            <li key={`${matrix.case_uid} ${matrix.profile_uid} ${matrix.profile_version}`}>
              <Link to={reviewPath(matrix)}>
                {t('Resolve {cells, plural, one {# conflict} other {# conflicts}} in {title}', {
                  cells: matrix.cells,
                  title: titleOf(matrix.case_uid),
                })}
              </Link>
            </li>
          ))}
          <Asked cases={asked} />
          {undecided > 0 && (
            <li>
              <Link to={STUDIO_PAGES.profiles}>
                {t(
                  'Decide about {count, plural, one {# profile document} other {# profile documents}}',
                  { count: undecided },
                )}
              </Link>
            </li>
          )}
          {begun.map((entry) => (
            <li key={entry.case_uid}>
              <Link to={casePath(entry.case_uid)}>
                {t('Continue {title}', { title: entry.title })}
              </Link>
              <span className="home-note num">
                {t('{count, number} cells not recorded', { count: openCells(entry) })}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Queries and mentions, then what is assigned, of each case. */
function Asked({ cases }: { cases: readonly WaitingCase[] }) {
  return cases.flatMap(({ case_uid: caseUid, title, threads, waiting, items, rules }) => [
    ...threads.map((thread) => (
      <li key={thread.thread_id}>
        <Link to={`${pageAddress('discussion', { caseUid })}?thread=${thread.thread_id}`}>
          {t('{why}: {place}', { why: waitsWords(thread.why), place: placeWords(thread) })}
        </Link>
        <span className="home-note">{title}</span>
      </li>
    )),
    ...(waiting > threads.length
      ? [
          <li key={`${caseUid} more`}>
            {t('and {more, number} more', { more: waiting - threads.length })}
          </li>,
        ]
      : []),
    ...(items + rules > 0
      ? [
          <li key={`${caseUid} assigned`}>
            <Link to={casePath(caseUid)}>
              {t(
                'Assigned to you in {title}: {items, plural, =0 {} one {# item} other {# items}}{both, select, yes { and } other {}}{rules, plural, =0 {} one {# rule} other {# rules}}',
                { title, items, rules, both: items > 0 && rules > 0 ? 'yes' : 'no' },
              )}
            </Link>
          </li>,
        ]
      : []),
  ]);
}

function Agents({ agents }: { agents: readonly Activity[] | undefined }) {
  if (agents === undefined) return null;
  return (
    <Section title={t('Agents since yesterday')}>
      {agents.length === 0 ? (
        <p className="muted">
          {rich('None has written. <link>Connect an agent</link>', {
            link: (text) => <Link to={STUDIO_PAGES.agents}>{text}</Link>,
          })}
        </p>
      ) : (
        <ul className="home-list">
          {agents.map(({ case_uid, title, by, changes, more, last_at }) => (
            <li key={`${case_uid} ${by}`}>
              {rich(
                '{agent}: {changes, plural, one {# change} other {# changes}}{more, select, yes { or more} other {}} in {title}',
                {
                  agent: <strong>{by}</strong>,
                  changes,
                  more: more === true ? 'yes' : 'no',
                  title: <Link to={casePath(case_uid)}>{title}</Link>,
                },
              )}
              <span className="home-note num">{formatDateTime(last_at)}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
