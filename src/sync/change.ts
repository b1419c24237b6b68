import { z } from 'zod';
import { canonicalJson } from '../shared/lib/canonical-json.ts';
import type { Hasher } from '../shared/lib/hash.ts';
import { HLC_PATTERN } from './clock.ts';
import type { KeyId, StreamName, UserId } from '../shared/contract/ids.ts';

/**
 * The newest version of registers and operations that this program understands. A change that needs
 * a newer one is kept and forwarded, but not applied.
 */
export const SCHEMA_VERSION = 6;
/** The version that has brought layers: suggestions, decisions and rounds. */
export const LAYERS_SCHEMA = 4;
/** The version that has brought discussion: threads and assignments. */
export const DISCUSSION_SCHEMA = 5;
/** The version that has brought stages of cases, signatures and time-stamps. */
export const SIGN_OFF_SCHEMA = 6;
/**
 * The version that changes are written with. It is the lowest that applies most of their entries:
 * an earlier version applies those that it knows, and keeps the others for their addresses.
 */
export const WRITTEN_SCHEMA = 1;

/**
 * Most entries in one change, and most bytes of its canonical JSON. A longer gesture is cut into
 * changes that share one `txn`.
 */
export const MAX_ENTRIES = 2_000;
export const MAX_CHANGE_BYTES = 524_288;
/** Most parents of one entry: a register with more heads is settled in several steps. */
export const MAX_PARENTS = 1_000;

export const ENTRY_NAME = /^c1_[A-Za-z0-9_-]{43}#(0|[1-9][0-9]{0,3})$/;

export interface Author {
  user: UserId;
  kind: 'human' | 'agent' | 'import';
  agent: string | null;
  key: KeyId | null;
  /**
   * The user's name at that time, for stores that do not know the user. Changes written by early
   * versions have none, so its shape is not checked.
   */
  name?: string;
}

/**
 * One register written. `parents` names the entries that were displayed when the gesture began; an
 * entry's name is `<change id>#<index>`.
 */
export interface Entry {
  op: string;
  parents: string[];
  reg: string;
  value: unknown;
  /**
   * Set by an undo: the entry whose value it brings back, which shows whose word it is. It has no
   * effect on heads.
   */
  restores?: string;
  /**
   * Set by whoever accepts a suggestion or settles what recorders said: the entries that the
   * outcome comes from. It has no effect on heads (`layers/origin.ts`).
   */
  from?: string[];
}

/** What one gesture wrote. Immutable, and named by the SHA-256 of its canonical JSON. */
export interface Change {
  v: 1;
  /** The stream: a case_uid, or one of the account's own streams (`@project/...`, `@profiles`). */
  case: StreamName;
  hlc: string;
  /** The author's wall clock, RFC 3339. Shown in histories; has no effect on heads. */
  wall: string;
  by: Author;
  at: { replica: string; app: string; schema: number };
  /** Shared by the changes of one gesture. */
  txn: string;
  why: string | null;
  /** 128 random bits in hex, so that two identical gestures are two changes. */
  nonce: string;
  entries: Entry[];
}

const short = z.string().min(1).max(200);

/**
 * The shape of a change. Unknown members are kept, because the hash covers them and a newer version
 * may know them.
 */
export const ChangeShape = z.looseObject({
  v: z.literal(1),
  case: short,
  hlc: z.string().regex(HLC_PATTERN),
  wall: z.iso.datetime({ offset: true }),
  by: z.looseObject({
    user: short,
    kind: z.enum(['human', 'agent', 'import']),
    agent: z.string().max(200).nullable(),
    key: z.string().max(64).nullable(),
  }),
  at: z.looseObject({ replica: short, app: short, schema: z.int().min(1) }),
  txn: short,
  why: z.string().max(10_000).nullable(),
  nonce: z.string().regex(/^[0-9a-f]{32}$/),
  entries: z
    .array(
      z.looseObject({
        op: short,
        parents: z.array(z.string().max(100)).max(MAX_PARENTS),
        reg: z.string().min(1).max(2_000),
        value: z.unknown(),
      }),
    )
    .min(1)
    .max(MAX_ENTRIES),
});

/** The name that a change gives its user; undefined where it gives none that can be shown. */
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

/**
 * Whether the UTF-8 form of well-formed `text` has more than `max` bytes. Counts only where the
 * number of characters does not decide it.
 */
function isLargerThan(text: string, max: number): boolean {
  if (text.length > max) return true;
  if (text.length * 3 <= max) return false;
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // A surrogate pair takes four bytes, two for each of its halves.
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff)) bytes += 2;
    else bytes += 3;
  }
  return bytes > max;
}

/**
 * Parses a change as it is sent. Throws DamagedChangeError unless the text is canonical, has the
 * shape of a change, and hashes to its id.
 */
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

/** A change from a text that `unseal` has accepted under this id. */
export function readChecked(id: string, text: string): SealedChange {
  return { id, text, change: JSON.parse(text) as Change };
}

export function entryName(changeId: string, index: number): string {
  return `${changeId}#${index}`;
}

/** The change id and index in an entry's name; undefined where the text is no such name. */
export function parseEntryName(name: string): { id: string; index: number } | undefined {
  if (!ENTRY_NAME.test(name)) return undefined;
  const hash = name.indexOf('#');
  return { id: name.slice(0, hash), index: Number(name.slice(hash + 1)) };
}
