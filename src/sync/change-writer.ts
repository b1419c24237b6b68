import type { StreamName } from '../shared/contract/ids.ts';
import { canonicalJson } from '../shared/lib/canonical-json.ts';
import type { Hasher } from '../shared/lib/hash.ts';
import { type Change, type Entry, WRITTEN_SCHEMA } from './change.ts';

/**
 * The one place where new changes become bytes. Texts are put together by hand, since this is the
 * hot path of a store that records: a property test compares them with `canonicalJson`.
 */

/**
 * Canonical JSON of a string. For well-formed text, JSON.stringify escapes exactly as RFC 8785
 * asks.
 */
export function jsonString(text: string): string {
  return JSON.stringify(text);
}

/** Canonical JSON of one entry. `parents`, `reg` and `value` must be canonical JSON already. */
export function entryText(
  parents: string,
  reg: string,
  value: string,
  op: 'set' | 'announce' | 'resolve' = 'set',
): string {
  return `{"op":"${op}","parents":${parents},"reg":${reg},"value":${value}}`;
}

/** Canonical JSON of a `set`'s parents. */
export function parentsText(parent: string | null): string {
  return parent === null ? '[]' : `["${parent}"]`;
}

/** Canonical JSON of an entry that exists as a whole. */
export const wholeEntryText = (entry: Entry): string => canonicalJson(entry);

/** Who writes a gesture, where, when and why: what its changes have in common. */
export interface Envelope {
  stream: StreamName;
  by: Pick<Change['by'], 'user' | 'kind' | 'agent' | 'key' | 'name'>;
  app: string;
  replica: string;
  txn: string;
  wall: string;
  why: string | null;
}

const orNull = (text: string | null): string => (text === null ? 'null' : jsonString(text));

/** Writes the changes of one gesture, each from canonical JSON of its entries: one or more. */
export function changeWriter(
  { stream, by, app, replica, txn, wall, why }: Envelope,
  hasher: Hasher,
): (entries: readonly string[], hlc: string, nonce: string) => { id: string; text: string } {
  const name = by.name === undefined ? '' : `"name":${jsonString(by.name)},`;
  const at = `{"app":${jsonString(app)},"replica":${jsonString(replica)},"schema":${WRITTEN_SCHEMA}}`;
  const author = `{"agent":${orNull(by.agent)},"key":${orNull(by.key)},"kind":"${by.kind}",${name}"user":${jsonString(by.user)}}`;
  const before = `{"at":${at},"by":${author},"case":${jsonString(stream)},"entries":[`;
  const after = `,"txn":${jsonString(txn)},"v":1,"wall":${jsonString(wall)},"why":${orNull(why)}}`;
  return (entries, hlc, nonce) => {
    // Joined once: the text is large, and the hash reads it as one.
    const parts = [...entries];
    parts[0] = before + (parts[0] as string);
    parts[parts.length - 1] += `],"hlc":"${hlc}","nonce":"${nonce}"${after}`;
    const text = parts.join(',');
    return { id: `c1_${hasher.sha256Base64url(text)}`, text };
  };
}
