import type { CaseUid } from '../../../shared/contract/ids.ts';
import type { RunListEntry } from '../../data/api/library.ts';
import type { RunList } from '../../data/api/list-page.ts';
import { mapQuery, type Query, useQuery } from '../../state/query.ts';
import { type List, useList } from '../../state/use-list.ts';

export function useRuns(filter: RunList): List<RunListEntry> {
  return useList('runs', JSON.stringify(filter), (library, place) => library.runs(filter, place));
}

/** The newest runs, and whether there are more. */
export function useLatestRuns(
  filter: Omit<RunList, 'order'>,
  limit: number,
): Query<{ runs: RunListEntry[]; hasMore: boolean }> {
  return mapQuery(
    useQuery(`runs/latest/${limit}/${JSON.stringify(filter)}`, (library) =>
      library.runs({ ...filter, order: 'desc' }, { limit }),
    ),
    ({ entries, next }) => ({ runs: entries, hasMore: next !== null }),
  );
}

/** Every run of a case, newest first. */
export function useRunsOfCase(caseUid: CaseUid): Query<RunListEntry[]> {
  return useQuery(`runs/of/${caseUid}`, (library) => library.runsOfCase(caseUid));
}
