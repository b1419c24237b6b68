import { z } from 'zod';
import { canonicalJson } from '../shared/lib/canonical-json.ts';
import type { Hasher } from '../shared/lib/hash.ts';
import { HLC_PATTERN } from './clock.ts';

/** The newest meaning of registers and operations that this version knows. A change that needs more is kept and forwarded, not applied. */
export const SCHEMA_VERSION = 1;

/** Most entries in one change, and most bytes of its canonical JSON. Longer gestures are cut; their changes share one `txn`. */
export const MAX_ENTRIES = 2_000;
export const MAX_CHANGE_BYTES = 524_288;
/** Most names that one entry cites: a register with more heads is settled in several steps. */
export const MAX_PARENTS = 1_000;

export const ENTRY_NAME = /^c1_[A-Za-z0-9_-]{43}#(0|[1-9][0-9]{0,3})$/;

export interface Author {
  user: string;
  kind: 'human' | 'agent' | 'import';
  agent: string | null;
  key: string | null;
  /** The user's name as it was then, for stores that do not know the user. Changes of old have none, and the shape asks for nothing. */
  name?: string;
}

/** One register written. `parents` names the entries that were shown when the gesture began; names of entries are `<change id>#<index>`. */
export interface Entry {
  op: string;
  parents: string[];
  reg: string;
  value: unknown;
  /** The entry whose value an undo brings back: whose word it is. Decides nothing. */
  restores?: string;
}

/** What one gesture wrote: immutable, named by the SHA-256 of its canonical JSON. */
export interface Change {
  v: 1;
  /** The stream: a case_uid, or one of the account's own streams (`@project/...`, `@profiles`). */
  case: string;
  hlc: string;
  /** Wall time of the author, RFC 3339. Shown in history; decides nothing. */
  wall: string;
  by: Author;
  at: { replica: string; app: string; schema: number };
  /** Shared by the changes of one gesture. */
  txn: string;
  why: string | null;
  /** 128 random bits in hex: two equal gestures are two changes. */
  nonce: string;
  entries: Entry[];
}

const short = z.string().min(1).max(200);

/** The envelope and the shape of entries. Unknown fields are kept: the hash covers them, and a newer version may know them. */
export const ChangeShape = z.looseObject({
  v: z.literal(1),
  case: short,
  hlc: z.string().regex(HLC_PATTERN),
  wall: z.iso.datetime({ offset: true }),
  by: z.looseObject({ user: short, kind: z.enum(['human', 'agent', 'import']), agent: z.string().max(200).nullable(), key: z.string().max(64).nullable() }),
  at: z.looseObject({ replica: short, app: short, schema: z.int().min(1) }),
  txn: short,
  why: z.string().max(10_000).nullable(),
  nonce: z.string().regex(/^[0-9a-f]{32}$/),
  entries: z.array(z.looseObject({ op: short, parents: z.array(z.string().max(100)).max(MAX_PARENTS), reg: z.string().min(1).max(2_000), value: z.unknown() })).min(1).max(MAX_ENTRIES),
});

/** The name that a change gives its user, where it gives one that can be shown. */
export function nameOf({ name }: { name?: unknown }): string | undefined {
  return typeof name === 'string' && name.length > 0 && name.length <= 200 ? name : undefined;
}

export interface SealedChange {
  id: string;
  /** Canonical JSON: the bytes that were hashed, stored and sent. */
  text: string;
  change: Change;
}

export function seal(change: Change, hasher: Hasher): SealedChange {
  const text = canonicalJson(change);
  return { id: `c1_${hasher.sha256Base64url(text)}`, text, change };
}

export type DamageCode = 'hash_mismatch' | 'not_canonical' | 'malformed' | 'too_large';
export class DamagedChangeError extends Error {
  override name = 'DamagedChangeError';
  readonly code: DamageCode;
  constructor(code: DamageCode) {
    super(`A change cannot be read: ${code}.`);
    this.code = code;
  }
}

/** Whether the UTF-8 form of well-formed `text` has more than `max` bytes; counts only where the number of characters leaves it open. */
function isLargerThan(text: string, max: number): boolean {
  if (text.length > max) return true;
  if (text.length * 3 <= max) return false;
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // Each half of a surrogate pair stands for two of its four bytes.
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff)) bytes += 2;
    else bytes += 3;
  }
  return bytes > max;
}

/** Reads a change as it travels. Throws DamagedChangeError unless the text is canonical, well shaped, and hashes to its id. */
export function unseal(id: string, text: string, hasher: Hasher): SealedChange {
  if (isLargerThan(text, MAX_CHANGE_BYTES)) throw new DamagedChangeError('too_large');
  if (`c1_${hasher.sha256Base64url(text)}` !== id) throw new DamagedChangeError('hash_mismatch');
  let parsed: unknown;
  let canonical: string;
  try {
    parsed = JSON.parse(text);
    canonical = canonicalJson(parsed);
  } catch {
    throw new DamagedChangeError('malformed');
  }
  if (canonical !== text) throw new DamagedChangeError('not_canonical');
  if (!ChangeShape.safeParse(parsed).success) throw new DamagedChangeError('malformed');
  return { id, text, change: parsed as Change };
}

export function entryName(changeId: string, index: number): string {
  return `${changeId}#${index}`;
}

/** Change id and index of an entry's name; undefined where it names nothing. */
export function parseEntryName(name: string): { id: string; index: number } | undefined {
  if (!ENTRY_NAME.test(name)) return undefined;
  const hash = name.indexOf('#');
  return { id: name.slice(0, hash), index: Number(name.slice(hash + 1)) };
}
