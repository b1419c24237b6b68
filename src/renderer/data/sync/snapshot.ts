import type { z } from 'zod';
import type { Failure } from '../../../shared/contract/call.ts';
import {
  changes,
  type SnapshotChunk,
  snapshot as snapshotEndpoint,
} from '../../../shared/contract/sync.ts';
import type { Hasher } from '../../../shared/lib/hash.ts';
import { DamagedChangeError, unseal } from '../../../sync/change.ts';
import { pullAnswer, stampOf } from '../../../sync/link.ts';
import { addToDigest } from '../../../sync/log.ts';
import { profileDigest } from '../../../shared/domain/profile.ts';
import type { MatrixDocument, MatrixRow } from '../store/db.ts';
import { applyChange } from '../replica/apply-change.ts';
import { headersOf, type Link, linkOf, movedTo } from './link.ts';
import { askOrigins, authorOfChange } from './origins.ts';
import type { Target } from '../replica/registers.ts';
import { ReplicaState } from '../replica/replica-state.ts';
import { addChunk, ChunkError, openChunk } from './snapshot-chunk.ts';

/** Where the copy stands in the server's log. */
type SnapshotPosition = Pick<
  MatrixRow,
  'epoch' | 'pull_seq' | 'pull_chain' | 'witness' | 'count' | 'sum'
>;
export interface Snapshot {
  state: ReplicaState;
  position: SnapshotPosition;
}
type SnapshotSource = Pick<Link, 'client' | 'row' | 'hasher' | 'signal' | 'seesKeys'>;

const MAX_CHUNKS = 10_000;
/**
 * How often to start again: a log that changes while its chunks are read may make them miss a row.
 */
const TRIES = 3;

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
  source: SnapshotSource,
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

async function readWhole(
  source: SnapshotSource,
): Promise<{ kind: 'ok'; snapshot: Snapshot } | Failure> {
  const { client, row, hasher, signal } = source;
  const state = new ReplicaState(row);
  const chunks: { from: number; seq: number }[] = [];
  let position: SnapshotPosition | undefined;
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
  source: SnapshotSource,
  state: ReplicaState,
  start: SnapshotPosition,
  chunks: readonly { from: number; seq: number }[],
): Promise<SnapshotPosition | Failure> {
  const { client, hasher, signal } = source;
  const end = Math.max(...chunks.map(({ seq }) => seq));
  const read = state.items.length;
  const seqOf = (itemIndex: number): number =>
    itemIndex >= read ? 0 : (chunks.findLast(({ from }) => from <= itemIndex)?.seq ?? 0);
  let row: MatrixRow = { ...source.row, ...start };
  while (row.pull_seq < end) {
    const result = await client.call(changes, {
      params: { caseUid: row.case_uid },
      query: { after: String(row.pull_seq) },
      headers: headersOf(row),
      signal,
    });
    if (result.kind !== 'ok') return result;
    const checked = pullAnswer(
      linkOf(row),
      { ...stampOf(row), from: row.pull_seq },
      result.body,
      hasher,
    );
    if (checked.kind !== 'use' || result.body.n === 0)
      throw new ChunkError('the log is not the one that the chunks are of');
    const failure = await applyPage(
      source,
      state,
      result.body,
      (seq, itemIndex) => seq > seqOf(itemIndex),
    );
    if (failure !== undefined) return failure;
    row = {
      ...row,
      ...movedTo(checked.row),
      rev: checked.row.rev,
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

/** Applies a page of the log to those rows whose chunks are older (`isNews`). */
async function applyPage(
  source: SnapshotSource,
  state: ReplicaState,
  page: z.output<typeof changes.response>,
  isNews: (seq: number, itemIndex: number) => boolean,
): Promise<Failure | undefined> {
  const itemIndexOf = (target: Target): number =>
    target.kind === 'item' ? target.itemIndex : Math.floor(target.cell / state.store.columns);
  try {
    const read = page.changes.map(({ id, change, seq, author }) => ({
      seq,
      author,
      sealed: unseal(id, change, source.hasher),
    }));
    const origins = await askOrigins(
      source,
      read.map(({ sealed }) => sealed),
    );
    if ('kind' in origins) return origins;
    for (const { seq, author, sealed } of read)
      applyChange(state, sealed, authorOfChange(sealed.change, author, source.seesKeys), {
        isNews: (target) => isNews(seq, itemIndexOf(target)),
        origins,
      });
    return undefined;
  } catch (error) {
    if (!(error instanceof DamagedChangeError)) throw error;
    return unreadable(`a change is damaged (${error.code})`);
  }
}
