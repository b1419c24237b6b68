import type { AccountId, StreamName } from '../../../shared/contract/ids.ts';

/** A log that has grown to `seq` changes. */
export interface GrownLog {
  account_id: AccountId;
  /** The log's name, or ACCOUNT_HINT. */
  case_uid: StreamName;
  seq: number;
  /** Of a sealed layer: the recorder who alone is told. */
  sealedFor?: string;
}
