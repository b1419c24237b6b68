import type { LinkRow } from './log-port.ts';

/** The hosted server that this store exchanges with, or did. */
export interface StoredUplink {
  /** Its origin; the identity and epoch of its store. */
  url: string;
  store: string;
  epoch: string;
  user_id: string;
  user_name: string;
  role: 'owner' | 'member' | 'viewer';
  connected_at: string;
  sealed_key: Uint8Array | null;
  key_kept: 'sealed' | 'file' | 'memory';
  connected: boolean;
}
/** A stream that is exchanged, as it is here, and what waits in it. */
export interface SharedStream {
  stream: string;
  kind: 'case' | 'project' | 'profiles';
  title: string;
  project_id: string | null;
  seq: number;
  sum: string;
  link: LinkRow | undefined;
  waiting: number;
  oldest: string | null;
  quarantined: number;
  /** Changes that the other server refuses for what they are. */
  refused: number;
}

export interface UplinkReader {
  read(): Promise<StoredUplink | undefined>;
  /** Users whose work made here is sent to this hosted store, and whether work of others waits. */
  sentFor(uplink: Pick<StoredUplink, 'store' | 'user_id'>): Promise<string[]>;
  waitsForOthers(account: string, users: readonly string[]): Promise<boolean>;
  projects(account: string): Promise<{ project_id: string; name: string }[]>;
  shared(account: string): Promise<string[]>;
  streams(account: string, projects: readonly string[]): Promise<SharedStream[]>;
  /** Changes of the stream that are not sent, since the other server refuses them. */
  refused(account: string, stream: string): Promise<number>;
  /** Runs that the hosted server has not taken, as long as they are here. */
  owed(account: string): Promise<OwedRun[]>;
  /** Registers of the profiles that cases and runs of these projects name. */
  profiles(account: string, projects: readonly string[]): Promise<string[]>;
}

/** `code`: why it was not taken; `at`: when that was first found. */
export interface OwedRun {
  run_uid: string;
  case_uid: string;
  code: string;
  at: string;
}

export interface UplinkWriter {
  write(uplink: StoredUplink): Promise<void>;
  share(account: string, projectId: string, shared: boolean): Promise<void>;
  /** The person of this store from now on; keys and sessions go over. */
  become(user: Pick<StoredUplink, 'user_id' | 'user_name' | 'store'>): Promise<void>;
  /** Another server than before: no project is shared with it, every link begins anew. */
  beginAnew(account: string): Promise<void>;
  /** A change that is not sent again, since the other server refuses it for what it is. */
  refuse(account: string, stream: string, seq: number, code: string): Promise<void>;
  /** A run that was not taken, to be offered again; null: it was. */
  owe(account: string, runUid: string, code: string | null): Promise<void>;
}
