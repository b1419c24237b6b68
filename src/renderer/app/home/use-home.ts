import type { CaseEntry } from '../../data/api/library.ts';
import { useServices } from '../../state/services.tsx';
import { mapQuery, type Query, useQuery } from '../../state/query.ts';
import { startOfYesterday } from './start-of-yesterday.ts';
import type { Activity } from '../../../shared/contract/v1/activity.ts';

/** Cases that the start page shows. */
const SHOWN = 6;

/** The cases in which something was recorded last. */
export function useRecentCases(): Query<CaseEntry[]> {
  return mapQuery(
    useQuery('cases/recent', (library) =>
      library.cases({ sort: 'active', order: 'desc' }, { limit: SHOWN }),
    ),
    ({ entries }) => entries,
  );
}

/** What agents have written since yesterday. */
export function useAgents(): Query<Activity[]> {
  const { clock } = useServices();
  const since = startOfYesterday(clock.now());
  return mapQuery(
    useQuery(`home/agents/${since}`, (library) => library.agentsSince(since)),
    ({ data }) => data,
  );
}
