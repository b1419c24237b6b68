import type { Generated } from 'kysely';
import type { AccountId, CaseUid, RunUid, UserId } from '../../../../shared/contract/ids.ts';
import type { CaseStage } from '../../../../shared/domain/sign-off.ts';

/**
 * An applied move of a case to another stage, a signature on one of its runs, or a time-stamp on
 * such a signature, by its place in the case's log.
 */
export interface SignOffTable {
  account: number;
  case_uid: CaseUid;
  seq: number;
  idx: number;
  kind: 'stage' | 'signature' | 'time_stamp';
  /** The run that is signed; empty for a move. */
  run_uid: RunUid | '';
  /** JSON text. */
  value: string;
}

/** A time-stamp that an authority is still to be asked for, or was asked for in vain. */
interface TimeStampRequestTable {
  account: number;
  /** The SHA-256 of the file that is stamped. */
  covers: string;
  /** That file. */
  signed: string;
  case_uid: CaseUid;
  run_uid: RunUid;
  /** Who signed. */
  user_id: UserId;
  user_name: string;
  created_at: string;
  /** Attempts that failed, and among them answers that were no time-stamp of the authority. */
  attempts: number;
  refused: number;
  /** Milliseconds since 1970; null where nobody asks any more. */
  due: number | null;
  last_result: string | null;
}

export interface TimeStampTables {
  time_stamp_requests: TimeStampRequestTable;
  /** Accounts that have, or had, such requests, for what sends them. */
  stamping_accounts: { account_id: AccountId };
}

/** Of a case's row: its displayed stage. */
export interface CaseStageColumns {
  stage: Generated<CaseStage>;
}
