import type { AccountId, StreamName, UserId } from '../../shared/contract/ids.ts';
import type { Failure } from '../../shared/contract/call.ts';
import type { Hasher } from '../../shared/lib/hash.ts';
import { ACTIONS, answerOf, type BlockReason, type Phase } from '../../sync/answers.ts';
import { type DriverState, freshState, type StepOutcome } from '../../sync/driver/ports.ts';
import { freshLink } from '../../sync/link.ts';
import type { HostedClient } from './client.ts';
import { SyncPace } from './sync-pace.ts';
import type { LogRequests } from './log-requests.ts';
import { failureSentence, BLOCKED } from './words.ts';
import type { Store } from '../storage/store.ts';
import type { Writer } from '../storage/repositories.ts';
import type { SetAside } from '../storage/replication/unsendable.ts';
import type { LinkKey, LinkRow } from '../storage/replication/links.ts';

/** One connection to a hosted server, and what all its exchanges share. */
export interface UpstreamConnection {
  store: Store;
  account: AccountId;
  hasher: Hasher;
  client: HostedClient;
  /** Requests about logs, which go together where the other side takes that. */
  logs: LogRequests;
  /** Fires when the connection ends or is opened again. */
  signal: AbortSignal;
  now(): number;
  /** As in `Timers`. */
  elapsed(): number;
  /** Identifies this process in link rows (R3). */
  boot: string;
  /**
   * Users whose work may be sent with this key: the connected user, and the studio's person from
   * before any connection.
   */
  mayStandFor: ReadonlySet<UserId>;
  /** The versions of both sides: what one fails on may work after an upgrade of either (R12). */
  versions(): string;
  /** Whether the other side can tell which logs have moved since an answer. */
  tellsSince(): boolean;
  /** Asks the other side who it is: whether it answers at all. */
  answers(): Promise<boolean>;
  /**
   * Asks the other side whether it takes the key for a studio's, which may bring what others wrote.
   */
  isStudio(): Promise<boolean>;
  /** What the other side failed on, read once for all links that want to know at one time. */
  aside(): Promise<readonly SetAside[]>;
  /** Records a failed request for diagnostics; `stream`: null where it is of none. */
  failed(stream: StreamName | null, operation: string, failure: Failure): void;
}

/** The outcome of one cycle of a link. */
export type LinkStep =
  | { kind: 'done' }
  /** Try again later. `host`: all links to that server have to wait, not only this one. */
  | {
      kind: 'later';
      host: boolean;
      online: boolean;
      retryAfter: number | null;
      problem: string | null;
    }
  /** Nothing of this link is sent until a person acts. */
  | { kind: 'blocked'; why: BlockReason; problem: string }
  | { kind: 'stopped'; problem: string }
  | { kind: 'diverged' };

/** What a failed request means for its link, by the table in `sync/answers.ts`. */
export function stepOf(failure: Failure, phase: Phase): LinkStep {
  const action = ACTIONS[phase][answerOf(failure)];
  switch (action.do) {
    case 'recover':
      return { kind: 'diverged' };
    case 'block':
      return { kind: 'blocked', why: action.why, problem: BLOCKED[action.why] };
    case 'wait':
      return {
        kind: 'later',
        host: action.host,
        online: action.online,
        retryAfter: failure.kind === 'refused' ? failure.retryAfter : null,
        problem: failureSentence(failure),
      };
    default:
      return { kind: 'later', host: true, online: true, retryAfter: null, problem: null };
  }
}

export const STALE = {
  kind: 'later',
  host: false,
  online: true,
  retryAfter: null,
  problem: null,
} as const satisfies LinkStep;

const blocked = (why: BlockReason): LinkStep => ({ kind: 'blocked', why, problem: BLOCKED[why] });

/** What a step of the driver means for its link. */
export function stepAfter({ faults }: Pick<DriverState, 'faults'>, outcome: StepOutcome): LinkStep {
  switch (outcome.kind) {
    case 'again':
    case 'done':
      return { kind: 'done' };
    case 'blocked':
      return blocked(outcome.why ?? 'read_only');
    case 'failed': {
      const step = stepOf(outcome.failure, outcome.phase);
      // Where the other side fails on a batch alone it does answer: the other links need not wait.
      return step.kind === 'later' && outcome.phase === 'push'
        ? { ...step, host: step.host && faults === null }
        : step;
    }
    case 'diverged':
      return outcome;
    case 'stale':
      return STALE;
    case 'unfit':
      return { ...STALE, online: false };
  }
}

/**
 * A link in memory: its stored row, except that `boot` is this process, which takes the row over
 * with its first write.
 */
export interface LinkState extends DriverState {
  readonly stream: StreamName;
  row: LinkRow;
  /** Identifies the stored row; undefined where none is stored yet. */
  key: LinkKey | undefined;
  failures: number;
  /** Not served again before this moment of elapsed time. */
  retryAt: number;
  /** Access has ended: nothing is requested until a person asks. */
  blocked: boolean;
  pace: SyncPace;
}

const fresh = (most: number) =>
  ({
    ...freshState(most),
    failures: 0,
    retryAt: -Infinity,
    blocked: false,
    pace: new SyncPace(),
  }) satisfies Partial<LinkState>;
const STATUS = {
  verified_at: null,
  verified_seq: 0,
  last_ok: null,
  problem: null,
  state: 'open',
} as const;

/**
 * A link that has no row yet. `offered`: changes here that the other server may hold already,
 * because it has a log of this name; their ids are offered first.
 */
export function newLink(
  stream: StreamName,
  boot: string,
  mostChanges: number,
  offered: number,
): LinkState {
  return {
    stream,
    row: { ...freshLink(boot), again_to: offered, ...STATUS },
    key: undefined,
    ...fresh(mostChanges),
  };
}

export function knownLink(
  stream: StreamName,
  row: LinkRow,
  boot: string,
  mostChanges: number,
): LinkState {
  const { gen, rev } = row;
  return {
    stream,
    row: { ...row, boot },
    key: { boot: row.boot, gen, rev },
    ...fresh(mostChanges),
  };
}

const keyOf = ({ boot, gen, rev }: LinkRow): LinkKey => ({ boot, gen, rev });

/** Notes that the store now holds `row`. */
export function settled(link: LinkState, row: LinkRow): void {
  link.row = row;
  link.key = keyOf(row);
}

/** Another process has changed the row. This cycle ends; the next begins with what is stored. */
export class LinkMovedError extends Error {
  override name = 'LinkMovedError';
}

/**
 * Stores the link's next row if the stored one is still the one known here, and what `also` writes,
 * in one transaction. Throws LinkMovedError otherwise.
 */
export async function moveTo(
  { store, account }: UpstreamConnection,
  link: LinkState,
  next: LinkRow,
  also: (writer: Writer) => Promise<void> = async () => {},
): Promise<void> {
  const moved = await store.transact(
    async (writer) => {
      const isMoved = await writer.log.moveLink(account, link.stream, link.key, next);
      if (isMoved) await also(writer);
      return isMoved;
    },
    undefined,
    'together',
  );
  if (!moved) throw new LinkMovedError();
  settled(link, next);
}
