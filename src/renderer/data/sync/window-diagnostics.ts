import type { Hasher } from '../../../shared/lib/hash.ts';
import type { Timers } from '../../../sync/loop.ts';
import type { Who } from '../api/who.ts';
import type { Database, MatrixRow } from '../store/db.ts';
import type { WindowLink, WindowTotals } from './window-links.ts';

/** Facts of a window's store for finding faults: cases and users are named by digests. */
export async function windowDiagnostics(
  { db, hasher, timers, who }: { db: Database; hasher: Hasher; timers: Timers; who: Who },
  totals: WindowTotals,
  links: readonly WindowLink[],
): Promise<Record<string, unknown>> {
  const nameOf = (name: string): string => hasher.sha256Hex(name).slice(0, 12);
  return {
    at: timers.now(),
    signed_out: who.signedOut,
    reachable: who.reachable,
    role: who.facts?.user.role ?? null,
    totals: { ...totals, problem: totals.problem !== null },
    copies: (await db.matrices.toArray()).map((row) => copyFacts(row, nameOf)),
    links: links.map(({ case_uid, user, userName: _, problem, ...link }) => ({
      link: nameOf(case_uid),
      user: nameOf(user),
      ...link,
      problem: problem !== null,
    })),
  };
}

const copyFacts = (
  {
    case_uid,
    user,
    gen,
    rev,
    epoch,
    base_seq,
    pull_seq,
    witness,
    count,
    last_ok,
    overlaid,
  }: MatrixRow,
  nameOf: (name: string) => string,
): Record<string, unknown> => ({
  link: nameOf(case_uid),
  user: nameOf(user),
  gen,
  rev,
  epoch,
  base_seq,
  pull_seq,
  witness_seq: witness.seq,
  count,
  last_ok,
  overlaid: overlaid.length,
});
