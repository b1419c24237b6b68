import type { AccountId } from '../../../shared/contract/ids.ts';
import type { Change, Entry } from '../../../sync/change.ts';
import {
  type CommittedLayer,
  committedLayer,
  type LayerChange,
  ratingsOf,
  type Ratings,
} from '../../../sync/layers/committed.ts';
import type { RecordingRound } from '../../../sync/layers/rounds.ts';
import { type Layer, layerStream, parseRegister } from '../../../sync/register.ts';
import type { ReadContext } from '../db/context.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';
import { unpack } from '../db/packed.ts';

/** A change of a layer with what this store says of it. */
export interface StoredLayerChange extends LayerChange {
  entries: (LayerChange['entries'][number] & Pick<Entry, 'reg'>)[];
  receivedAt: string;
}

/** Changes read in one go: one may have half a megabyte. */
const AT_ONCE = 50;

/** All changes of a layer. Whether the caller may read it has to be asked before. */
export async function readLayer(
  ctx: ReadContext,
  account: AccountId,
  layer: Layer,
): Promise<StoredLayerChange[]> {
  const { session } = ctx;
  const number = session.numberOf(account);
  const stream = await session.db
    .selectFrom('streams')
    .select('stream_pk')
    .where('account', '=', number)
    .where('name', '=', layerStream(layer))
    .executeTakeFirst();
  const changes: StoredLayerChange[] = [];
  if (stream === undefined) return changes;
  for (let after = 0; ;) {
    const rows = await session.db
      .selectFrom('changes')
      .select(['seq', 'change_id', 'hlc', 'text', 'packed', 'quarantined', 'received_at'])
      .where('account', '=', number)
      .where('stream_pk', '=', stream.stream_pk)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(AT_ONCE)
      .execute();
    for (const row of rows) {
      const { entries } = JSON.parse(unpack(row.text, row.packed)) as Change;
      const kept = new Set(
        row.quarantined === null ? [] : (JSON.parse(row.quarantined) as number[]),
      );
      changes.push({
        id: row.change_id,
        hlc: row.hlc,
        receivedAt: row.received_at,
        entries: entries.map(({ parents, value, reg }, index) => ({
          parents,
          value,
          reg,
          register: kept.has(index) ? undefined : parseRegister(reg),
        })),
      });
      after = row.seq;
      await yieldToEventLoop();
    }
    if (rows.length < AT_ONCE) return changes;
  }
}

/** A recorder's layer, and what of it counts. */
export interface RecorderLayer {
  recorder: string;
  changes: readonly StoredLayerChange[];
  committed: CommittedLayer;
}

/** The layers of some recorders of a round. */
export async function readLayers(
  ctx: ReadContext,
  account: AccountId,
  caseUid: Layer['case'],
  round: RecordingRound,
  recorders: readonly string[],
): Promise<RecorderLayer[]> {
  const layers: RecorderLayer[] = [];
  for (const recorder of recorders) {
    const layer = { case: caseUid, round: round.id, recorder };
    const changes = await readLayer(ctx, account, layer);
    const committed = committedLayer(round.commitments.get(recorder) ?? [], changes);
    layers.push({ recorder, changes, committed });
  }
  return layers;
}

/** What counts of each of these layers. */
export const ratingsIn = ({ terms }: RecordingRound, layers: readonly RecorderLayer[]): Ratings =>
  new Map(
    layers.map(({ recorder, changes, committed }) => [
      recorder,
      ratingsOf(terms, changes, committed),
    ]),
  );
