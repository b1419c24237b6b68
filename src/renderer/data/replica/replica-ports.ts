import type { BesideKind } from '../../../sync/layers/record.ts';
import type { Timers } from '../../../sync/loop.ts';
import type { Check } from './checking.ts';
import type { Client } from '../api/client.ts';
import type { Database } from '../store/db.ts';
import type { EncodePorts } from './transaction.ts';
import type { ServerHints } from '../api/events.ts';
import type { LocksLike } from './leader-election.ts';
import type { ReplicaClock } from './replica-clock.ts';
import type { Who } from '../api/who.ts';
import type { ChannelLike } from './window-channel.ts';
import type { ProfileUid, CaseUid } from '../../../shared/contract/ids.ts';

export interface ReplicaPorts {
  client: Client;
  db: Database;
  encoding: EncodePorts;
  check: Check;
  timers: Timers;
  clock: ReplicaClock;
  hints: ServerHints;
  who: Who;
  /** Called when the numbers of a replica may have changed. */
  changed(): void;
  /** Called when news of what stands beside a case's record have been read. */
  readBeside(caseUid: CaseUid, news: readonly BesideKind[]): void;
  locks: LocksLike | undefined;
  broadcast: ((name: string) => ChannelLike) | undefined;
  /** Longest wait after failures, ms: short where the server is on this machine. */
  backoffCap(): number;
}

export interface MatrixAddress {
  caseUid: CaseUid;
  profileUid: ProfileUid;
  profileVersion: string;
}

/** Id of a matrix in the browser's store. Each user of a browser has copies of their own. */
export const matrixId = (
  user: string,
  { caseUid, profileUid, profileVersion }: MatrixAddress,
): string => `${user}/${caseUid}/${profileUid}@${profileVersion}`;
