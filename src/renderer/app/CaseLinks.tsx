import type { CaseUid } from '../../shared/contract/ids.ts';
import { pageAddress } from '../../shared/contract/page-addresses.ts';
import type { BesideKind } from '../../sync/layers/record.ts';
import { useEffect, useMemo } from 'react';
import { useNavigate } from 'react-router';
import { formatProfileAddress, type ProfileAddress } from '../features/cases/profile-address.ts';
import { threadsOf, useOpenQueries, WAITING } from '../features/discussion/use-threads.ts';
import { roundsOf } from '../features/rounds/use-rounds.ts';
import { suggestionsOf, useWaiting } from '../features/suggestions/use-suggestions.ts';
import { caseKey } from './find.ts';
import { type Command, type CommandSource, useCommands } from '../state/commands.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { useServices } from '../state/services.tsx';
import { t } from '../text/t.ts';

/** More than these are not counted. */
const MOST = 100;

/**
 * The way to what stands beside the record of a case: a button to the suggestions that wait for a
 * decision, not shown where there are none, and commands.
 */
export function CaseLinks({
  caseUid,
  profile: { uid, version },
}: {
  caseUid: CaseUid;
  profile: ProfileAddress;
}) {
  const { data: count = 0 } = useWaiting({ caseUid, uid, version }, MOST);
  useNewsBeside(caseUid);
  const to = `${pageAddress('suggestions', { caseUid })}?profile=${formatProfileAddress({ uid, version })}`;
  const rounds = `${pageAddress('rounds', { caseUid })}?profile=${formatProfileAddress({ uid, version })}`;
  const discussion = `${pageAddress('discussion', { caseUid })}?profile=${formatProfileAddress({ uid, version })}`;
  useCaseCommands(to, rounds, discussion);
  const queries = useOpenQueries(caseUid).data?.length ?? 0;
  return (
    <>
      {queries > 0 && (
        <ButtonLink size="sm" to={discussion}>
          {t('{count, plural, one {# query} other {# queries}}', { count: queries })}
        </ButtonLink>
      )}
      {count > 0 && (
        <ButtonLink size="sm" to={to}>
          {count === MOST
            ? t('{count, number} or more suggestions', { count })
            : t('{count, plural, one {# suggestion} other {# suggestions}}', { count })}
        </ButtonLink>
      )}
    </>
  );
}

/**
 * Reads again what is shown of suggestions, threads, assignments, rounds and the stage of a case
 * once there are others.
 */
function useNewsBeside(caseUid: CaseUid): void {
  const { watchBeside, queries } = useServices();
  useEffect(
    () =>
      watchBeside(caseUid, (news) => {
        // A round hides suggestions and threads from its recorders, and shows them again.
        const of = (kind: BesideKind): boolean => news.has(kind) || news.has('access');
        for (const kept of [
          ...(of('suggestions') ? [suggestionsOf(caseUid)] : []),
          ...(of('discussion') ? [threadsOf(caseUid), WAITING] : []),
          ...(of('access') ? [roundsOf(caseUid), caseKey(caseUid)] : []),
        ])
          queries.invalidate(kept);
      }),
    [watchBeside, queries, caseUid],
  );
}

function useCaseCommands(suggestions: string, rounds: string, discussion: string): void {
  const navigate = useNavigate();
  useCommands(
    useMemo((): CommandSource => {
      const command = (id: string, label: string, to: string): Command => ({
        id,
        label,
        group: t('Case'),
        keys: '',
        enabled: true,
        run: () => void navigate(to),
      });
      return {
        places: [],
        commands: () => [
          command('case.suggestions', t('Suggestions of this case'), suggestions),
          command('case.discussion', t('Discussion of this case'), discussion),
          command('case.rounds', t('Independent recording of this case'), rounds),
        ],
      };
    }, [navigate, suggestions, rounds, discussion]),
  );
}
