import type { AccountId, StreamName } from '../../shared/contract/ids.ts';
import type { Hasher } from '../../shared/lib/hash.ts';
import { addToSum, EMPTY_CHAIN, EMPTY_SUM, nextChain } from '../../sync/log.ts';
import { AUDIT_START, auditHash, SERVER_TRAIL } from '../storage/audit/audit.ts';
import { columnText } from '../storage/db/column-text.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';
import type { TrailOwner } from '../storage/db/schema/account-tables.ts';
import type { Store } from '../storage/store.ts';
import type { LoggedChange } from '../storage/audit/audit-logs.ts';

const EVENTS_AT_ONCE = 1_000;
const CHANGES_AT_ONCE = 200;

/**
 * How far a trail or log reached when it was checked, and the hash over all of it. `log` is null
 * for the audit trail.
 */
export interface ChainEnd {
  account_id: TrailOwner;
  log: string | null;
  seq: number;
  hash: string;
}
/**
 * What can be wrong. `missing`: a number in the sequence is absent. `altered`: an entry is not what
 * was hashed. `broken`: its hash does not follow from the previous one. `end`: the chain does not
 * end where the store says. `rewritten` and `shortened`: it differs from the chain that an earlier
 * check saw.
 */
export interface ChainProblem {
  account_id: TrailOwner;
  log: string | null;
  seq: number;
  code: 'missing' | 'altered' | 'broken' | 'end' | 'rewritten' | 'shortened';
}
export interface ChainReport {
  ok: boolean;
  events: number;
  changes: number;
  chains: ChainEnd[];
  problems: ChainProblem[];
}

/** The result for one chain: the first thing that is wrong with it, if anything is. */
type Walked = { seq: number; hash: string; problem?: Pick<ChainProblem, 'seq' | 'code'> };

type SeenChainEnd = Pick<ChainEnd, 'seq' | 'hash'> | undefined;

/** Whether the chain differs from what an earlier check saw at this position. */
function wasRewritten(seen: SeenChainEnd, seq: number, hash: string): boolean {
  return seen?.seq === seq && seen.hash !== hash;
}

async function walkTrail(
  store: Store,
  hasher: Hasher,
  account: TrailOwner,
  seen: SeenChainEnd,
): Promise<Walked> {
  let { seq, hash } = AUDIT_START;
  for (;;) {
    const { head, events } = await store.read(
      async (reader) => ({
        head: await reader.auditTrail.head(account),
        events: await reader.auditTrail.after(account, seq, EVENTS_AT_ONCE),
      }),
      EVERY_ACCOUNT,
    );
    for (const { hash: stated, ...event } of events) {
      if (event.seq !== seq + 1) return { seq, hash, problem: { seq: seq + 1, code: 'missing' } };
      if (auditHash(hash, event, hasher) !== stated)
        return { seq, hash, problem: { seq: event.seq, code: 'altered' } };
      seq = event.seq;
      hash = stated;
      if (wasRewritten(seen, seq, hash)) return { seq, hash, problem: { seq, code: 'rewritten' } };
    }
    if (events.length === EVENTS_AT_ONCE) continue;
    if (head.seq !== seq || head.hash !== hash) return { seq, hash, problem: { seq, code: 'end' } };
    return { seq, hash };
  }
}

/** Whether the row's columns agree with the text that was hashed. */
function isAsHashed(row: LoggedChange, hasher: Hasher): boolean {
  if (row.text === null || `c1_${hasher.sha256Base64url(row.text)}` !== row.id) return false;
  const { hlc, wall, why, by } = JSON.parse(row.text) as {
    hlc: string;
    wall: string;
    why: string | null;
    by: { kind: string; key: string | null; agent: string | null };
  };
  const isText = (said: string | null, column: string | null): boolean =>
    columnText(said) === column;
  return (
    hlc === row.hlc &&
    wall === row.wall &&
    isText(why, row.why) &&
    by.kind === row.author_kind &&
    isText(by.key, row.key_id) &&
    isText(by.agent ?? row.author, row.author)
  );
}

async function walkLog(
  store: Store,
  hasher: Hasher,
  account: AccountId,
  end: { name: StreamName; seq: number; chain: string; sum: string },
  seen: SeenChainEnd,
): Promise<Walked> {
  let seq = 0;
  let hash = EMPTY_CHAIN;
  let sum = EMPTY_SUM;
  while (seq < end.seq) {
    const from = seq;
    const rows = await store.read(
      (reader) => reader.auditTrail.logged(account, end.name, from, end.seq, CHANGES_AT_ONCE),
      account,
    );
    if (rows.length === 0) return { seq, hash, problem: { seq: seq + 1, code: 'missing' } };
    for (const row of rows) {
      if (row.seq !== seq + 1) return { seq, hash, problem: { seq: seq + 1, code: 'missing' } };
      if (!isAsHashed(row, hasher))
        return { seq, hash, problem: { seq: row.seq, code: 'altered' } };
      if (nextChain(hash, row.id, hasher) !== row.chain)
        return { seq, hash, problem: { seq: row.seq, code: 'broken' } };
      seq = row.seq;
      hash = row.chain;
      sum = addToSum(sum, row.id);
      if (wasRewritten(seen, seq, hash)) return { seq, hash, problem: { seq, code: 'rewritten' } };
    }
  }
  return hash === end.chain && sum === end.sum
    ? { seq, hash }
    : { seq, hash, problem: { seq, code: 'end' } };
}

/**
 * Checks the audit trail and every log of every account, hash by hash, and that they still contain
 * what an earlier check saw. Somebody with access to the database can make a new chain that is
 * consistent in itself, but not one that contains a hash that was kept outside.
 */
export async function verifyChains(
  store: Store,
  hasher: Hasher,
  earlier: readonly ChainEnd[] = [],
): Promise<ChainReport> {
  const report: ChainReport = { ok: true, events: 0, changes: 0, chains: [], problems: [] };
  const nameOf = (account_id: TrailOwner, log: string | null): string =>
    JSON.stringify([account_id, log]);
  const seen = new Map(earlier.map((end) => [nameOf(end.account_id, end.log), end]));
  const note = (
    account_id: TrailOwner,
    log: string | null,
    { seq, hash, problem }: Walked,
  ): void => {
    const before = seen.get(nameOf(account_id, log));
    seen.delete(nameOf(account_id, log));
    report.chains.push({ account_id, log, seq, hash });
    if (log === null) report.events += seq;
    else report.changes += seq;
    if (problem !== undefined) report.problems.push({ account_id, log, ...problem });
    else if (before !== undefined && before.seq > seq)
      report.problems.push({ account_id, log, seq, code: 'shortened' });
  };
  for (const { account_id } of await store.read(
    (reader) => reader.auditTrail.accounts(),
    EVERY_ACCOUNT,
  )) {
    note(
      account_id,
      null,
      await walkTrail(store, hasher, account_id, seen.get(nameOf(account_id, null))),
    );
    if (account_id === SERVER_TRAIL) continue;
    for (const log of await store.read((reader) => reader.auditTrail.logs(account_id), account_id))
      note(
        account_id,
        log.name,
        await walkLog(store, hasher, account_id, log, seen.get(nameOf(account_id, log.name))),
      );
  }
  for (const { account_id, log, seq } of seen.values())
    if (seq > 0) report.problems.push({ account_id, log, seq: 0, code: 'shortened' });
  report.ok = report.problems.length === 0;
  return report;
}
