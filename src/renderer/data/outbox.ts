import Dexie from 'dexie';
import { PROTOCOL, push, SYNC_LIMITS } from '../../shared/contract/sync.ts';
import type { Refusal } from '../../shared/contract/call.ts';
import type { Change } from '../../sync/change.ts';
import { applyChange } from './apply-change.ts';
import type { Database, MatrixRow, OutboxRow } from './db.ts';
import { type Link, type Step, stepOf } from './link.ts';
import type { Names } from './names.ts';
import { advance, seen, witnessHeader } from './log-position.ts';
import type { ReplicaState } from './replica-state.ts';

/** Codes that speak of the changes sent, not of who sent them or when. */
const ABOUT_CONTENT = new Set(['invalid_request', 'invalid_json', 'invalid_encoding', 'duplicate_key', 'forbidden_key', 'json_too_deep', 'payload_too_large', 'validation_failed', 'hash_mismatch']);
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
    headers: witnessHeader(row),
    body: { protocol: PROTOCOL, changes: batch.map(({ id, text }) => ({ id, change: text })) },
    signal: link.signal,
  });
  if (link.life !== life) return { step: { kind: 'again' }, most };
  if (result.kind !== 'ok') {
    if (result.kind === 'refused' && ABOUT_CONTENT.has(result.code)) return refused(link, batch, result);
    return { step: stepOf(result), most };
  }
  const { body } = result;
  if (row.epoch !== '' && body.epoch !== row.epoch) return { step: { kind: 'diverged' }, most };
  const fits = body.results.length === batch.length && body.results.every((answer, at) => answer.id === batch[at]?.id);
  if (!fits) return { step: { kind: 'later', online: false, retryAfter: null, problem: null }, most };
  const current = link.row;
  const change: Partial<MatrixRow> = { last_ok: link.now() };
  if (current.epoch !== '') {
    const ids = new Set(batch.map(({ id }) => id));
    Object.assign(change, { witness: seen(current, body), overlaid: current.overlaid.filter((id) => !ids.has(id)) }, ownPart(link, current, body));
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

/** If the log grew by nothing but what was sent (its chain proves it), there is no need to read that back. */
function ownPart(link: Link, row: MatrixRow, body: { results: readonly { id: string; seq: number }[]; seq: number; chain: string; count: number; sum: string }): Partial<MatrixRow> {
  if (body.seq !== row.pull_seq + body.results.length || body.results.some((answer, at) => answer.seq !== row.pull_seq + 1 + at)) return {};
  const next = advance(row, body.results.map(({ id }) => id), link.hasher);
  return next.pull_chain === body.chain && next.count === body.count && next.sum === body.sum ? next : {};
}

/** A batch the server will not read: halve it, and when one change is left, mark that one and keep its bytes. */
async function refused(link: Link, batch: readonly OutboxRow[], refusal: Refusal): Promise<{ step: Step; most: number }> {
  const [row] = batch;
  if (batch.length > 1) return { step: { kind: 'again' }, most: Math.ceil(batch.length / 2) };
  if (row !== undefined) await link.writer.enqueue({ damaged: [{ row, reason: `${refusal.code}: ${refusal.message}`.slice(0, 500) }] });
  return { step: { kind: 'again' }, most: SYNC_LIMITS.changes };
}
