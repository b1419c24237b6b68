import type { AccountId, StreamName } from '../../shared/contract/ids.ts';
import { ACCOUNT_HINT } from '../../shared/contract/sync.ts';
import type { Commit } from '../storage/log/change-log.ts';
import type { Store } from '../storage/store.ts';

/** Accounts, and commits of each, that are remembered. */
const ACCOUNTS = 1_000;
const COMMITS = 200;
/** Logs that an answer names one by one; where more have moved, it has all. */
const MOST_NAMED = 500;
/** Of a change token so much is in an entity tag, which is enough to tell two apart. */
export const TOKEN_LENGTH = 22;
const short = (token: string): string => token.slice(0, TOKEN_LENGTH);

/** What one commit moved, and the token that followed. `null`: something that is in no log. */
interface Move {
  to: string;
  streams: StreamName[] | null;
}

/**
 * Which logs were moved by the latest commits of this process, by account and by the change token
 * before each. Commits of other instances leave gaps: then it is not known.
 */
class RecentMoves {
  readonly #accounts = new Map<AccountId, Map<string, Move>>();

  note({ account_id, case_uid, token }: Commit): void {
    if (token === undefined) return;
    const moves = this.#accounts.get(account_id) ?? new Map<string, Move>();
    this.#accounts.delete(account_id);
    this.#accounts.set(account_id, moves);
    const from = short(token.from);
    const known = moves.get(from);
    const streams = known?.streams === null || case_uid === ACCOUNT_HINT ? null : [case_uid];
    moves.set(from, {
      to: short(token.to),
      streams: streams === null ? null : [...(known?.streams ?? []), ...streams],
    });
    if (moves.size > COMMITS) moves.delete(moves.keys().next().value!);
    if (this.#accounts.size > ACCOUNTS) this.#accounts.delete(this.#accounts.keys().next().value!);
  }

  since(account: AccountId, from: string, to: string): StreamName[] | undefined {
    const moves = this.#accounts.get(account);
    const moved = new Set<StreamName>();
    const end = short(to);
    let steps = 0;
    for (let token = from; token !== end; steps += 1) {
      const move = moves?.get(token);
      if (move === undefined || move.streams === null || steps > COMMITS) return undefined;
      for (const stream of move.streams) moved.add(stream);
      if (moved.size > MOST_NAMED) return undefined;
      token = move.to;
    }
    return [...moved];
  }
}

const OF_STORE = new WeakMap<Store, RecentMoves>();

/**
 * The logs of an account that have moved since a token; undefined where this process does not know,
 * as for what was before the first question.
 */
export function movedSince(
  store: Store,
  account: AccountId,
  { from, to }: { from: string | undefined; to: string },
): StreamName[] | undefined {
  let moves = OF_STORE.get(store);
  if (moves === undefined) {
    const made = new RecentMoves();
    store.onCommit((commit) => made.note(commit));
    OF_STORE.set(store, made);
    moves = made;
  }
  return from === undefined ? undefined : moves.since(account, from, to);
}
