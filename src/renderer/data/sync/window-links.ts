import type { CaseUid } from '../../../shared/contract/ids.ts';
import { mayRecord } from '../../../shared/contract/roles.ts';
import { contestCount } from '../editing/contests.ts';
import { EMPTY_OUTBOX, type OutboxCounts, type OutboxState } from './outbox.ts';
import type { SaveStatus } from '../store/port.ts';
import type { Replica } from './replica.ts';
import type { Who } from '../api/who.ts';
import { tAs } from '../../text/t.ts';

/**
 * The state of this window's work over all cases, with the same numbers that an open matrix has.
 */
export type WindowTotals = Pick<
  SaveStatus,
  | 'storing'
  | 'waiting'
  | 'oldest'
  | 'review'
  | 'blocked'
  | 'quarantined'
  | 'savedAt'
  | 'verifiedAt'
  | 'connection'
  | 'problem'
>;

/** One case of one user in this browser's store. `user` also names the account (see `ownerOf`). */
export interface WindowLink {
  case_uid: CaseUid;
  user: string;
  userName: string | null;
  /** The user who is signed in. */
  mine: boolean;
  /** Open in this window, so its numbers are up to date. */
  open: boolean;
  state: 'equal' | 'waiting' | 'blocked' | 'offline';
  waiting: number;
  oldest: number | null;
  blocked: number;
  damaged: number;
  quarantined: number;
  review: number;
  lastOk: number | null;
  verifiedAt: number | null;
  problem: string | null;
}

/**
 * What is known of this window's store: the present numbers of open matrices, and the last read
 * numbers of the others.
 */
export interface WindowView {
  open: readonly Replica[];
  who: Who;
  states: readonly OutboxState[];
  /** Number of contested registers, by matrix. */
  reviews: ReadonlyMap<string, number>;
  savedAt: number | null;
  /** Names of users. */
  names: ReadonlyMap<string, string>;
}

const isReadOnlyEnd = (replica: Replica): boolean =>
  replica.permission.access.may === 'read' && replica.permission.access.because === 'ended';
const earliest = (values: readonly (number | null)[]): number | null =>
  values.reduce((a, b) => (a === null ? b : b === null ? a : Math.min(a, b)), null);
export const latest = (values: readonly (number | null)[]): number | null =>
  values.reduce((a, b) => (a === null ? b : b === null ? a : Math.max(a, b)), null);

export function totalsOf(view: WindowView): WindowTotals {
  const { open, reviews: stored } = view;
  const { signedOut, reachable } = view.who;
  const statuses = linksOf(view);
  const replicaOf = (id: string): Replica | undefined =>
    open.find((replica) => replica.row.id === id);
  const reviews = [...new Set([...stored.keys(), ...open.map((replica) => replica.row.id)])].map(
    (id) => {
      const replica = replicaOf(id);
      return replica === undefined ? (stored.get(id) ?? 0) : contestCount(replica.state);
    },
  );
  const sum = (pick: (state: WindowLink) => number): number =>
    statuses.reduce((total, state) => total + pick(state), 0);
  return {
    storing: open.reduce((total, replica) => total + replica.writer.pending, 0),
    waiting: sum((state) => state.waiting),
    oldest: earliest(statuses.map((state) => (state.waiting > 0 ? state.oldest : null))),
    review: reviews.reduce((total, count) => total + count, 0),
    blocked: sum((state) => state.blocked + state.damaged),
    quarantined: sum((state) => state.quarantined),
    savedAt: latest([view.savedAt, ...open.map((replica) => replica.row.last_ok)]),
    verifiedAt:
      open.length > 0 && open.every((replica) => replica.verifiedAt !== null)
        ? earliest(open.map((replica) => replica.verifiedAt))
        : null,
    connection:
      open.some((replica) => !replica.online) || (open.length === 0 && !reachable)
        ? 'offline'
        : 'online',
    problem:
      statuses.find((state) => state.mine && state.problem !== null)?.problem ??
      (signedOut ? tAs('now', 'You are signed out.') : null),
  };
}

/** Every case that has unsent changes or is open. */
export function linksOf(view: WindowView): WindowLink[] {
  const keys = new Map<string, [CaseUid, string]>();
  for (const { case_uid, user } of [...view.states, ...view.open.map((replica) => replica.row)])
    keys.set(JSON.stringify([case_uid, user]), [case_uid, user]);
  return [...keys.values()].map(([case_uid, user]) => linkOf(view, case_uid, user));
}

export function linkOf(
  { open, states, names, who }: WindowView,
  case_uid: CaseUid,
  user: string,
): WindowLink {
  const replicas = open.filter(
    (replica) => replica.row.case_uid === case_uid && replica.row.user === user,
  );
  const stored =
    states.find((state) => state.case_uid === case_uid && state.user === user) ?? EMPTY_OUTBOX;
  // What a window has just written counts before it is read back.
  const live = replicas.flatMap((replica) => replica.counted ?? []);
  const { waiting, damaged, quarantined, oldest } = live.reduce<OutboxCounts>(
    (a, b) => (b.waiting >= a.waiting ? b : a),
    live[0] ?? stored,
  );
  const pending = replicas.reduce((total, replica) => total + replica.writer.pending, 0);
  const mine = user === who.owner;
  const isBlocked =
    !mine ||
    who.signedOut ||
    (who.facts !== undefined && !mayRecord(who.facts.user.role)) ||
    replicas.some(isReadOnlyEnd);
  const going = (isBlocked ? 0 : waiting) + pending;
  const blocked = isBlocked ? waiting : 0;
  const problem =
    replicas.map((replica) => replica.problem).find((words) => words !== null) ?? null;
  const isOffline = replicas.some((replica) => !replica.online);
  return {
    case_uid,
    user,
    mine,
    userName: names.get(user) ?? null,
    open: replicas.length > 0,
    state:
      blocked + damaged > 0 ? 'blocked' : isOffline ? 'offline' : going > 0 ? 'waiting' : 'equal',
    waiting: going,
    blocked,
    damaged,
    quarantined,
    oldest: earliest([oldest, ...replicas.map((replica) => replica.writer.pendingSince)]),
    review: replicas.reduce((total, replica) => total + contestCount(replica.state), 0),
    lastOk: latest(replicas.map((replica) => replica.row.last_ok)),
    verifiedAt: earliest(replicas.map((replica) => replica.verifiedAt)),
    problem,
  };
}
