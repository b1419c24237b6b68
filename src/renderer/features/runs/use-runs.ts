import type { RunListEntry } from '../../data/api/library.ts';
import { useQuery, type Query } from '../../state/query.ts';

export interface RunFilter {
  case_uid?: string;
  project_id?: string;
  profile_uid?: string;
}

/** Newest first. */
export function useRuns(filter: RunFilter): Query<RunListEntry[]> {
  return useQuery(`runs/${JSON.stringify(filter)}`, (library) => library.runs(filter));
}
