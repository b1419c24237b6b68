import type { AccountId, UserId, KeyId } from '../../../../shared/contract/ids.ts';
import type { Generated, GeneratedAlways } from 'kysely';

export interface AccountTable {
  account_id: AccountId;
  /** The number that leads the keys of the account's tables; the database gives it. */
  account: GeneratedAlways<number>;
  name: string;
  created_at: string;
}

export interface ApiKeyTable {
  key_id: KeyId;
  account_id: AccountId;
  user_id: UserId;
  name: string;
  prefix: string;
  /** JSON array. */
  scopes: string;
  /** JSON array of project ids, or null for all. */
  projects: Generated<string | null>;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
  /** HMAC-SHA-256 of the key in hex, never the key. */
  mac: string;
  /** Since when a person lets it write nothing, or null. */
  paused_at: Generated<string | null>;
  /** How many cells it may suggest a day, and how many may wait for a decision; null: any. */
  suggestions_a_day: Generated<number | null>;
  open_suggestions: Generated<number | null>;
  /** How many it suggested on the last day on which it did. */
  suggested_on: Generated<string | null>;
  suggested: Generated<number | null>;
}

/** Whose an audit trail is: an account's or, empty, the server's own. */
export type TrailOwner = AccountId | '';

export interface AuditTable {
  account_id: TrailOwner;
  seq: number;
  at: string;
  action: string;
  object: string | null;
  /** Canonical JSON. */
  detail: string;
  kind: string;
  user_id: UserId | null;
  name: string;
  key_id: KeyId | null;
  session: string | null;
  address: string | null;
  request_id: string | null;
  hash: string;
}

export interface SessionTable {
  /** Hash of the cookie's token. The token itself is not stored. */
  hash: string;
  session_id: string;
  account_id: AccountId;
  user_id: UserId;
  method: 'password' | 'link';
  created_at: string;
  last_seen_at: string;
  /** When the person last entered the password. */
  confirmed_at: string;
  expires_at: string;
  address: string;
  browser: string;
}

export interface InvitationTable {
  invitation_id: string;
  hash: string;
  account_id: AccountId;
  role: string;
  name: string | null;
  /** The user whose password is to be chosen; null for an invitation, by which somebody joins. */
  user_id: UserId | null;
  /** Null where the server's operator made it. */
  created_by: UserId | null;
  created_at: string;
  expires_at: string;
}
