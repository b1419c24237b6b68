import type { CaseUid } from '../../../../shared/contract/ids.ts';

/** An applied announcement about a round, by its place in the case's log. */
export interface RoundEntryTable {
  account: number;
  case_uid: CaseUid;
  round_id: string;
  seq: number;
  idx: number;
  kind: 'terms' | 'state' | 'done' | 'removed';
  /** Whom it is about; empty where it is about the round. */
  recorder: string;
  /** JSON text. */
  value: string;
  /** 1 where whoever brought it may open what is sealed by it (YR9). */
  opens: number;
}

/** What a round is called. */
export interface RoundTitleTable {
  account: number;
  case_uid: CaseUid;
  round_id: string;
  title: string;
}
