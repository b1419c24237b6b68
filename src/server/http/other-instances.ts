import type { AccountId, StreamName } from '../../shared/contract/ids.ts';
import { ACCOUNT_HINT } from '../../shared/contract/sync.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';
import type { Commit } from '../storage/log/change-log.ts';
import type { Store } from '../storage/store.ts';

const ASK_MS = 1_000;
/**
 * Rounds between two questions for an account whose requests all come here: something can still
 * have changed elsewhere, by a command or while proxies disagree on which instances live.
 */
const HOME_ROUNDS = 15;
/** Rounds in which an account is asked for each time, after another instance changed it. */
const CHANGED_ROUNDS = 60;

/** What was last seen of an account: its change token, and the length of each of its logs. */
interface SeenAccount {
  token: string;
  seqs: Map<StreamName, number>;
}

export interface OtherInstances {
  /**
   * Starts to watch an account. Once it resolves, every later commit on any instance is reported.
   * `isHome`: nothing of the account is expected elsewhere, so commits there may be reported later.
   */
  watch(account: AccountId, isHome: boolean): Promise<void>;
  close(): void;
}

/** What an account's logs say now, and its token, which was read before them. */
async function look(store: Store, account: AccountId, token: string): Promise<SeenAccount> {
  const logs = await store.read((reader) => reader.log.lengths(account), account);
  return { token, seqs: new Map(logs.map(({ name, seq }) => [name, seq])) };
}

const tokensOf = (store: Store, accounts: readonly AccountId[]): Promise<Map<AccountId, string>> =>
  store.read((reader) => reader.log.changeTokens(accounts), EVERY_ACCOUNT);

/** The token first: what is committed after it gives another one. */
const firstLook = async (store: Store, account: AccountId): Promise<SeenAccount> =>
  look(store, account, (await tokensOf(store, [account])).get(account) ?? '');

type Notify = (commit: Omit<Commit, 'token'>) => void;

function notifyGrown(
  account_id: AccountId,
  before: SeenAccount,
  now: SeenAccount,
  notify: Notify,
): void {
  const grown = [...now.seqs].filter(([name, seq]) => seq > (before.seqs.get(name) ?? 0));
  for (const [name, seq] of grown) notify({ account_id, case_uid: name, seq });
  // Something has changed that no log says.
  if (grown.length === 0) notify({ account_id, case_uid: ACCOUNT_HINT, seq: 0 });
}

/** Does `work` once a second, and not while it is still being done; answers how to stop. */
function everySecond(work: () => Promise<void>): () => void {
  let isWorking = false;
  const timer = setInterval(() => {
    if (isWorking) return;
    isWorking = true;
    // If the database does not answer now, the next time asks again.
    work()
      .catch(() => {})
      .finally(() => (isWorking = false));
  }, ASK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** In which rounds which account is asked for. */
function createRounds() {
  const accounts = new Map<AccountId, { slot: number; eachUntil: number }>();
  let round = 0;
  let nextSlot = 0;
  return {
    /**
     * Whether one of its listeners came otherwise than by the account's label: asked each round.
     */
    add(account: AccountId, isHome: boolean): void {
      const known = accounts.get(account) ?? { slot: (nextSlot += 1), eachUntil: 0 };
      if (!isHome) known.eachUntil = Infinity;
      accounts.set(account, known);
    },
    changedElsewhere(account: AccountId): void {
      const known = accounts.get(account);
      if (known !== undefined)
        known.eachUntil = Math.max(known.eachUntil, round + 1 + CHANGED_ROUNDS);
    },
    delete: (account: AccountId) => accounts.delete(account),
    /** Begins the next round; answers the accounts to ask for in it. */
    next(): AccountId[] {
      round += 1;
      return [...accounts].flatMap(([account, { slot, eachUntil }]) =>
        round <= eachUntil || (round + slot) % HOME_ROUNDS === 0 ? [account] : [],
      );
    },
  };
}

/**
 * Finds commits that other instances made on the same database, by asking once a second for the
 * accounts that have listeners here, and less often for those that a proxy keeps here. NOTIFY would
 * be faster, but PostgreSQL commits transactions that notify one at a time, and not every
 * connection pooler supports it.
 */
export function watchOtherInstances(
  store: Store,
  isListenedTo: (account: AccountId) => boolean,
  notify: Notify,
): OtherInstances {
  const accounts = new Map<AccountId, Promise<SeenAccount>>();
  const rounds = createRounds();
  /** Accounts that are about to get a listener. */
  const awaited: AccountId[] = [];

  const stop = everySecond(async () => {
    for (const account of accounts.keys())
      if (!isListenedTo(account) && !awaited.includes(account)) {
        accounts.delete(account);
        rounds.delete(account);
      }
    const asked = rounds.next();
    if (asked.length === 0) return;
    for (const [account, token] of await tokensOf(store, asked)) {
      const before = await accounts.get(account);
      if (before === undefined || before.token === token) continue;
      rounds.changedElsewhere(account);
      const now = await look(store, account, token);
      accounts.set(account, Promise.resolve(now));
      notifyGrown(account, before, now, notify);
    }
  });
  // Commits of this instance have been reported already. If such a commit is the only one since the
  // last look, noting its token saves a look at the logs.
  const forget = store.onCommit(({ account_id, case_uid, seq, token }) => {
    if (token === undefined) return;
    void accounts.get(account_id)?.then(
      (seen) => {
        seen.seqs.set(case_uid, Math.max(seq, seen.seqs.get(case_uid) ?? 0));
        if (seen.token === token.from) seen.token = token.to;
        else rounds.changedElsewhere(account_id);
      },
      () => {},
    );
  });

  return {
    async watch(account, isHome) {
      rounds.add(account, isHome);
      const seen = accounts.get(account) ?? firstLook(store, account);
      accounts.set(account, seen);
      awaited.push(account);
      try {
        await seen;
      } catch (error) {
        accounts.delete(account);
        rounds.delete(account);
        throw error;
      } finally {
        awaited.splice(awaited.indexOf(account), 1);
      }
    },
    close() {
      stop();
      forget();
    },
  };
}
