import type { Hasher } from '../../shared/lib/hash.ts';

const DIGITS = 1_000_000;

/**
 * Entity tag of a page of evidence: `v`, the log's length plus one, and six digits for everything else that decides the page. `If-Match` with it therefore asks
 * that the case's log has not grown since.
 */
export function evidenceEtag(position: { seq: number; chain: string }, parameters: readonly unknown[], hasher: Hasher): string {
  const digest = Number.parseInt(hasher.sha256Hex(JSON.stringify([position.chain, ...parameters])).slice(0, 12), 16) % DIGITS;
  return `v${(position.seq + 1) * DIGITS + digest}`;
}

/** Whether the number in such a tag stands for this length of the log. */
export function isEvidenceVersion(version: number, seq: number): boolean {
  return Math.floor(version / DIGITS) === seq + 1;
}
