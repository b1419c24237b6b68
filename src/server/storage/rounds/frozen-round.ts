import { type AccountId, known } from '../../../shared/contract/ids.ts';
import type { ProfileDocument } from '../../../shared/domain/profile.ts';
import type { FrozenRound } from '../../../shared/domain/round.ts';
import { parseEntryName } from '../../../sync/change.ts';
import { freezeRound, type Ratings } from '../../../sync/layers/committed.ts';
import { type AppliedEntry, originOf } from '../../../sync/layers/origin.ts';
import type { RecordingRound } from '../../../sync/layers/rounds.ts';
import { layerStream, parseRegister } from '../../../sync/register.ts';
import type { ReadContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { namedCells } from '../evidence/evidence-read.ts';
import { ChangeIndex } from '../log/change-index.ts';
import { RAW } from '../log/cell-map.ts';
import type { StoredCase } from '../records/cases.ts';
import { ratingsIn, readLayers } from './read-layer.ts';
import { needRound } from './show-rounds.ts';

type Settled = FrozenRound['settled'];

/** The matrix of a case that a run freezes. */
interface FrozenMatrix {
  stored: StoredCase;
  matrix: number | undefined;
  document: Pick<ProfileDocument, 'profileUid' | 'version'>;
}

const refuse = (code: 'round_open' | 'other_matrix', message: string): StoreError =>
  new StoreError(code === 'round_open' ? 'conflict' : 'validation_failed', message, [
    { path: '/round_id', code, message },
  ]);

/** What a run freezes of a released round of its matrix (YF2). */
export async function frozenRound(
  ctx: ReadContext,
  account: AccountId,
  of: FrozenMatrix,
  id: string,
): Promise<FrozenRound> {
  const caseUid = of.stored.record.case_uid;
  const round = await needRound(ctx, account, caseUid, id);
  const { profile_uid, profile_version, recorders } = round.terms;
  if (profile_uid !== of.document.profileUid || profile_version !== of.document.version)
    throw refuse('other_matrix', 'The round is of another profile or version than the run.');
  if (round.state === 'open')
    throw refuse('round_open', 'The round is open: a run can name it once it is released.');
  const layers = await readLayers(ctx, account, caseUid, round, recorders);
  const ratings = ratingsIn(round, layers);
  const fits = new Map(layers.map(({ recorder, committed }) => [recorder, committed.fit]));
  return freezeRound(round, ratings, fits, await settledCells(ctx, of, round, ratings));
}

/** The ratings as entries of the log, by their names: what an outcome may say that it comes from. */
function citable({ stored }: FrozenMatrix, { id }: RecordingRound, ratings: Ratings) {
  const found = new Map<string, AppliedEntry>();
  for (const [recorder, cells] of ratings) {
    const stream = layerStream({ case: stored.record.case_uid, round: id, recorder });
    // Whose a rating is, is for its layer to say.
    const by = {
      user: known.userId.parse(recorder),
      kind: 'human',
      agent: null,
      key: null,
    } as const;
    for (const [reg, { name, outcome }] of cells) {
      const register = parseRegister(reg);
      if (register !== undefined)
        found.set(name, { register, value: { raw_outcome: outcome }, stream, by });
    }
  }
  return found;
}
/** The cells of the record that were taken over or settled from this round (YC6). */
async function settledCells(
  ctx: ReadContext,
  of: FrozenMatrix,
  round: RecordingRound,
  ratings: Ratings,
): Promise<Settled> {
  const { stored, matrix } = of;
  const rated = new Set([...ratings.values()].flatMap((cells) => [...cells.keys()]));
  if (matrix === undefined || rated.size === 0) return [];
  const { profile_uid, profile_version } = round.terms;
  const rows = (
    await namedCells(ctx)
      .select(['item_uid', 'rule_uid', 'raw', 'head_seq', 'head_index', 'restores'])
      .where('cells.account', '=', ctx.session.account)
      .where('matrix_pk', '=', matrix)
      .where('head_seq', 'is not', null)
      .where('deleted', '=', 0)
      .execute()
  ).filter(({ item_uid, rule_uid }) =>
    rated.has(`a/${profile_uid}@${profile_version}/${rule_uid}/${item_uid}`),
  );
  const changes = new ChangeIndex(ctx.session, stored.streamPk);
  await changes.loadIds(rows.flatMap(({ restores }) => parseEntryName(restores ?? '')?.id ?? []));
  const entries = citable(of, round, ratings);
  const settled: Settled = [];
  const placed = rows.map(({ head_seq, head_index, restores, ...cell }) => {
    const first = parseEntryName(restores ?? '');
    const seq = first && changes.byId(first.id)?.seq;
    return seq === undefined || first === undefined
      ? { ...cell, seq: head_seq as number, index: head_index as number }
      : { ...cell, seq, index: first.index };
  });
  await changes.loadContents(placed.map(({ seq }) => seq));
  for (const { item_uid, rule_uid, raw, seq, index } of placed) {
    const content = await changes.contentOf(seq);
    if (content.entries[index]?.from === undefined) continue;
    const { by, why, entries: written, quarantined } = content;
    const origin = originOf(
      {
        change: { case: stored.record.case_uid, by, why, entries: written },
        index,
        registers: (at) =>
          quarantined.includes(at) ? undefined : parseRegister(written[at]?.reg ?? ''),
      },
      (name) => entries.get(name),
    );
    if (origin.kind !== 'agreed' && origin.kind !== 'adjudicated') continue;
    settled.push({
      item_uid,
      rule_uid,
      raw_outcome: RAW[raw] ?? null,
      kind: origin.kind,
      by: origin.by.user,
      reason: why,
    });
  }
  return settled;
}
