import type { Hasher } from '../shared/lib/hash.ts';

/** A position in a log: how many changes come before it, and the hash over their ids in order. */
export interface LogCursor {
  seq: number;
  chain: string;
}

/**
 * The size of a set of changes and the sum of their ids: equal sets have equal digests, in whatever
 * order the changes came.
 */
export interface Digest {
  count: number;
  sum: string;
}

/** The position and digest of a log without changes. */
export const EMPTY_CHAIN = '0'.repeat(64);
export const EMPTY_SUM = '0'.repeat(64);
export const LOG_START: LogCursor = { seq: 0, chain: EMPTY_CHAIN };

const MODULUS = 2n ** 256n;
/** Values of the digits of base64url, by character code. */
const DIGITS = new Uint8Array(128);
for (const [value, char] of [
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
].entries())
  DIGITS[char.charCodeAt(0)] = value;

/** The chain hash after one more change. It covers all changes before. */
export function nextChain(chain: string, changeId: string, hasher: Hasher): string {
  return hasher.sha256Hex(chain + changeId);
}

export function chainOver(chain: string, ids: readonly string[], hasher: Hasher): string {
  return ids.reduce((last, id) => nextChain(last, id, hasher), chain);
}

function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) value = value * 64 + (DIGITS[text.charCodeAt(at)] ?? 0);
  return value;
}

/**
 * A change's id as a number: 43 digits of six bits, the last of which has two unused bits. Eight
 * digits at a time fit a JavaScript number exactly.
 */
function numberOf(changeId: string): bigint {
  let number = 0n;
  for (let at = 3; at < 43; at += 8)
    number = (number << 48n) | BigInt(digits(changeId, at, at + 8));
  return (number << 16n) | BigInt(digits(changeId, 43, 46) >> 2);
}

/** Adds ids to a sum modulo 2^256, in hex. */
export function addToSum(sum: string, ...changeIds: readonly string[]): string {
  let total = BigInt(`0x${sum}`);
  for (const id of changeIds) total += numberOf(id);
  return (total % MODULUS).toString(16).padStart(64, '0');
}

export function addToDigest({ count, sum }: Digest, ids: readonly string[]): Digest {
  return { count: count + ids.length, sum: addToSum(sum, ...ids) };
}

export function isSameSet(a: Digest, b: Digest): boolean {
  return a.count === b.count && a.sum === b.sum;
}
