import type { StreamName, UserId, KeyId } from '../../../../shared/contract/ids.ts';
import type { Generated } from 'kysely';

export interface StreamTable {
  account: number;
  stream_pk: number;
  name: StreamName;
  seq: number;
  /** Hex; 64 zeros for an empty log. */
  chain: string;
  count: number;
  sum: string;
  /** The last clock value given out or seen. */
  hlc: string;
  /**
   * JSON object: the changes that last touched the case's items (`items`) and the cells of each
   * matrix (`<profile_uid>@<version>`); `*` stands for those that are not named.
   */
  states: Generated<string>;
}

export interface ChangeTable {
  account: number;
  stream_pk: number;
  seq: number;
  change_id: string;
  /**
   * Canonical JSON as it was hashed. Null where `packed` holds it instead (raw deflate), as for
   * large changes on SQLite.
   */
  text: string | null;
  packed: Uint8Array | null;
  chain: string;
  hlc: string;
  wall: string;
  received_at: string;
  /** The user who was signed in. */
  actor: UserId;
  /** Name of the author for display. */
  author: string;
  author_kind: string;
  key_id: KeyId | null;
  why: string | null;
  /** 1 where the author is not the signed-in user, but somebody whose change was sent on. */
  relayed: number;
  /** 1 where the author's clock ran more than a minute ahead of ours. */
  clock_suspect: number;
  /**
   * JSON array of the indexes of quarantined entries; null where every entry is applied. The only
   * column that may change.
   */
  quarantined: string | null;
  /** `<epoch>/<gen>` of the link that brought it from another server, or null. */
  origin: string | null;
  /**
   * JSON `Sender` where it was not written by this server's own operations; null there, and in what
   * was stored before senders were noted.
   */
  sent_by: string | null;
}

/** The one server that this store exchanges with. */
export interface UplinkTable {
  one: number;
  url: string;
  store: string;
  epoch: string;
  user_id: UserId;
  user_name: string;
  role: string;
  connected_at: string;
  sealed_key: Uint8Array | null;
  key_kept: string;
  connected: number;
}

/** State of a stream's exchange with that server. */
export interface LinkTable {
  account: number;
  stream_pk: number;
  gen: number;
  rev: number;
  boot: string;
  epoch: string;
  push_pos: number;
  again_to: number;
  pull_seq: number;
  pull_chain: string;
  wit_seq: number;
  wit_chain: string;
  /** JSON array. */
  points: string;
  verified_at: string | null;
  verified_seq: number;
  last_ok: string | null;
  problem: string | null;
  state: string;
}
