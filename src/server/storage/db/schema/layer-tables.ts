import type { ProfileUid } from '../../../../shared/contract/ids.ts';

/** What one source suggests for a cell, and what was decided about it. */
export interface SuggestionTable {
  account: number;
  stream_pk: number;
  profile_uid: ProfileUid;
  profile_version: string;
  rule_uid: string;
  item_uid: string;
  /** The id of an agent's key, or of a person. */
  source: string;
  /** Displayed head of the suggestion; null where only a decision about it has come. */
  head_seq: number | null;
  head_index: number | null;
  /** JSON; null where it was withdrawn. */
  value: string | null;
  /** Displayed head of the decision. */
  decision_seq: number | null;
  decision_index: number | null;
  /** JSON; null where there is none, or it was taken back. */
  decision: string | null;
  /** 1 where people decided differently. */
  contested: number;
}

/** An entry of the record by which a person accepted a suggestion. */
export interface AcceptanceTable {
  account: number;
  stream_pk: number;
  seq: number;
  idx: number;
  /** Name of the suggestion's entry, and its change; null while that has not come. */
  suggestion: string;
  from_seq: number | null;
  /** 1 where the person states another source or provenance. */
  edited: number;
  /** JSON: the model that the suggestion names. */
  model: string | null;
}
