import type { z } from 'zod';
import type { Failure } from '../../shared/contract/call.ts';
import { snapshot as snapshotEndpoint } from '../../shared/contract/sync.ts';
import { parseEntryName } from '../../sync/change.ts';
import { UNRECORDED } from '../../shared/domain/outcome.ts';
import { parseRegister } from '../../sync/register.ts';
import type { FurtherHead, HeadRef } from './db.ts';
import type { Client } from './client.ts';
import { ReplicaState, type Target } from './replica-state.ts';

export type SnapshotChunk = z.output<typeof snapshotEndpoint.response>;
export interface Snapshot {
  state: ReplicaState;
  position: { epoch: string; seq: number; chain: string; count: number; sum: string };
}

const CODES: Record<string, number> = { F: 0, T: 1, N: 2, '-': UNRECORDED };
/** Chunks of a log that moves on in between are fine (later changes are applied over them); another epoch is not. */
const MAX_CHUNKS = 10_000;

class ChunkError extends Error {
  override name = 'ChunkError';
}

/** Reads the whole matrix from the server, chunk by chunk. The replica's position is the first chunk's: what came since is pulled and applies over it. */
export async function fetchSnapshot(client: Client, matrix: { id: string; user: string; case_uid: string; profile_uid: string; profile_version: string; rules: readonly string[] }, signal?: AbortSignal): Promise<{ kind: 'ok'; snapshot: Snapshot } | Failure> {
  const state = new ReplicaState(matrix);
  let position: Snapshot['position'] | undefined;
  let after: string | undefined;
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk += 1) {
    const result = await client.call(snapshotEndpoint, {
      params: { caseUid: matrix.case_uid },
      query: { profile_uid: matrix.profile_uid, profile_version: matrix.profile_version, ...(after === undefined ? {} : { after }) },
      headers: { 'sync-user': matrix.user },
      ...(signal === undefined ? {} : { signal }),
    });
    if (result.kind !== 'ok') return result;
    const { epoch, seq, chain, count, sum } = result.body;
    position ??= { epoch, seq, chain, count, sum };
    state.drift = Math.max(state.drift, seq);
    try {
      if (position.epoch !== epoch) throw new ChunkError('the log changed its epoch');
      addChunk(state, result.body);
    } catch (error) {
      if (!(error instanceof ChunkError)) throw error;
      return { kind: 'unreadable', status: result.status, reason: `snapshot: ${error.message}` };
    }
    after = result.body.next ?? undefined;
    if (after === undefined) {
      state.arrange();
      return { kind: 'ok', snapshot: { state, position } };
    }
  }
  return { kind: 'unreadable', status: 200, reason: 'snapshot: it has no end' };
}

/** Adds one chunk to the replica. A chunk whose parts do not fit each other is refused whole. */
export function addChunk(state: ReplicaState, chunk: SnapshotChunk): void {
  const columns = chunk.rules.length;
  if (columns !== state.rules.length || chunk.rules.some((rule, column) => rule !== state.rules[column])) throw new ChunkError('other rules than the profile');
  if (chunk.raw.length !== chunk.items.length * columns) throw new ChunkError('another number of cells than items');
  if (chunk.clocks.length !== chunk.names.length) throw new ChunkError('another number of clocks than names');
  const refs = chunk.names.map((name, place) => state.names.intern(name, chunk.clocks[place] ?? '', false));
  const head = (name: string): HeadRef => {
    const parsed = parseEntryName(name);
    const ref = parsed === undefined ? undefined : state.names.find(parsed.id);
    if (parsed === undefined || ref === undefined) throw new ChunkError('a head that it does not name');
    return [ref, parsed.index];
  };
  const first = state.items.length;
  for (const { heads, deleted, ...item } of chunk.items) {
    if (state.slots.has(item.item_uid)) throw new ChunkError('an item twice');
    state.addItem({ ...item, exists: !deleted, heads: Object.fromEntries(Object.entries(heads).map(([field, name]) => [field, head(name)])) });
  }
  const { store } = state;
  const base = first * columns;
  for (let at = 0; at < chunk.raw.length; at += 1) {
    const code = CODES[chunk.raw.charAt(at)];
    if (code === undefined) throw new ChunkError('an unknown outcome letter');
    store.raw[base + at] = code;
  }
  placeHeads(state, chunk, base, refs);
  for (const detail of chunk.details) {
    if (detail.row < 0 || detail.row >= chunk.items.length || detail.column < 0 || detail.column >= columns) throw new ChunkError('a detail outside the chunk');
    const cell = base + detail.row * columns + detail.column;
    const { source_value, notes, provenance, notes_head } = detail;
    if (source_value !== null || notes !== null || provenance !== null || notes_head !== null) {
      state.details.set(cell, { source_value, notes, provenance, notesHead: notes_head === null ? null : head(notes_head) });
    }
  }
  addLoose(state, chunk, head);
}

/** Heads that are not displayed, and names that are awaited. */
function addLoose(state: ReplicaState, chunk: SnapshotChunk, head: (name: string) => HeadRef): void {
  const at = (reg: string): { target: Target; more: { others: FurtherHead[]; cited: string[] } } => {
    const register = parseRegister(reg);
    const target = register === undefined || !('item' in register) || !state.slots.has(register.item) ? undefined : state.target(register);
    if (target === undefined) throw new ChunkError('a head of a register that is not in it');
    const more = state.further.get(reg) ?? { others: [], cited: [] };
    state.further.set(reg, more);
    return { target, more };
  };
  for (const { reg, head: name, value } of chunk.further) {
    const { target, more } = at(reg);
    const [ref, index] = head(name);
    more.others.push({ ref, index, value });
    if (target.kind !== 'item') state.judge(target.cell);
  }
  for (const { reg, name } of chunk.dangling) at(reg).more.cited.push(name);
}

/** Runs of [name, first entry index, step, count] over the chunk's cells, row by row; a negative name leaves cells without a head. */
function placeHeads(state: ReplicaState, chunk: SnapshotChunk, base: number, refs: readonly number[]): void {
  const { store } = state;
  let at = 0;
  for (const [name, from, step, count] of chunk.heads) {
    if (count < 1 || at + count > chunk.raw.length) throw new ChunkError('heads beyond the cells');
    const ref = name < 0 ? 0 : refs[name];
    if (ref === undefined) throw new ChunkError('a head without a name');
    for (let k = 0; k < count; k += 1, at += 1) {
      store.ref[base + at] = ref;
      store.index[base + at] = ref === 0 ? 0 : from + step * k;
    }
  }
  if (at !== chunk.raw.length) throw new ChunkError('fewer heads than cells');
}
