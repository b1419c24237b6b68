import type { RawOutcome } from '../../../shared/domain/outcome.ts';
import type { CaseUid, ProfileUid } from '../../../shared/contract/ids.ts';

/**
 * Names a matrix: a case under a profile. Without a version it is the one that the case uses, else
 * the profile's newest.
 */
export interface MatrixQuery {
  case_uid: CaseUid;
  profile_uid: ProfileUid;
  profile_version: string | undefined;
  /** Of its items those alone that have a cell recorded so. */
  recorded_by?: RecordedByFilter;
  /** Of its items this one alone. */
  item_uid?: string | undefined;
  /** Of its items those alone that have a cell with this outcome. */
  outcome?: RawOutcome | 'unrecorded' | undefined;
  /** Of its items those alone that have a cell written at this time or later, as received here. */
  since?: string | undefined;
  /** The cells that these are asked of are of this rule. */
  rule_uid?: string | undefined;
  /** Which members are answered of it: other pages have other entity tags. */
  fields?: string | undefined;
}

/** What is asked of whose a cell is; undefined: anything. */
export interface RecordedByFilter {
  kind: string | undefined;
  name: string | undefined;
}
