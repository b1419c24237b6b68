import type { AuditAction, AuditEvent, CaseStep } from '../../../shared/contract/v1/audit.ts';

/**
 * Who acts and from where, as the audit trail stores it. `account_id` is empty for what belongs to
 * no account.
 */
export interface AuditOrigin {
  account_id: string;
  kind: AuditEvent['by']['kind'];
  user_id: string | null;
  name: string;
  key_id: string | null;
  /** Names a browser session; never its token. */
  session: string | null;
  address: string | null;
  request_id: string | null;
}
/**
 * What was done, to which object, and details such as old and new values or a reason. Never
 * secrets, and nothing of a case's content.
 */
export interface AuditEntry {
  action: AuditAction;
  object: string | null;
  detail?: AuditEvent['detail'];
  /** Set if the event concerns another account than the actor's. */
  account_id?: string;
}
/** Number and hash of the last event of a trail. */
export interface AuditHead {
  seq: number;
  hash: string;
}

/** A stored change: the text that was hashed, and what its row says about it. */
export interface LoggedChange {
  seq: number;
  id: string;
  text: string | null;
  chain: string;
  hlc: string;
  wall: string;
  author: string;
  author_kind: string;
  key_id: string | null;
  why: string | null;
}

export interface AuditTrail {
  /** Newest first. */
  list(
    account: string,
    page: { limit: number; cursor: string | undefined },
  ): Promise<{ data: AuditEvent[]; next_cursor: string | null }>;
  /** Events after a position, oldest first. */
  after(account: string, seq: number, limit: number): Promise<AuditEvent[]>;
  head(account: string): Promise<AuditHead>;
  /**
   * The steps of a case's log after one position and up to another: as many as fit one piece, and
   * the position they go up to.
   */
  caseSteps(
    account: string,
    caseUid: string,
    after: number,
    to: number,
  ): Promise<{ steps: CaseStep[]; to: number }>;
  /**
   * For checking everything: the accounts, their logs, and rows of a log after one position up to
   * another.
   */
  accounts(): Promise<{ account_id: string; name: string }[]>;
  logs(account: string): Promise<{ name: string; seq: number; chain: string; sum: string }[]>;
  logged(
    account: string,
    log: string,
    after: number,
    to: number,
    limit: number,
  ): Promise<LoggedChange[]>;
}

export interface AuditWriter {
  /** Sets who acts: the actor of every event that this transaction adds from here on. */
  by(origin: AuditOrigin): void;
  /** Adds an event, which is written at the end of the transaction. */
  add(entry: AuditEntry): void;
}
