import type { AuditAction, AuditEvent, CaseStep } from '../../shared/contract/v1/audit.ts';

/** Who acts, and from where, as the audit trail keeps it. `account_id` is empty for what belongs to no account. */
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
/** What was done, to which object, with what belongs to it: old and new values, a reason. No secrets, nothing of a case's content. */
export interface AuditEntry {
  action: AuditAction;
  object: string | null;
  detail?: AuditEvent['detail'];
  /** Where it concerns another account than the one the actor is in. */
  account_id?: string;
}
/** The last event of a trail. */
export interface AuditHead {
  seq: number;
  hash: string;
}

/** A change as its row has it: what was hashed, and what the row says of it. */
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
  list(account: string, page: { limit: number; cursor: string | undefined }): Promise<{ data: AuditEvent[]; next_cursor: string | null }>;
  /** Events after a position, oldest first. */
  after(account: string, seq: number, limit: number): Promise<AuditEvent[]>;
  head(account: string): Promise<AuditHead>;
  /** What a case's log says, step by step, after a position and up to another: as much as fits one piece, and up to where it goes. */
  caseSteps(account: string, caseUid: string, after: number, to: number): Promise<{ steps: CaseStep[]; to: number }>;
  /** For a check of everything: accounts, their logs, and rows of a log after a position up to another. */
  accounts(): Promise<{ account_id: string; name: string }[]>;
  logs(account: string): Promise<{ name: string; seq: number; chain: string; sum: string }[]>;
  logged(account: string, log: string, after: number, to: number, limit: number): Promise<LoggedChange[]>;
}

export interface AuditWriter {
  /** Who acts in this transaction: of every event that is added from here on. */
  by(origin: AuditOrigin): void;
  /** Notes an event, which is written when the transaction is. */
  add(entry: AuditEntry): void;
}
