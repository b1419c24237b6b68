import Dexie from 'dexie';
import { PROTOCOL, push, SYNC_LIMITS } from '../../shared/contract/sync.ts';
import type { Refusal } from '../../shared/contract/call.ts';
import { ACTIONS, answerOf } from '../../sync/answers.ts';
import type { Change } from '../../sync/change.ts';
import { pushAnswer, stampOf, witnessOf } from '../../sync/link.ts';
import { addToDigest } from '../../sync/log.ts';
import { applyChange } from './apply-change.ts';
import type { Database, MatrixRow, OutboxRow } from './db.ts';
import { type Link, linkOf, movedTo, type Step, stepOf } from './link.ts';
import type { Names } from './names.ts';
import type { ReplicaState } from './replica-state.ts';

const READ_AHEAD = 64;

/** The oldest unsent changes of a case that fit one request; at least one if there is any. */
export async function nextBatch(db: Database, caseUid: string, most: number): Promise<OutboxRow[]> {
  const keys = await db.outbox.where('[case_uid+state]').equals([caseUid, 'waiting']).limit(Math.min(most, SYNC_LIMITS.changes)).primaryKeys();
  const batch: OutboxRow[] = [];
  let bytes = 0;
  for (let at = 0; at < keys.length; at += READ_AHEAD) {
    for (const row of await db.outbox.bulkGet(keys.slice(at, at + READ_AHEAD))) {
      if (row === undefined) continue;
      if (batch.length > 0 && bytes + row.bytes > SYNC_LIMITS.bytes) return batch;
      bytes += row.bytes;
      batch.push(row);
    }
  }
  return batch;
}

/** Unsent changes that a replica does not hold, oldest first. Its own, which may be many and large, are not read for that. */
export async function missingRows(db: Database, caseUid: string, names: Names): Promise<OutboxRow[]> {
  const ids = ((await db.outbox.orderBy('id').uniqueKeys()) as string[]).filter((id) => !names.isApplied(id));
  const rows = ids.length === 0 ? [] : await db.outbox.where('id').anyOf(ids).toArray();
  return rows.filter((row) => row.case_uid === caseUid).sort((a, b) => (a.n ?? 0) - (b.n ?? 0));
}

/** How many changes of a case are not committed, when the oldest was made, and how many of them the server has refused. */
export async function outboxState(db: Database, caseUid: string): Promise<{ waiting: number; oldest: number | null; damaged: number }> {
  return db.transaction('r', db.outbox, async () => {
    const all = db.outbox.where('[case_uid+created]').between([caseUid, Dexie.minKey], [caseUid, Dexie.maxKey]);
    const [waiting, oldest, damaged] = await Promise.all([all.count(), all.clone().first(), db.outbox.where('[case_uid+state]').equals([caseUid, 'damaged']).count()]);
    return { waiting, oldest: oldest?.created ?? null, damaged };
  });
}

/** Sends the outbox's tail once. Only what a 200 answer names, in the places it was sent, leaves the outbox (R2). `most` is halved to find a refused change. */
export async function pushOnce(link: Link, most: number): Promise<{ step: Step; most: number }> {
  const { life } = link;
  const batch = await nextBatch(link.db, link.row.case_uid, most);
  if (batch.length === 0) return { step: { kind: 'done' }, most };
  await absorb(link, batch);
  const { row } = link;
  const result = await link.client.call(push, {
    params: { caseUid: row.case_uid },
    headers: witnessOf(row),
    body: { protocol: PROTOCOL, changes: batch.map(({ id, text }) => ({ id, change: text })) },
    signal: link.signal,
  });
  if (link.life !== life) return { step: { kind: 'again' }, most };
  if (result.kind !== 'ok') {
    if (result.kind === 'refused' && ACTIONS.push[answerOf(result)].do === 'halve') return refused(link, batch, result);
    return { step: stepOf(result, 'push'), most };
  }
  const { body } = result;
  const current = link.row;
  const ids = batch.map(({ id }) => id);
  const judged = pushAnswer(linkOf(current), { ...stampOf(row), ids, to: ids.length }, body, link.hasher);
  if (judged.kind === 'diverged') return { step: judged, most };
  if (judged.kind === 'drop') return { step: judged.why === 'stale' ? { kind: 'again' } : { kind: 'later', online: false, retryAfter: null, problem: null }, most };
  const change: Partial<MatrixRow> = { last_ok: link.now() };
  // Before the first snapshot there is nothing that a position could speak of.
  if (current.epoch !== '') {
    const sent = new Set(ids);
    const readBack = judged.row.pull_seq > current.pull_seq ? addToDigest(current, ids) : {};
    Object.assign(change, movedTo(judged.row), readBack, { overlaid: current.overlaid.filter((id) => !sent.has(id)) });
  }
  await link.writer.enqueue({ acknowledged: batch, link: { rev: current.rev, change: () => change } });
  link.row = { ...current, ...change, rev: current.rev + 1 };
  const stale = body.results.some((answer) => answer.seq <= current.base_seq && current.overlaid.includes(answer.id));
  return { step: stale ? { kind: 'stale' } : { kind: 'again' }, most: SYNC_LIMITS.changes };
}

/** Takes over what other windows have put into the outbox: nothing is sent before it is part of this replica. */
export async function absorb(link: Link, rows: readonly OutboxRow[]): Promise<void> {
  link.writer.sealAll();
  const { state } = link;
  if (overlay(state, rows).length === 0) return;
  state.arrange();
  state.store.publish();
  await link.writer.enqueue({ rows: state.takeDirty() });
}

/** Lays unsent changes over what the server has; answers the ids of those that were not there yet. */
export function overlay(state: ReplicaState, rows: readonly Pick<OutboxRow, 'id' | 'text'>[]): string[] {
  const added = rows.filter(({ id }) => !state.names.isApplied(id));
  for (const { id, text } of added) applyChange(state, { id, change: JSON.parse(text) as Change });
  return added.map(({ id }) => id);
}

/** A batch the server will not read: halve it, and when one change is left, mark that one and keep its bytes. */
async function refused(link: Link, batch: readonly OutboxRow[], refusal: Refusal): Promise<{ step: Step; most: number }> {
  const [row] = batch;
  if (batch.length > 1) return { step: { kind: 'again' }, most: Math.ceil(batch.length / 2) };
  if (row !== undefined) await link.writer.enqueue({ damaged: [{ row, reason: `${refusal.code}: ${refusal.message}`.slice(0, 500) }] });
  return { step: { kind: 'again' }, most: SYNC_LIMITS.changes };
}
