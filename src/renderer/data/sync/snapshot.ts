import type { z } from 'zod';
import { type Failure, parseAdditive } from '../../../shared/contract/call.ts';
import {
  changes,
  SnapshotChunk,
  snapshot as snapshotEndpoint,
} from '../../../shared/contract/sync.ts';
import type { Hasher } from '../../../shared/lib/hash.ts';
import { DamagedChangeError, parseEntryName, unseal } from '../../../sync/change.ts';
import { pullAnswer, stampOf } from '../../../sync/link.ts';
import { addToDigest } from '../../../sync/log.ts';
import { UNRECORDED } from '../../../shared/domain/outcome.ts';
import { parseRegister } from '../../../sync/register.ts';
import { profileDigest } from '../../../shared/domain/profile.ts';
import type { ConflictingHead, HeadRef, MatrixDocument, MatrixRow } from '../store/db.ts';
import { applyChange } from '../replica/apply-change.ts';
import { headersOf, type Link, linkOf, movedTo } from './link.ts';
import { askOrigins, authorOfChange } from './origins.ts';
import { ReplicaState } from '../replica/replica-state.ts';
import type { Target } from '../replica/registers.ts';

/** Where the copy stands in the server's log. */
type Position = Pick<MatrixRow, 'epoch' | 'pull_seq' | 'pull_chain' | 'witness' | 'count' | 'sum'>;
export interface Snapshot {
  state: ReplicaState;
  position: Position;
}
type Source = Pick<Link, 'client' | 'row' | 'hasher' | 'signal' | 'seesKeys'>;

const CODES: Record<string, number> = { F: 0, T: 1, N: 2, '-': UNRECORDED };
const MAX_CHUNKS = 10_000;
/**
 * How often to start again: a log that changes while its chunks are read may make them miss a row.
 */
const TRIES = 3;

class ChunkError extends Error {
  override name = 'ChunkError';
}
const unreadable = (reason: string): Failure => ({
  kind: 'unreadable',
  status: 200,
  reason: `snapshot: ${reason}`,
});

/**
 * Reads the whole matrix from the server in chunks, and then the changes that were committed
 * between the first chunk and the last.
 */
export async function fetchSnapshot(
  source: Source,
): Promise<{ kind: 'ok'; snapshot: Snapshot } | Failure> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await readWhole(source);
    } catch (error) {
      if (!(error instanceof ChunkError)) throw error;
      if (tries >= TRIES) return unreadable(error.message);
    }
  }
}

async function readWhole(source: Source): Promise<{ kind: 'ok'; snapshot: Snapshot } | Failure> {
  const { client, row, hasher, signal } = source;
  const state = new ReplicaState(row);
  const chunks: { from: number; seq: number }[] = [];
  let position: Position | undefined;
  let after: string | undefined;
  do {
    const result = await client.call(snapshotEndpoint, {
      params: { caseUid: row.case_uid },
      query: {
        profile_uid: row.profile_uid,
        profile_version: row.profile_version,
        ...(after === undefined ? {} : { after }),
      },
      headers: headersOf(row),
      signal,
    });
    if (result.kind !== 'ok') return result;
    const chunk = openChunk(result.body, hasher);
    const { epoch, seq, chain, count, sum } = chunk;
    position ??= { epoch, pull_seq: seq, pull_chain: chain, witness: { seq, chain }, count, sum };
    if (position.epoch !== epoch) throw new ChunkError('the log changed its epoch');
    if (chunk.document !== undefined) state.document = knownDocument(row, chunk.document, hasher);
    chunks.push({ from: state.items.length, seq });
    addChunk(state, chunk);
    after = chunk.next ?? undefined;
  } while (after !== undefined && chunks.length < MAX_CHUNKS);
  if (after !== undefined) return unreadable('it has no end');
  const caughtUp = await catchUp(source, state, position, chunks);
  if ('kind' in caughtUp) return caughtUp;
  state.arrange();
  return { kind: 'ok', snapshot: { state, position: caughtUp } };
}

/** What the server says of the matrix's document, beside the one that this copy was opened with. */
function knownDocument(
  { profile }: MatrixRow,
  { digest, named, unsettled }: NonNullable<SnapshotChunk['document']>,
  hasher: Hasher,
): MatrixDocument {
  const own = profileDigest(profile, hasher);
  return { digest: own, named: named && digest === own, other: unsettled || digest !== own };
}

/**
 * Applies the changes that were committed while the chunks were read, to each row those that its
 * chunk could not contain. Afterwards the copy is of one moment, and unsent changes can be applied
 * on top.
 */
async function catchUp(
  source: Source,
  state: ReplicaState,
  start: Position,
  chunks: readonly { from: number; seq: number }[],
): Promise<Position | Failure> {
  const { client, hasher, signal } = source;
  const end = Math.max(...chunks.map(({ seq }) => seq));
  const read = state.items.length;
  const seqOf = (itemIndex: number): number =>
    itemIndex >= read ? 0 : (chunks.findLast(({ from }) => from <= itemIndex)?.seq ?? 0);
  const itemIndexOf = (target: Target): number =>
    target.kind === 'item' ? target.itemIndex : Math.floor(target.cell / state.store.columns);
  let row: MatrixRow = { ...source.row, ...start };
  while (row.pull_seq < end) {
    const result = await client.call(changes, {
      params: { caseUid: row.case_uid },
      query: { after: String(row.pull_seq) },
      headers: headersOf(row),
      signal,
    });
    if (result.kind !== 'ok') return result;
    const judged = pullAnswer(
      linkOf(row),
      { ...stampOf(row), from: row.pull_seq },
      result.body,
      hasher,
    );
    if (judged.kind !== 'use' || result.body.n === 0)
      throw new ChunkError('the log is not the one that the chunks are of');
    try {
      const read = result.body.changes.map(({ id, change, seq, author }) => ({
        seq,
        author,
        sealed: unseal(id, change, hasher),
      }));
      const origins = await askOrigins(
        source,
        read.map(({ sealed }) => sealed),
      );
      if ('kind' in origins) return origins;
      for (const { seq, author, sealed } of read)
        applyChange(state, sealed, authorOfChange(sealed.change, author, source.seesKeys), {
          isNews: (target) => seq > seqOf(itemIndexOf(target)),
          origins,
        });
    } catch (error) {
      if (!(error instanceof DamagedChangeError)) throw error;
      return unreadable(`a change is damaged (${error.code})`);
    }
    row = {
      ...row,
      ...movedTo(judged.row),
      rev: judged.row.rev,
      ...addToDigest(
        row,
        result.body.changes.map(({ id }) => id),
      ),
    };
  }
  if (state.conflicts.orphans > 0) throw new ChunkError('a row was missed');
  const { epoch, pull_seq, pull_chain, witness, count, sum } = row;
  return { epoch, pull_seq, pull_chain, witness, count, sum };
}

/** N7: a chunk is refused if its bytes do not match its hash. */
function openChunk(
  { n, sha256, chunk: text }: z.output<typeof snapshotEndpoint.response>,
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
  if (
    columns !== state.rules.length ||
    chunk.rules.some((rule, column) => rule !== state.rules[column])
  )
    throw new ChunkError('other rules than the profile');
  if (chunk.raw.length !== chunk.items.length * columns)
    throw new ChunkError('another number of cells than items');
  if (chunk.clocks.length !== chunk.names.length)
    throw new ChunkError('another number of clocks than names');
  const refs = chunk.names.map((name, place) =>
    state.changeIds.intern(name, chunk.clocks[place] ?? '', false),
  );
  refs.forEach((ref, place) => {
    const author = chunk.authors[chunk.by[place] ?? -1];
    if (author === undefined) throw new ChunkError('a change without its author');
    state.changeIds.wrote(ref, author);
  });
  const head = (name: string): HeadRef => {
    const parsed = parseEntryName(name);
    const ref = parsed === undefined ? undefined : state.changeIds.find(parsed.id);
    if (parsed === undefined || ref === undefined)
      throw new ChunkError('a head that it does not name');
    return [ref, parsed.index];
  };
  const first = state.items.length;
  for (const { heads, deleted, covers, ...item } of chunk.items) {
    if (state.itemIndexes.has(item.item_uid)) throw new ChunkError('an item twice');
    state.addItem({
      ...item,
      exists: !deleted,
      ...(covers === undefined ? {} : { covers }),
      heads: Object.fromEntries(Object.entries(heads).map(([field, name]) => [field, head(name)])),
    });
  }
  const { store } = state;
  const base = first * columns;
  for (let at = 0; at < chunk.raw.length; at += 1) {
    const code = CODES[chunk.raw.charAt(at)];
    if (code === undefined) throw new ChunkError('an unknown outcome letter');
    store.raw[base + at] = code;
  }
  placeHeads(state, chunk, base, refs);
  for (const [row, column, place] of chunk.restored) {
    const author = chunk.authors[place];
    if (row >= chunk.items.length || column >= columns || author === undefined)
      throw new ChunkError('an author outside the chunk');
    const cell = base + row * columns + column;
    state.changeIds.brought(store.ref[cell] ?? 0, store.index[cell] ?? 0, author);
  }
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
  addLoose(state, chunk, head);
}

/** Adds the heads that are not displayed, and the parents that have not arrived yet. */
function addLoose(
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
