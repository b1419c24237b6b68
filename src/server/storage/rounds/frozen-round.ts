import type { AccountId } from '../../../shared/contract/ids.ts';
import type { ProfileDocument } from '../../../shared/domain/profile.ts';
import type { FrozenRound } from '../../../shared/domain/round.ts';
import { freezeRound } from '../../../sync/layers/committed.ts';
import type { ReadContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { ratingsIn, readLayers } from './read-layer.ts';
import { type RoundMatrix, settledCells } from './settled-cells.ts';
import { needRound } from './show-rounds.ts';

/** The matrix of a case that a run freezes. */
interface FrozenMatrix extends RoundMatrix {
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
  const settled = await settledCells(ctx, of, round, ratings);
  return freezeRound(
    round,
    ratings,
    fits,
    settled.map(({ entry: _, ...cell }) => cell),
  );
}
