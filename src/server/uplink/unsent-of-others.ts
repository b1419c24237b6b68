import type { AccountId } from '../../shared/contract/ids.ts';
import type { UnsentChoice } from '../../shared/contract/v1/uplink.ts';
import type { Hasher } from '../../shared/lib/hash.ts';
import {
  type Change,
  type Entry,
  entryName,
  parseEntryName,
  seal,
  unseal,
} from '../../sync/change.ts';
import { seeHlc, nextHlc } from '../../sync/clock.ts';
import { SET_ASIDE, type UnsentOf } from '../storage/replication/unsent.ts';
import type { StoredUplink } from '../storage/replication/uplink.ts';
import type { Writer } from '../storage/repositories.ts';
import { ApiError } from '../context/errors.ts';

/** How a change is marked that went under another name. */
const RENAMED = 'renamed';

/**
 * Work of users that the key does not stand for is not sent in silence, nor forgotten: a person
 * says what becomes of it.
 */
export function refuseWithout(choice: UnsentChoice | undefined, others: readonly UnsentOf[]): void {
  if (others.length === 0 || choice !== undefined) return;
  const details = others.map(({ name, user_id, changes }) => ({
    path: '/unsent',
    code: 'other_user',
    message: `${changes.length} of ${name} (${user_id})`,
  }));
  throw new ApiError('other_user', {
    message: `Work that ${others.map(({ name }) => name).join(' and ')} recorded here has not been sent. Connect with a key of theirs, or say what becomes of it.`,
    details,
  });
}

interface Renaming {
  writer: Writer;
  account: AccountId;
  person: Pick<StoredUplink, 'user_id' | 'user_name'>;
  hasher: Hasher;
  now: number;
  nonce(): string;
}

/**
 * The same entries by another author. Each also cites the original, so that here it takes its
 * place; the other side, which never gets that, has the new one alone.
 */
function underNewName(
  original: Change,
  originalId: string,
  names: ReadonlyMap<string, string>,
  { person, now, nonce }: Renaming,
): Change {
  const { hlc } = original;
  const why = original.why ?? `First recorded as ${original.by.name ?? original.by.user}.`;
  const parentOf = (name: string): string => {
    const parts = parseEntryName(name);
    const id = parts === undefined ? undefined : names.get(parts.id);
    return parts === undefined || id === undefined ? name : entryName(id, parts.index);
  };
  const entries = original.entries.map((entry, index): Entry => {
    if (entry.op === 'announce') return entry;
    const parents = [...new Set([...entry.parents.map(parentOf), entryName(originalId, index)])];
    return { ...entry, op: parents.length > 1 ? 'resolve' : entry.op, parents };
  });
  return {
    ...original,
    by: { ...original.by, user: person.user_id, name: person.user_name },
    hlc: nextHlc(seeHlc(hlc, hlc, now).last, now),
    nonce: nonce(),
    why,
    entries,
  };
}

async function rename(of: UnsentOf, renaming: Renaming): Promise<void> {
  const { writer, account, person, hasher } = renaming;
  const actor = {
    account_id: account,
    user_id: person.user_id,
    user_name: person.user_name,
    kind: 'human' as const,
    key_id: null,
    key_name: null,
  };
  const names = new Map<string, string>();
  for (const { stream, seq } of of.changes) {
    const [stored] = await writer.log.at(account, stream, [seq]);
    if (stored === undefined) continue;
    const { id, text } = seal(
      underNewName(unseal(stored.id, stored.change, hasher).change, stored.id, names, renaming),
      hasher,
    );
    names.set(stored.id, id);
    await writer.log.push(actor, stream, [{ id, change: text }], undefined);
    await writer.uplinkWrites.refuse(account, stream, seq, RENAMED);
  }
}

/** Does with the unsent work of others what the person chose. */
export async function settleOthers(
  choice: UnsentChoice | undefined,
  others: readonly UnsentOf[],
  renaming: Renaming,
): Promise<void> {
  const { writer, account } = renaming;
  if (choice === undefined) return;
  if (choice === 'mine') await writer.uplinkWrites.standFor(others.map(({ user_id }) => user_id));
  for (const of of others) {
    if (choice === 'rename') await rename(of, renaming);
    if (choice === 'set_aside')
      for (const { stream, seq } of of.changes)
        await writer.uplinkWrites.refuse(account, stream, seq, SET_ASIDE);
  }
}
