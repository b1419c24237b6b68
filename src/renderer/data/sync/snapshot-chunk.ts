import type { z } from 'zod';
import { parseAdditive } from '../../../shared/contract/call.ts';
import { SnapshotChunk, type snapshot } from '../../../shared/contract/sync.ts';
import { UNRECORDED } from '../../../shared/domain/outcome.ts';
import type { Hasher } from '../../../shared/lib/hash.ts';
import { parseEntryName } from '../../../sync/change.ts';
import { parseRegister } from '../../../sync/register.ts';
import type { Target } from '../replica/registers.ts';
import type { ReplicaState } from '../replica/replica-state.ts';
import type { ConflictingHead, HeadRef } from '../store/db.ts';

const CODES: Record<string, number> = { F: 0, T: 1, N: 2, '-': UNRECORDED };

/** A chunk that cannot be what it says, or does not fit the others. */
export class ChunkError extends Error {
  override name = 'ChunkError';
}

/** N7: a chunk is refused if its bytes do not match its hash. */
export function openChunk(
  { n, sha256, chunk: text }: z.output<typeof snapshot.response>,
  hasher: Hasher,
): SnapshotChunk {
  if (hasher.sha256Hex(text) !== sha256)
    throw new ChunkError('its bytes are not those of its hash');
  const { data } = parseAdditive(SnapshotChunk, JSON.parse(text));
  if (data === undefined) throw new ChunkError('its shape is another');
  if (data.items.length !== n) throw new ChunkError('another number of items than it says');
  return data;
}

/** Adds one chunk to the replica. Throws ChunkError where its parts do not fit each other. */
export function addChunk(state: ReplicaState, chunk: SnapshotChunk): void {
  const columns = chunk.rules.length;
  checkShape(state, chunk);
  const refs = addNames(state, chunk);
  const head = (name: string): HeadRef => {
    const parsed = parseEntryName(name);
    const ref = parsed === undefined ? undefined : state.changeIds.find(parsed.id);
    if (parsed === undefined || ref === undefined)
      throw new ChunkError('a head that it does not name');
    return [ref, parsed.index];
  };
  const base = state.items.length * columns;
  for (const { heads, deleted, covers, ...item } of chunk.items) {
    if (state.itemIndexes.has(item.item_uid)) throw new ChunkError('an item twice');
    state.addItem({
      ...item,
      exists: !deleted,
      ...(covers === undefined ? {} : { covers }),
      heads: Object.fromEntries(Object.entries(heads).map(([field, name]) => [field, head(name)])),
    });
  }
  for (let at = 0; at < chunk.raw.length; at += 1) {
    const code = CODES[chunk.raw.charAt(at)];
    if (code === undefined) throw new ChunkError('an unknown outcome letter');
    state.store.raw[base + at] = code;
  }
  placeHeads(state, chunk, base, refs);
  addAuthors(state, chunk, base);
  addDetails(state, chunk, base, head);
  addConflictingHeads(state, chunk, head);
}

function checkShape(
  state: ReplicaState,
  { rules, raw, items, clocks, names }: SnapshotChunk,
): void {
  if (
    rules.length !== state.rules.length ||
    rules.some((rule, column) => rule !== state.rules[column])
  )
    throw new ChunkError('other rules than the profile');
  if (raw.length !== items.length * rules.length)
    throw new ChunkError('another number of cells than items');
  if (clocks.length !== names.length) throw new ChunkError('another number of clocks than names');
}

/** The changes that a chunk names, with their authors; returns their numbers in this replica. */
function addNames(state: ReplicaState, chunk: SnapshotChunk): number[] {
  const refs = chunk.names.map((name, place) =>
    state.changeIds.intern(name, chunk.clocks[place] ?? '', false),
  );
  refs.forEach((ref, place) => {
    const author = chunk.authors[chunk.by[place] ?? -1];
    if (author === undefined) throw new ChunkError('a change without its author');
    state.changeIds.wrote(ref, author);
  });
  return refs;
}

/** Whose outcomes an undo brought back (V9). */
function addAuthors(state: ReplicaState, chunk: SnapshotChunk, base: number): void {
  const { store } = state;
  const columns = chunk.rules.length;
  for (const [row, column, place] of chunk.restored) {
    const author = chunk.authors[place];
    if (row >= chunk.items.length || column >= columns || author === undefined)
      throw new ChunkError('an author outside the chunk');
    const cell = base + row * columns + column;
    state.changeIds.brought(store.ref[cell] ?? 0, store.index[cell] ?? 0, author);
  }
}

function addDetails(
  state: ReplicaState,
  chunk: SnapshotChunk,
  base: number,
  head: (name: string) => HeadRef,
): void {
  const columns = chunk.rules.length;
  for (const detail of chunk.details) {
    if (
      detail.row < 0 ||
      detail.row >= chunk.items.length ||
      detail.column < 0 ||
      detail.column >= columns
    )
      throw new ChunkError('a detail outside the chunk');
    const cell = base + detail.row * columns + detail.column;
    const { source_value, notes, provenance, notes_head } = detail;
    if (source_value !== null || notes !== null || provenance !== null || notes_head !== null) {
      state.details.set(cell, {
        source_value,
        notes,
        provenance,
        notesHead: notes_head === null ? null : head(notes_head),
      });
    }
  }
}

/** Adds the heads that are not displayed, and the parents that have not arrived yet. */
function addConflictingHeads(
  state: ReplicaState,
  chunk: SnapshotChunk,
  head: (name: string) => HeadRef,
): void {
  const at = (
    reg: string,
  ): { target: Target; more: { others: ConflictingHead[]; cited: string[] } } => {
    const register = parseRegister(reg);
    const target =
      register === undefined || !('item' in register) || !state.itemIndexes.has(register.item)
        ? undefined
        : state.target(register);
    if (target === undefined) throw new ChunkError('a head of a register that is not in it');
    const more = state.conflicts.registers.get(reg) ?? { others: [], cited: [] };
    state.conflicts.registers.set(reg, more);
    return { target, more };
  };
  for (const { reg, head: name, value } of chunk.further) {
    const { target, more } = at(reg);
    const [ref, index] = head(name);
    more.others.push({ ref, index, value });
    if (target.kind !== 'item') state.conflicts.classify(target.cell);
  }
  for (const { reg, name } of chunk.dangling) at(reg).more.cited.push(name);
}

/**
 * Places the displayed heads, which come as runs [name, first entry index, step, count] over the
 * chunk's cells, row by row. A negative name leaves cells without a head.
 */
function placeHeads(
  state: ReplicaState,
  chunk: SnapshotChunk,
  base: number,
  refs: readonly number[],
): void {
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
