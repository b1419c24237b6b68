import type { AccountId, CaseUid } from '../../../shared/contract/ids.ts';
import type { WireChange } from '../../../shared/contract/sync.ts';
import type { Round } from '../../../shared/contract/v1/rounds.ts';
import { participantIdOf } from '../../../shared/contract/participant.ts';
import { LAYER_FILE_BYTES, LayerFile } from '../../../shared/domain/layer-file.ts';
import type { Commitment } from '../../../shared/domain/round.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { LayerFileError, readLayerFile } from '../../../sync/layers/file.ts';
import { isRecorder, type RecordingRound } from '../../../sync/layers/rounds.ts';
import { layerStream } from '../../../sync/register.ts';
import type { Actor } from '../db/actor.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { unpack } from '../db/packed.ts';
import { needAnyCase, needCase } from '../records/cases.ts';
import { changesAt } from '../replication/log-offer.ts';
import { push } from '../replication/log-push.ts';
import { readLayers } from './read-layer.ts';
import { recorderOf } from './record-in-round.ts';
import { getRound, needRound } from './show-rounds.ts';

const MINE = 'A layer is a file for its recorder alone, and these credentials are not theirs.';

const refuse = (code: string, message: string): StoreError =>
  new StoreError('conflict', message, [{ path: 'roundId', code, message }]);

/** The change by which somebody was done, as it stands in the case's log. */
async function doneChange(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
  round: string,
  recorder: string,
): Promise<WireChange | undefined> {
  const row = await ctx.session.db
    .selectFrom('round_entries')
    .select('seq')
    .where('account', '=', ctx.session.account)
    .where('case_uid', '=', caseUid)
    .where('round_id', '=', round)
    .where('kind', '=', 'done')
    .where('recorder', '=', recorder)
    .where('opens', '=', 1)
    .orderBy('seq')
    .executeTakeFirst();
  const [stored] = row === undefined ? [] : await changesAt(ctx, account, caseUid, [row.seq]);
  return stored && { id: stored.id, change: stored.change };
}

/** The texts of some changes of a log, in its order. */
async function textsOf(
  { session }: ReadContext,
  name: ReturnType<typeof layerStream>,
  ids: readonly string[],
): Promise<WireChange[]> {
  const rows = await session.db
    .selectFrom('streams')
    .innerJoin('changes', (join) =>
      join
        .onRef('changes.account', '=', 'streams.account')
        .onRef('changes.stream_pk', '=', 'streams.stream_pk'),
    )
    .select(['change_id', 'text', 'packed'])
    .where('streams.account', '=', session.account)
    .where('name', '=', name)
    .where(session.inList('change_id', ids))
    .orderBy('changes.seq')
    .execute();
  return rows.map((row) => ({ id: row.change_id, change: unpack(row.text, row.packed) }));
}

/** The caller's own layer as a file (YR12): what they committed to, and nothing that came later. */
export async function exportLayer(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
  id: string,
): Promise<LayerFile> {
  await needAnyCase(ctx, account, caseUid);
  const round = await needRound(ctx, account, caseUid, id);
  const recorder = ctx.credential && participantIdOf(ctx.credential);
  if (recorder === undefined || !isRecorder(round.terms, recorder))
    throw new StoreError('author_not_allowed', MINE);
  const done = await doneChange(ctx, account, caseUid, id, recorder);
  if (done === undefined)
    throw refuse('not_done', 'A layer becomes a file once its recorder is done.');
  const [layer] = await readLayers(ctx, account, caseUid, round, [recorder]);
  if (layer?.committed.fit !== 'fits')
    throw refuse('does_not_fit', 'The layer here is not what its recorder committed to.');
  const sum = round.commitments.get(recorder)?.[0]?.sum ?? '';
  const kept = layer.changes.filter(
    (change) =>
      layer.committed.ids.has(change.id) ||
      change.entries.some(({ register }) => register?.kind === 'committed' && register.sum === sum),
  );
  const file = LayerFile.parse({
    format: 'evidence-studio layer 1',
    case_uid: caseUid,
    round_id: id,
    recorder,
    done,
    changes: await textsOf(
      ctx,
      layerStream({ case: caseUid, round: id, recorder }),
      kept.map((change) => change.id),
    ),
  } satisfies Record<keyof LayerFile, unknown>);
  if (Buffer.byteLength(JSON.stringify(file)) > LAYER_FILE_BYTES)
    throw refuse('too_large', 'The layer is larger than a file of one may be.');
  return file;
}

/** What a file holds. Throws where it is damaged, or not of this round. */
function carried({ ports }: ReadContext, caseUid: CaseUid, id: string, file: LayerFile) {
  if (file.case_uid !== caseUid || file.round_id !== id)
    throw new StoreError('validation_failed', 'The file is of another round.', [
      { path: '/round_id', code: 'other_round', message: 'Must be the round of the path.' },
    ]);
  try {
    return readLayerFile(file, ports.hasher);
  } catch (error) {
    if (!(error instanceof LayerFileError)) throw error;
    const { code, place, message } = error;
    throw new StoreError('validation_failed', `${message} Nothing was stored.`, [
      { path: place === undefined ? '/done' : `/changes/${place}`, code, message },
    ]);
  }
}

function refuseOther({ commitments }: RecordingRound, recorder: string, carries: Commitment): void {
  if (
    commitments.get(recorder)?.some((one) => canonicalJson(one) !== canonicalJson(carries)) === true
  )
    throw refuse(
      'already_done',
      'This recorder committed to something else here: of two commitments neither would count.',
    );
}

/**
 * Brings the caller's own layer from a file (YR12): only its recorder brings it, as their changes
 * of another store would come by a link, and it is as sealed here as it was there.
 */
export async function importLayer(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  id: string,
  file: LayerFile,
): Promise<{ round: Round; isNew: boolean }> {
  const account = actor.account_id;
  await needCase(ctx, account, caseUid);
  const round = await needRound(ctx, account, caseUid, id);
  const recorder = recorderOf(actor);
  if (
    file.recorder !== recorder ||
    !isRecorder(round.terms, recorder) ||
    round.removed.has(recorder)
  )
    throw new StoreError('author_not_allowed', MINE);
  const { commitment, changes, done } = carried(ctx, caseUid, id, file);
  if (changes.length > 0)
    await push(ctx, actor, layerStream({ case: caseUid, round: id, recorder }), changes, undefined);
  // Under the lock of the layer's log, which every commitment takes.
  refuseOther(await needRound(ctx, account, caseUid, id), recorder, commitment);
  const { results } = await push(ctx, actor, caseUid, [done], undefined);
  return {
    round: await getRound(ctx, account, caseUid, id),
    isNew: results.some(({ status }) => status !== 'duplicate'),
  };
}
