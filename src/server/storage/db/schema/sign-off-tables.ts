import type { Generated } from 'kysely';
import type { CaseUid, RunUid } from '../../../../shared/contract/ids.ts';
import type { CaseStage } from '../../../../shared/domain/sign-off.ts';

/**
 * An applied move of a case to another stage, or a signature on one of its runs, by its place in the
 * case's log.
 */
export interface SignOffTable {
  account: number;
  case_uid: CaseUid;
  seq: number;
  idx: number;
  kind: 'stage' | 'signature';
  /** The run that is signed; empty for a move. */
  run_uid: RunUid | '';
  /** JSON text. */
  value: string;
}

/** Of a case's row: its displayed stage. */
export interface CaseStageColumns {
  stage: Generated<CaseStage>;
}
