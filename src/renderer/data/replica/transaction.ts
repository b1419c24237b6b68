import type { CaseUid } from '../../../shared/contract/ids.ts';
import type { Hasher } from '../../../shared/lib/hash.ts';
import { type Entry, MAX_CHANGE_BYTES, MAX_ENTRIES, nameOf } from '../../../sync/change.ts';
import { changeWriter, wholeEntryText } from '../../../sync/change-writer.ts';
import type { Hlc } from '../../../sync/clock.ts';
import type { OutboxRow } from '../store/db.ts';
import { userIdOf } from '../api/who.ts';

/**
 * Where a command's entries come from. An entry is made only when its change is encoded, so that
 * half a million of them never exist at once.
 */
export interface EntrySource {
  readonly count: number;
  /** Makes an entry. Its parents may be entries of commands that were encoded before. */
  at(index: number): Entry;
  /** An upper bound for the bytes of the entry's canonical JSON. */
  size(index: number): number;
  /** An upper bound for every entry; Infinity where each would have to be looked at. */
  readonly widest: number;
  /** Indexes of entries that have to begin a new change. */
  readonly breaks?: readonly number[];
}

/**
 * A change that is not encoded yet. Its entries, its number in the replica and its clock are fixed
 * when the command begins; its id follows from its bytes.
 */
export interface ChangeDraft {
  ref: number;
  hlc: Hlc;
  from: number;
  to: number;
  encoded: OutboxRow | null;
}

export interface CommandTransaction {
  caseUid: CaseUid;
  txn: string;
  at: number;
  why: string | null;
  user: string;
  userName: string;
  source: EntrySource;
  changes: ChangeDraft[];
}

export interface EncodePorts {
  hasher: Hasher;
  randomHex(bytes: number): string;
  replica: string;
  version: string;
}

/** Space for the envelope around the entries. `why` is at most 10,000 characters. */
const ENVELOPE = 2_048;

/**
 * Upper bound for the bytes of a text inside JSON: a UTF-16 unit takes up to three bytes of UTF-8
 * or six of an escape, plain ASCII one.
 */
export function jsonBytes(text: string): number {
  return /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/.test(text) ? text.length + 2 : text.length * 6 + 2;
}

/** Cuts a command's entries into changes of at most MAX_ENTRIES and MAX_CHANGE_BYTES. */
export function cut(source: EntrySource, why: string | null): { from: number; to: number }[] {
  const space = MAX_CHANGE_BYTES - ENVELOPE - (why === null ? 0 : jsonBytes(why));
  const cuts: { from: number; to: number }[] = [];
  if ((source.widest + 1) * MAX_ENTRIES <= space) {
    for (let from = 0; from < source.count; from += MAX_ENTRIES)
      cuts.push({ from, to: Math.min(source.count, from + MAX_ENTRIES) });
    return cuts;
  }
  const breaks = new Set(source.breaks);
  let from = 0;
  let bytes = 0;
  for (let index = 0; index < source.count; index += 1) {
    const size = source.size(index) + 1;
    if (
      index > from &&
      (breaks.has(index) || index - from >= MAX_ENTRIES || bytes + size > space)
    ) {
      cuts.push({ from, to: index });
      from = index;
      bytes = 0;
    }
    bytes += size;
  }
  if (source.count > from) cuts.push({ from, to: source.count });
  return cuts;
}

const encoder = new TextEncoder();

/** Encodes one change of a transaction: from here on its bytes never change. */
export function encodeChange(
  transaction: CommandTransaction,
  change: ChangeDraft,
  ports: EncodePorts,
): OutboxRow {
  const entries: string[] = [];
  for (let index = change.from; index < change.to; index += 1)
    entries.push(wholeEntryText(transaction.source.at(index)));
  const name = nameOf({ name: transaction.userName });
  const write = changeWriter(
    {
      stream: transaction.caseUid,
      by: {
        user: userIdOf(transaction.user),
        kind: 'human',
        agent: null,
        key: null,
        ...(name !== undefined && { name }),
      },
      app: ports.version,
      replica: ports.replica,
      txn: transaction.txn,
      wall: new Date(transaction.at).toISOString(),
      why: transaction.why,
    },
    ports.hasher,
  );
  const { id, text } = write(entries, change.hlc, ports.randomHex(16));
  return {
    id,
    case_uid: transaction.caseUid,
    user: transaction.user,
    text,
    bytes: encoder.encode(text).length,
    created: transaction.at,
    state: 'waiting',
    reason: null,
  };
}
