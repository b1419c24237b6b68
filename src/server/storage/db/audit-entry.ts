import type { UserId, KeyId } from '../../../shared/contract/ids.ts';
import type { TrailOwner } from './schema/account-tables.ts';
import type { AuditDetail } from '../../../shared/contract/audit-details.ts';
import type { AuditAction, AuditEvent } from '../../../shared/contract/v1/audit.ts';

/**
 * Who acts and from where, as the audit trail stores it.
 */
export interface AuditOrigin<Owner extends TrailOwner = TrailOwner> {
  account_id: Owner;
  kind: AuditEvent['by']['kind'];
  user_id: UserId | null;
  name: string;
  key_id: KeyId | null;
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
  detail?: AuditDetail;
  /** Set if the event concerns another account than the actor's. */
  account_id?: TrailOwner;
}
