import { type Commit, EVERY_ACCOUNT, type Store } from '../storage/port.ts';

const ASK_MS = 1_000;

/** What was last seen of an account: its mark, and how long each of its logs was. */
interface Seen {
  moved: string;
  seqs: Map<string, number>;
}

export interface Elsewhere {
  /** Resolves when the account is watched: what is committed later, on whatever instance, is told. */
  watch(account: string): Promise<void>;
  close(): void;
}

/**
 * Commits of other instances on the same database, found by asking once a second for the accounts that somebody here listens to.
 * NOTIFY would tell sooner, but lets one transaction commit at a time, and not every engine or connection pooler has it.
 */
export function watchElsewhere(store: Store, isListenedTo: (account: string) => boolean, tell: (commit: Omit<Commit, 'mark'>) => void): Elsewhere {
  const accounts = new Map<string, Promise<Seen>>();
  /** Accounts that somebody is about to listen to. */
  const awaited: string[] = [];
  let asking = false;

  async function look(account: string, moved: string): Promise<Seen> {
    const logs = await store.read((reader) => reader.log.lengths(account), account);
    return { moved, seqs: new Map(logs.map(({ name, seq }) => [name, seq])) };
  }
  const marks = (): Promise<Map<string, string>> => store.read((reader) => reader.log.marks([...accounts.keys()]), EVERY_ACCOUNT);

  async function ask(): Promise<void> {
    for (const account of accounts.keys()) if (!isListenedTo(account) && !awaited.includes(account)) accounts.delete(account);
    if (accounts.size === 0) return;
    for (const [account, moved] of await marks()) {
      const before = await accounts.get(account);
      if (before === undefined || before.moved === moved) continue;
      const now = await look(account, moved);
      accounts.set(account, Promise.resolve(now));
      for (const [name, seq] of now.seqs) if (seq > (before.seqs.get(name) ?? 0)) tell({ account_id: account, case_uid: name, seq });
    }
  }

  const timer = setInterval(() => {
    if (asking) return;
    asking = true;
    // A database that does not answer now is asked again.
    ask().catch(() => {}).finally(() => (asking = false));
  }, ASK_MS);
  timer.unref();
  // What was committed here is told already; where nothing came in between, there is nothing else to be told.
  const forget = store.onCommit(({ account_id, case_uid, seq, mark }) => {
    void accounts.get(account_id)?.then((seen) => {
      seen.seqs.set(case_uid, Math.max(seq, seen.seqs.get(case_uid) ?? 0));
      if (seen.moved === mark.from) seen.moved = mark.to;
    }, () => {});
  });

  return {
    async watch(account) {
      // The mark is not known yet: the first question finds another one and compares the logs.
      const seen = accounts.get(account) ?? look(account, '');
      accounts.set(account, seen);
      awaited.push(account);
      try {
        await seen;
      } catch (error) {
        accounts.delete(account);
        throw error;
      } finally {
        awaited.splice(awaited.indexOf(account), 1);
      }
    },
    close() {
      clearInterval(timer);
      forget();
    },
  };
}
