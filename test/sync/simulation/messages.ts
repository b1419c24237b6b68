import type { Failure } from '../../../src/shared/contract/call.ts';
import type { WireChange } from '../../../src/shared/contract/sync.ts';
import type { HeadEntry } from '../../../src/sync/heads.ts';
import type { MissingReply, PullReply, PushReply } from '../../../src/sync/link.ts';
import type { Digest, LogCursor } from '../../../src/sync/log.ts';

export interface Page extends PullReply {
  changes: readonly (WireChange & { seq: number; quarantined: readonly number[] })[];
}
export interface SnapshotPart extends LogCursor, Digest {
  epoch: string;
  /** For the oracle alone: what the upstream held, and the version it classified by. */
  held: ReadonlySet<string>;
  schema: number;
  /** By register: heads with clock and value, and the names that are awaited. */
  registers: readonly {
    reg: string;
    heads: readonly (HeadEntry & { value: unknown })[];
    cited: readonly string[];
  }[];
}

/** The chunk that a register is in. */
export const chunkOf = (reg: string): 0 | 1 =>
  (reg.charCodeAt(reg.length - 1) + reg.charCodeAt(reg.length - 4)) % 2 === 0 ? 0 : 1;

/** A request as it was made, having seen what (R5). */
interface Sent {
  witness: string | undefined;
}
export type Request = Sent &
  (
    | { kind: 'push'; changes: readonly WireChange[]; to: number }
    | { kind: 'pull'; after: number; limit: number }
    | { kind: 'missing'; ids: readonly string[] }
    | { kind: 'ancestor'; marks: readonly LogCursor[] }
    | { kind: 'snapshot' }
  );
export type Refused = Extract<Failure, { kind: 'refused' }>;
export type Reply =
  | { kind: 'pushed'; body: PushReply }
  | { kind: 'page'; body: Page }
  | { kind: 'lacking'; body: MissingReply }
  | { kind: 'common'; body: LogCursor & { epoch: string } }
  /** Chunks of a snapshot, and what the log brought between the first and the last. */
  | { kind: 'whole'; parts: readonly SnapshotPart[]; pages: readonly Page[] }
  | Failure;

/** Sends a request, and waits for as long as the network pleases. */
export type Ask = (request: Request) => Promise<Reply>;

export const refused = (status: number, code: string): Refused => ({
  kind: 'refused',
  status,
  code,
  message: code,
  details: [],
  requestId: null,
  retryAfter: null,
});

/**
 * A page or a batch ends at `limit` changes or at three entries (they stand for the mebibyte),
 * never inside a change, and holds at least one.
 */
export const PAGE_ENTRIES = 3;
export type IsFull = (changes: number, entries: number, next: number, limit: number) => boolean;
export const isFull: IsFull = (changes, entries, next, limit) =>
  changes >= limit || (changes > 0 && entries + next > PAGE_ENTRIES);
