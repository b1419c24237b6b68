import type { ThreadEntry } from '../../../shared/domain/thread.ts';
import type { AuthoredEntry } from '../../../sync/layers/discussion.ts';
import type { ReadContext } from '../db/context.ts';

/** An entry of a thread, with its place in the log of this store. */
export interface StoredThreadEntry extends AuthoredEntry<ThreadEntry> {
  seq: number;
}

/** What was said in some threads of a log, by thread, in no order. */
export async function threadEntriesIn(
  { session }: ReadContext,
  streamPk: number,
  threads: readonly string[],
): Promise<Map<string, StoredThreadEntry[]>> {
  if (threads.length === 0) return new Map();
  const rows = await session.db
    .selectFrom('thread_entries')
    .select(['thread_id', 'seq', 'idx', 'change_id', 'hlc', 'said_by', 'value'])
    .where('account', '=', session.account)
    .where('stream_pk', '=', streamPk)
    .where(session.inList('thread_id', threads))
    .execute();
  return Map.groupBy(
    rows.map(({ thread_id, seq, idx, change_id, hlc, said_by, value }) => ({
      thread: thread_id,
      seq,
      name: `${change_id}#${idx}`,
      hlc,
      by: said_by,
      value: JSON.parse(value) as ThreadEntry,
    })),
    ({ thread }) => thread,
  );
}
