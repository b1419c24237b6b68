import type { Failure } from '../../shared/contract/call.ts';
import type { Hasher } from '../../shared/lib/hash.ts';
import { ACTIONS, answerOf, type ParkReason, type Phase } from '../../sync/answers.ts';
import { freshLink } from '../../sync/link.ts';
import type { LinkKey, LinkRow } from '../storage/log-port.ts';
import type { Store } from '../storage/port.ts';
import type { HostedClient } from './client.ts';
import { failureSentence, PARKED } from './words.ts';

/** One connection while it lasts: the server that is called, and all that its exchanges share. */
export interface Line {
  store: Store;
  account: string;
  hasher: Hasher;
  client: HostedClient;
  /** Fires when the connection ends, or is begun anew. */
  signal: AbortSignal;
  now(): number;
  /** Names this process in link rows (R3). */
  boot: string;
  /** Whose work is sent with this key: the connected user's, and that of the person before any connection. */
  mayStandFor: ReadonlySet<string>;
  /** Notes a failed request for diagnostics. */
  failed(stream: string, operation: string, failure: Failure): void;
}

/** How one turn of a link went. */
export type Turn =
  | { kind: 'done' }
  /** Try later; `host`: every link to that server waits. */
  | { kind: 'later'; host: boolean; online: boolean; retryAfter: number | null; problem: string | null }
  /** Nothing of this link is sent until a person acts. */
  | { kind: 'parked'; why: ParkReason; problem: string }
  | { kind: 'stopped'; problem: string }
  | { kind: 'diverged' }
  | { kind: 'halve'; mark: string };

/** What a failed request means for its link (the table of `sync/answers.ts`). */
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
      return { kind: 'later', host: action.host, online: action.online, retryAfter: failure.kind === 'refused' ? failure.retryAfter : null, problem: failureSentence(failure) };
    default:
      return { kind: 'later', host: true, online: true, retryAfter: null, problem: null };
  }
}

/** A link in memory: its row as it is stored, but for the process, which takes it over with its first move. */
export interface LinkState {
  readonly stream: string;
  row: LinkRow;
  /** How the stored row is known; undefined where none is stored yet. */
  key: LinkKey | undefined;
  /** Changes of the next request: halved to find a refused one. */
  most: number;
  /** Times in a row that both sides were found to differ though nothing was under way (R7). */
  unequal: number;
  failures: number;
  /** Not before, ms. */
  retryAt: number;
  /** Access has ended: nothing is asked until a person wishes. */
  blocked: boolean;
}

const STATUS = { verified_at: null, verified_seq: 0, last_ok: null, problem: null, state: 'open' } as const;

/** `held`: changes that the other server may hold already, since it has a log of this name: their names are offered first. */
export function newLink(stream: string, boot: string, mostChanges: number, held: number): LinkState {
  return { stream, row: { ...freshLink(boot), again_to: held, ...STATUS }, key: undefined, most: mostChanges, unequal: 0, failures: 0, retryAt: 0, blocked: false };
}

export function knownLink(stream: string, row: LinkRow, boot: string, mostChanges: number): LinkState {
  const { gen, rev } = row;
  return { stream, row: { ...row, boot }, key: { boot: row.boot, gen, rev }, most: mostChanges, unequal: 0, failures: 0, retryAt: 0, blocked: false };
}

const keyOf = ({ boot, gen, rev }: LinkRow): LinkKey => ({ boot, gen, rev });

/** Notes that `row` is what the store now holds. */
export function settled(link: LinkState, row: LinkRow): void {
  link.row = row;
  link.key = keyOf(row);
}

/** Another writer moved the row: its turn ends, and the next begins with what is stored. */
export class LinkMovedError extends Error {
  override name = 'LinkMovedError';
}

/** Puts the next row by compare-and-set. */
export async function moveTo({ store, account }: Line, link: LinkState, next: LinkRow): Promise<void> {
  const moved = await store.transact((writer) => writer.log.moveLink(account, link.stream, link.key, next));
  if (!moved) throw new LinkMovedError();
  settled(link, next);
}
