import type { Hasher } from '../../shared/lib/hash.ts';
import type { MatrixRow } from './db.ts';

const MODULUS = 2n ** 256n;

/** The chain of a log after one more change: a hash over its ids in order. */
export function nextChain(chain: string, changeId: string, hasher: Hasher): string {
  return hasher.sha256Hex(chain + changeId);
}

/** Sum of ids modulo 2^256 in hex after one more: equal sets have equal sums, in whatever order they came. */
export function addToSum(sum: string, changeId: string): string {
  let value = 0n;
  for (const char of atob(`${changeId.slice(3).replaceAll('-', '+').replaceAll('_', '/')}=`)) value = value * 256n + BigInt(char.charCodeAt(0));
  return ((BigInt(`0x${sum}`) + value) % MODULUS).toString(16).padStart(64, '0');
}

/** The position after reading `ids` on from where the link stands. */
export function advance(row: Pick<MatrixRow, 'pull_seq' | 'pull_chain' | 'count' | 'sum'>, ids: readonly string[], hasher: Hasher): Pick<MatrixRow, 'pull_seq' | 'pull_chain' | 'count' | 'sum'> {
  let { pull_chain, sum } = row;
  for (const id of ids) {
    pull_chain = nextChain(pull_chain, id, hasher);
    sum = addToSum(sum, id);
  }
  return { pull_seq: row.pull_seq + ids.length, pull_chain, count: row.count + ids.length, sum };
}

/** The highest position seen, sent with every request so that a server restored from a backup is noticed (R5). None before the first snapshot. */
export function witnessHeader(row: Pick<MatrixRow, 'epoch' | 'witness'>): Record<string, string> {
  return row.epoch === '' ? {} : { 'sync-witness': `${row.epoch};${row.witness.seq};${row.witness.chain}` };
}

/** The witness after an answer that carried the current one. It never goes back. */
export function seen(row: Pick<MatrixRow, 'witness'>, position: { seq: number; chain: string }): MatrixRow['witness'] {
  return position.seq >= row.witness.seq ? { seq: position.seq, chain: position.chain } : row.witness;
}
