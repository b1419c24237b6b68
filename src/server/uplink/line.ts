import type { Failure } from '../../shared/contract/call.ts';
import type { Hasher } from '../../shared/lib/hash.ts';
import { ACTIONS, answerOf, type ParkReason, type Phase } from '../../sync/answers.ts';
import type { Faults } from '../../sync/faults.ts';
import { freshLink } from '../../sync/link.ts';
import type { HostedClient } from './client.ts';
import { failureSentence, PARKED } from './words.ts';
import type { Store } from '../storage/store.ts';
import type { LinkKey, LinkRow } from '../storage/replication/links.ts';

/** One connection to a hosted server, and what all its exchanges share. */
export interface Line {
  store: Store;
  account: string;
  hasher: Hasher;
  client: HostedClient;
  /** Fires when the connection ends or is opened anew. */
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
  mayStandFor: ReadonlySet<string>;
  /** The versions of both sides: what one fails on may work after an upgrade of either (R12). */
  versions(): string;
  /** Asks the other side who it is: whether it answers at all. */
  answers(): Promise<boolean>;
  /**
   * Asks the other side whether it takes the key for a studio's, which may bring what others wrote.
   */
  isStudio(): Promise<boolean>;
  /** Records a failed request for diagnostics. */
  failed(stream: string, operation: string, failure: Failure): void;
}

/** The outcome of one turn of a link. */
export type Turn =
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
  | { kind: 'parked'; why: ParkReason; problem: string }
  | { kind: 'stopped'; problem: string }
  | { kind: 'diverged' }
  | { kind: 'halve'; mark: string };

/** What a failed request means for its link, by the table in `sync/answers.ts`. */
export function turnOf(failure: Failure, phase: Phase): Turn {
  const action = ACTIONS[phase][answerOf(failure)];
  switch (action.do) {
    case 'recover':
      return { kind: 'diverged' };
    case 'halve':
      return { kind: 'halve', mark: action.mark };
    case 'park':
      return { kind: 'parked', why: action.why, problem: PARKED[action.why] };
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

/**
 * A link in memory: its stored row, except that `boot` is this process, which takes the row over
 * with its first write.
 */
export interface LinkState {
  readonly stream: string;
  row: LinkRow;
  /** Identifies the stored row; undefined where none is stored yet. */
  key: LinkKey | undefined;
  /** Most changes of the next request. Halved to find a change that the other side refuses. */
  most: number;
  /** Most changes of the next page. Halved where the other side fails on one. */
  page: number;
  /** What the other side fails on again and again (R12). */
  faults: Faults | null;
  /** Changes were set aside here, and nothing was taken since. */
  doubtful: boolean;
  /** A person asks: what was set aside is offered again. */
  offer: boolean;
  /** How many times in a row both sides differed although nothing was under way (R7). */
  unequal: number;
  failures: number;
  /** Not served again before this moment of elapsed time. */
  retryAt: number;
  /** Access has ended: nothing is requested until a person asks. */
  blocked: boolean;
}

const fresh = (most: number) =>
  ({
    most,
    page: most,
    faults: null,
    doubtful: false,
    offer: false,
    unequal: 0,
    failures: 0,
    retryAt: -Infinity,
    blocked: false,
  }) satisfies Partial<LinkState>;
const STATUS = {
  verified_at: null,
  verified_seq: 0,
  last_ok: null,
  problem: null,
  state: 'open',
} as const;

/**
 * A link that has no row yet. `held`: changes here that the other server may hold already, because
 * it has a log of this name; their ids are offered first.
 */
export function newLink(
  stream: string,
  boot: string,
  mostChanges: number,
  held: number,
): LinkState {
  return {
    stream,
    row: { ...freshLink(boot), again_to: held, ...STATUS },
    key: undefined,
    ...fresh(mostChanges),
  };
}

export function knownLink(
  stream: string,
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

/** Another process has changed the row. This turn ends; the next begins with what is stored. */
export class LinkMovedError extends Error {
  override name = 'LinkMovedError';
}

/**
 * Stores the link's next row if the stored one is still the one known here. Throws LinkMovedError
 * otherwise.
 */
export async function moveTo(
  { store, account }: Line,
  link: LinkState,
  next: LinkRow,
): Promise<void> {
  const moved = await store.transact((writer) =>
    writer.log.moveLink(account, link.stream, link.key, next),
  );
  if (!moved) throw new LinkMovedError();
  settled(link, next);
}
