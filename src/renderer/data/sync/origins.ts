import {
  type EntryWriter,
  listWriters,
  MAX_ENTRIES_ASKED,
} from '../../../shared/contract/v1/contested.ts';
import type { RecordedBy } from '../../../shared/contract/v1/evidence.ts';
import type { Failure } from '../../../shared/contract/call.ts';
import { type Change, entryName, type SealedChange } from '../../../sync/change.ts';
import type { Link } from './link.ts';

/** Whose a change of the log is. `author`: the name by which the server shows it. */
export function authorOfChange(
  { by }: Change,
  author: string | undefined,
  seesKeys: boolean,
): RecordedBy {
  const name = author ?? by.agent ?? by.name ?? by.user;
  return {
    kind: by.kind,
    name,
    ...(seesKeys && by.kind === 'agent' && by.key !== null && { key_id: by.key }),
  };
}

const saidBy = ({ kind, by, key_id, recorded_by }: EntryWriter): RecordedBy =>
  recorded_by ?? {
    kind,
    name: by,
    ...(kind === 'agent' && key_id !== null && { key_id }),
  };

/**
 * The entries that bring back an outcome somebody recorded before, or take over a suggested one.
 */
function bringing(changes: readonly SealedChange[]): string[] {
  return changes.flatMap(({ id, change }) =>
    change.entries.flatMap(({ reg, restores, from }, index) =>
      (restores !== undefined || from !== undefined) && reg.startsWith('a/')
        ? [entryName(id, index)]
        : [],
    ),
  );
}

/**
 * Whose word these changes bring back, as the server knows it: an entry may name another one that
 * never said so (L7).
 */
export async function askOrigins(
  { client, row, signal }: Pick<Link, 'client' | 'row' | 'signal'>,
  changes: readonly SealedChange[],
): Promise<ReadonlyMap<string, RecordedBy> | Failure> {
  const origins = new Map<string, RecordedBy>();
  const entries = bringing(changes);
  for (let start = 0; start < entries.length; start += MAX_ENTRIES_ASKED) {
    const result = await client.call(listWriters, {
      params: { caseUid: row.case_uid },
      body: { entries: entries.slice(start, start + MAX_ENTRIES_ASKED) },
      signal,
    });
    if (result.kind !== 'ok') return result;
    for (const writer of result.body.writers) origins.set(writer.entry, saidBy(writer));
  }
  return origins;
}
