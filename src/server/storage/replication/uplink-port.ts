import type { LinkRow } from '../log/log-port.ts';

/** The hosted server that this store exchanges with, or last did. */
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
/** A stream that is exchanged, and how much of it waits. */
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
  /** Changes that the other server refuses. */
  refused: number;
}

export interface UplinkReader {
  read(): Promise<StoredUplink | undefined>;
  /**
   * Users whose work made here is sent to this hosted store; and the work of others that waits, by
   * user.
   */
  sentFor(uplink: Pick<StoredUplink, 'store' | 'user_id'>): Promise<string[]>;
  /** Whom the studio called its person before any connection. */
  formerly(): Promise<string[]>;
  ofOthers(account: string, users: readonly string[]): Promise<UnsentOf[]>;
  /**
   * What projects that were shared with a former server had not sent when another took its place.
   */
  left(): Promise<Left>;
  /** A page of what no hosted server has acknowledged. */
  unsent(
    account: string,
    after: string | undefined,
  ): Promise<{ changes: UnsentRow[]; next: string | null }>;
  projects(account: string): Promise<{ project_id: string; name: string }[]>;
  shared(account: string): Promise<string[]>;
  streams(account: string, projects: readonly string[]): Promise<SharedStream[]>;
  /** How many changes of the stream are not sent because the other server refuses them. */
  refused(account: string, stream: string): Promise<number>;
  /** Changes of shared projects that the other server failed on (R12). */
  aside(account: string): Promise<SetAside[]>;
  /** The changes of these streams that are not sent, with why. */
  kept(account: string, streams: readonly string[], limit: number): Promise<KeptRow[]>;
  /** Runs that the hosted server has not taken, as long as they are here. */
  owed(account: string): Promise<OwedRun[]>;
  /** Registers of the profiles that cases and runs of these projects name. */
  profiles(account: string, projects: readonly string[]): Promise<string[]>;
  /** Documents that cases of these projects name and that are not here. */
  missingDocuments(
    account: string,
    projects: readonly string[],
  ): Promise<{ profile_uid: string; version: string; digest: string }[]>;
}

/** `at`: when the other server last failed on it; `versions`: those of both sides then. */
export interface SetAside {
  stream: string;
  seq: number;
  at: string;
  versions: string;
}

/**
 * A change that the other server refuses or fails on: `code` is why, `at` when that was last found.
 */
export interface KeptRow {
  stream: string;
  change_id: string;
  author: string;
  received_at: string;
  code: string;
  at: string;
}

/** `code`: why it was not taken; `at`: when that was first found. */
export interface OwedRun {
  run_uid: string;
  case_uid: string;
  code: string;
  at: string;
}

/** Unsent changes that one user made here. */
export interface UnsentOf {
  user_id: string;
  name: string;
  changes: { stream: string; seq: number }[];
}
export interface Left {
  changes: number;
  oldest: string | null;
}
export interface UnsentRow {
  stream: string;
  change_id: string;
  received_at: string;
  author: string;
  user_id: string;
  state: 'waiting' | 'kept';
  reason: string | null;
  change: string;
}

export interface UplinkWriter {
  /** These users are the studio's person: their work is sent with the person's key. */
  standFor(users: readonly string[]): Promise<void>;
  /** What was set aside of these users goes again. */
  takeBack(account: string, users: readonly string[]): Promise<void>;
  write(uplink: StoredUplink): Promise<void>;
  share(account: string, projectId: string, shared: boolean): Promise<void>;
  /** Sets the person of this store from now on; existing keys and sessions become theirs. */
  become(user: Pick<StoredUplink, 'user_id' | 'user_name' | 'store'>): Promise<void>;
  /**
   * Called for another server than before: no project is shared with it yet, and every link begins
   * again.
   */
  beginAnew(account: string): Promise<void>;
  /**
   * Notes a change that the other server refuses, so that it is not sent again; with `aside`, one
   * that it fails on, which is offered again.
   */
  refuse(
    account: string,
    stream: string,
    seq: number,
    code: string,
    aside?: Pick<SetAside, 'at' | 'versions'>,
  ): Promise<void>;
  /** The other server has taken a change that was noted so. */
  accept(account: string, stream: string, seq: number): Promise<void>;
  /** Notes that a run was not accepted, to be offered again; null: it was accepted. */
  owe(account: string, runUid: string, code: string | null): Promise<void>;
}
