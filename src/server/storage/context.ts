import type { AuditEntry, AuditOrigin } from './audit-port.ts';
import type { Actor } from './actor.ts';
import type { StorePorts } from './port.ts';
import type { StoredProfile } from './stored-profile.ts';
import type { Quotas } from './usage-port.ts';
import type { Session } from './session.ts';

/** What repositories read with. */
export interface ReadContext {
  session: Session;
  ports: StorePorts;
  storeId: string;
  epoch: string;
  /** The schema version by which entries are judged. */
  schema: number;
  /** Profile documents never change, so they are parsed once: by primary key. */
  profileCache: Map<number, StoredProfile>;
  /** Numbers of rule names, which never change either. */
  ruleCache: Map<string, number>;
}

/** What they write with: one transaction, one moment. */
export interface WriteContext extends ReadContext {
  now: number;
  /** `now` as RFC 3339. */
  at: string;
  packs: boolean;
  /** Streams that grew, by key: told after the commit. */
  grown: Map<string, { account_id: string; case_uid: string; seq: number }>;
  /** By account: kinds of which it holds more than before. */
  more: Map<string, Set<keyof Quotas>>;
  /** By account: what moved in it, for the mark by which an idle client sees that nothing has. */
  moved: Map<string, string>;
  /** For the audit trail: who acts, and what was done so far. */
  auditOrigin: AuditOrigin | undefined;
  audited: { origin: AuditOrigin; entry: AuditEntry }[];
  /** What is checked at the end. */
  lastly: (() => Promise<void>)[];
  /** Rule names were added: until the commit nobody else may know their numbers. */
  addsRules?: boolean;
  /** The person of this store from this commit on, where it is another. */
  person?: { user_id: string; user_name: string };
}

/** The author's name as histories show it: the key's for an agent, else the person's. */
export function authorName(actor: Actor): string {
  return actor.kind === 'agent' ? (actor.key_name ?? actor.user_name) : actor.user_name;
}
