import type { Generated } from 'kysely';

export interface StreamTable {
  stream_pk: Generated<number>;
  account_id: string;
  name: string;
  seq: number;
  /** Hex; of the empty log 64 zeros. */
  chain: string;
  count: number;
  sum: string;
  /** The last clock value given out or seen. */
  hlc: string;
}

export interface ChangeTable {
  stream_pk: number;
  seq: number;
  change_id: string;
  /** Canonical JSON as hashed; null where `packed` holds it (raw deflate), as it does for large ones on SQLite. */
  text: string | null;
  packed: Uint8Array | null;
  chain: string;
  hlc: string;
  wall: string;
  received_at: string;
  /** The user who was authenticated. */
  actor: string;
  /** Who wrote it, as shown. */
  author: string;
  author_kind: string;
  key_id: string | null;
  why: string | null;
  /** 1 where the author is not the authenticated user: sent on for somebody else. */
  relayed: number;
  /** 1 where the author's clock ran more than a minute ahead of ours. */
  clock_suspect: number;
  /** JSON array of entry indexes, or null where every entry applies. The one column that may change. */
  quarantined: string | null;
  /** `<epoch>/<gen>` of the link that brought it from another server, or null. */
  origin: string | null;
}

/** The one server that this store exchanges with. */
export interface UplinkTable {
  one: number;
  url: string;
  store: string;
  epoch: string;
  user_id: string;
  user_name: string;
  role: string;
  connected_at: string;
  sealed_key: Uint8Array | null;
  key_kept: string;
  connected: number;
}

/** What is known of a stream's exchange with that server. */
export interface LinkTable {
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
