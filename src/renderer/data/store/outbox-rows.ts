import type { Database, OutboxRow } from './db.ts';

/**
 * The keys as a range, where they follow one another as those of one user's work do: such rows are
 * read or deleted in one request instead of one each.
 */
function rangeOf(db: Database, keys: readonly number[]) {
  const [first, last] = [keys[0], keys.at(-1)];
  return first === undefined || last === undefined || keys.some((key, at) => key !== first + at)
    ? undefined
    : db.outbox.where(':id').between(first, last, true, true);
}

/** Rows of the outbox by their keys, in the same order; undefined for a key without a row. */
export async function outboxRowsAt(
  db: Database,
  keys: readonly number[],
): Promise<(OutboxRow | undefined)[]> {
  const range = rangeOf(db, keys);
  if (range === undefined) return db.outbox.bulkGet([...keys]);
  const rows = new Map((await range.toArray()).map((row) => [row.n, row]));
  return keys.map((key) => rows.get(key));
}

export async function deleteOutboxRows(db: Database, keys: readonly number[]): Promise<void> {
  const range = rangeOf(db, keys);
  if (range === undefined) await db.outbox.bulkDelete([...keys]);
  else await range.delete();
}
