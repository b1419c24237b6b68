import type { CaseUid, ProfileUid, ProjectId } from '../../../shared/contract/ids.ts';
import type { CaseSort } from '../../../shared/contract/v1/cases.ts';
import type { RecordState } from '../../../shared/contract/v1/housekeeping.ts';
import type { ProfileEntry, ProfileSort } from '../../../shared/contract/v1/profiles.ts';
import type { ProjectSort } from '../../../shared/contract/v1/projects.ts';

/** One page of a list, and where the next one begins. */
export interface ListPage<T> {
  entries: T[];
  next: string | null;
}

/** Where a page begins: as the server says it, and how many entries come before it. */
export interface ListPlace {
  cursor?: string | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
}

interface ListOrder<Sort extends string> {
  sort: Sort;
  order: 'asc' | 'desc';
  search?: string | undefined;
}
export interface CaseList extends ListOrder<CaseSort> {
  project_id?: ProjectId | undefined;
  profile_uid?: ProfileUid | undefined;
  profile_version?: string | undefined;
  state?: 'active' | 'archived' | undefined;
}
export interface ProjectList extends ListOrder<ProjectSort> {
  state?: RecordState | undefined;
}
export interface ProfileList extends ListOrder<ProfileSort> {
  domain?: string | undefined;
  access?: ProfileEntry['access'] | undefined;
  state?: 'active' | 'retired' | undefined;
}
export interface RunList {
  case_uid?: CaseUid | undefined;
  project_id?: ProjectId | undefined;
  profile_uid?: ProfileUid | undefined;
  order: 'asc' | 'desc';
  state?: 'shown' | 'hidden' | undefined;
}

/**
 * How a list is read from what is stored here: the same filter and order as the server's, over the
 * records that this window has read.
 */
export interface StoredList<T> {
  /** Of what kind its records are stored. */
  kind: string;
  keyOf: (entry: T) => string;
  isMeant: (entry: T) => boolean;
  compare: (a: T, b: T) => number;
}

/** A to Z in either case, as the server sorts and searches. */
const folded = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

export const holds = (texts: readonly string[], search: string | undefined): boolean =>
  search === undefined || texts.some((text) => folded(text).includes(folded(search)));

export const isSame = (value: unknown, wanted: string | undefined): boolean =>
  wanted === undefined || value === wanted;

/** By these texts, one after the other. */
export function compareBy<T>(
  order: 'asc' | 'desc',
  ...texts: readonly ((entry: T) => string)[]
): (a: T, b: T) => number {
  const way = order === 'desc' ? -1 : 1;
  return (a, b) => {
    for (const text of texts) {
      const [left, right] = [folded(text(a)), folded(text(b))];
      if (left !== right) return left < right ? -way : way;
    }
    return 0;
  };
}
