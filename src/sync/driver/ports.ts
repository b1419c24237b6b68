/**
 * The two ports of the replication driver. `LinkStore` is this side of a link: a log or an outbox
 * with the link's row beside it. `Upstream` is the other side. The driver decides; everything it
 * reads, writes or asks goes through these.
 */
import type { CallResult, Failure } from '../../shared/contract/call.ts';
import type { WireChange } from '../../shared/contract/sync.ts';
import type { Hasher } from '../../shared/lib/hash.ts';
import type { BlockReason, Phase } from '../answers.ts';
import type { Aside, Faults } from '../faults.ts';
import type { LinkRow, MissingReply, PullReply, PushReply } from '../link.ts';
import type { Digest, LogCursor } from '../log.ts';
import type { RULES } from './rules.ts';

/** A change to be sent. `seq`: its position in the own log; 0 in an outbox, which has none. */
export interface Sendable extends WireChange {
  seq: number;
}

/** The oldest changes that are not known to be on the other side and that fit one request. */
export interface UnsentBatch<C> {
  changes: readonly C[];
  /** The own position that a request with them covers, with what need not be sent. */
  to: number;
  /** There may be others after `to`. */
  more: boolean;
  /** Why the next change may not be sent, where there is one; null: this side knows why. */
  blocked?: BlockReason | null;
}

/** Why changes are kept and not sent. */
export interface KeptBack {
  failure: Failure;
  /**
   * What the table of answers calls a change that is never sent again; null: it is offered again.
   */
  mark: string | null;
}

/** Where a store has a change: by its position, or by its id where there are no positions. */
export interface ChangePlace {
  seq: number;
  id?: string;
}

/** A change that was set aside (R12). */
export interface AsideChange extends Aside, ChangePlace {}

/** The own set, to compare both sides by. */
export interface OwnSet extends Digest {
  /** The length of the own log. */
  seq: number;
  /** Changes that the other side lacks because they are kept back. */
  keptBack: number;
}

/**
 * Each writing member is one transaction: data and row together, and only while the stored row is
 * still `row` (R1, R3). Where it is not, the member throws and `row` stays.
 */
export interface LinkStore<C extends Sendable, R extends PushReply, P extends PullReply> {
  /** The row as it is stored. Replaced by every write, never changed in place. */
  readonly row: LinkRow;
  unsent(most: number): Promise<UnsentBatch<C>>;
  /** What was sent in an earlier generation, between the push position and `again_to` (R6). */
  sentBefore(): Promise<{ changes: readonly { id: string; seq: number }[]; to: number }>;
  /** The first of these, as many as fit one request of at most `most`. */
  read(wanted: readonly ChangePlace[], most: number): Promise<readonly C[]>;
  /** Before a batch is sent. Undefined: it may be sent; otherwise what happens instead. */
  prepare?(changes: readonly C[], link: Driven): Promise<StepOutcome | undefined>;
  move(row: LinkRow): Promise<void>;
  /** The other side has these changes. `aside`: they had been set aside. */
  acknowledge(row: LinkRow, changes: readonly C[], reply: R, aside: boolean): Promise<void>;
  keepBack(changes: readonly C[], why: KeptBack): Promise<void>;
  aside(): Promise<readonly AsideChange[]>;
  /** Stores a whole page, or nothing of it and says what happens instead. */
  receive(row: LinkRow, page: P): Promise<StepOutcome | undefined>;
  /** Undefined while there is no log to compare. */
  ownSet(): Promise<OwnSet | undefined>;
  /** Both sides hold the same. */
  verified(row: LinkRow, own: Pick<OwnSet, 'seq'>): Promise<void>;
}

export interface Upstream<R extends PushReply, P extends PullReply> {
  push(changes: readonly WireChange[], row: LinkRow): Promise<CallResult<R>>;
  missing(ids: readonly string[], row: LinkRow): Promise<CallResult<MissingReply>>;
  changes(limit: number, row: LinkRow): Promise<CallResult<P>>;
  ancestor(
    points: readonly LogCursor[],
    row: LinkRow,
  ): Promise<CallResult<{ epoch: string; seq: number }>>;
  /** Whether the other side answers another question at this moment. */
  answers(): Promise<boolean>;
  /** Whether it takes what others wrote from these credentials. */
  takesOthers(): Promise<boolean>;
}

/** What a link knows in memory, of this process alone. */
export interface DriverState {
  /** Most changes of the next request: halved to find a change that the other side refuses. */
  most: number;
  /** Most changes of the next page: halved where the other side fails on one. */
  page: number;
  /** What the other side fails on again and again (R12). */
  faults: Faults | null;
  /** Changes were set aside here, and nothing was taken since. */
  doubtful: boolean;
  /** A person asks: what was set aside is offered again. */
  offer: boolean;
  /** Both sides differed although nothing was under way, and a new generation was stored (R7). */
  unequal: number;
  /** What `missing` said is to be sent, while the link stands at `from`. */
  lacking: {
    gen: number;
    from: number;
    changes: readonly { id: string; seq: number }[];
    to: number;
  } | null;
}

export const freshState = (mostChanges: number): DriverState => ({
  most: mostChanges,
  page: mostChanges,
  faults: null,
  doubtful: false,
  offer: false,
  unequal: 0,
  lacking: null,
});

export interface Driven<
  C extends Sendable = Sendable,
  R extends PushReply = PushReply,
  P extends PullReply = PullReply,
> {
  readonly store: LinkStore<C, R, P>;
  readonly upstream: Upstream<R, P>;
  readonly state: DriverState;
  readonly hasher: Hasher;
  /** Most changes of a request or a page. */
  readonly mostChanges: number;
  /** The versions of both sides: what one fails on may work after an upgrade of either (R12). */
  readonly versions: string;
  now(): number;
  /** As in `Timers`. */
  elapsed(): number;
  /** The connection ends or begins again: nothing more is decided. */
  readonly ended: boolean;
  readonly rules: typeof RULES;
}

/** What one step of a link came to. */
export type StepOutcome =
  /** Something was done, and there may be more to do. */
  | { kind: 'again' }
  /** There is nothing more to do. */
  | { kind: 'done' }
  /** The next change may not be sent. Nothing was asked. */
  | { kind: 'blocked'; why: BlockReason | null }
  | { kind: 'failed'; failure: Failure; phase: Phase }
  /** The answer was of no use: for a row that has changed since (R3), or incomplete (R1). */
  | { kind: 'stale' }
  | { kind: 'unfit' }
  | { kind: 'diverged' };
