import type { Awaiting, ThreadState } from '../../../../sync/layers/discussion.ts';

/** An applied entry of a thread, with what orders it (H3). */
interface ThreadEntryTable {
  account: number;
  stream_pk: number;
  thread_id: string;
  seq: number;
  idx: number;
  change_id: string;
  hlc: string;
  /** The id of the person, or of the agent's key. */
  said_by: string;
  /** JSON text. */
  value: string;
}

/** What a thread shows, from all of its entries; a row from when its beginning is here. */
interface ThreadTable {
  account: number;
  stream_pk: number;
  thread_id: string;
  /** Of the beginning: what the list is in the order of. */
  opened_hlc: string;
  kind: 'query' | 'comment';
  state: ThreadState;
  place_on: 'cell' | 'item' | 'rule';
  item_uid: string | null;
  rule_uid: string | null;
  assigned: string | null;
}

/** Whom a thread waits for. */
interface ThreadWaitTable {
  account: number;
  who: string;
  stream_pk: number;
  thread_id: string;
  why: Awaiting;
}

/** Whom an item or a rule is assigned to; null: nobody. */
interface AssignmentTable {
  account: number;
  stream_pk: number;
  /** `item/...` or `rule/...`, as in the register's address. */
  place: string;
  seq: number;
  idx: number;
  change_id: string;
  hlc: string;
  assignee: string | null;
}

export interface DiscussionTables {
  thread_entries: ThreadEntryTable;
  threads: ThreadTable;
  thread_waits: ThreadWaitTable;
  assignments: AssignmentTable;
}
