import type { z } from 'zod';
import type { AccountId, CaseUid } from '../../../shared/contract/ids.ts';
import type {
  getAgreement,
  getRoundEvidence,
  LayerSummary,
} from '../../../shared/contract/v1/rounds.ts';
import { differingCells, roundFigures } from '../../../sync/layers/committed.ts';
import { mayReadLayer, type RecordingRound } from '../../../sync/layers/rounds.ts';
import { parseRegister } from '../../../sync/register.ts';
import { participantIdOf } from '../../../shared/contract/participant.ts';
import type { ReadContext } from '../db/context.ts';
import { type Page, readCursor, writeCursor } from '../db/cursor.ts';
import { StoreError } from '../db/errors.ts';
import { needAnyCase } from '../records/cases.ts';
import { cellsOf } from './layer-cells.ts';
import { ratingsIn, readLayers, type RecorderLayer } from './read-layer.ts';
import { namesOf, needRound } from './show-rounds.ts';

export const summaryOf = (
  { recorder, changes, committed }: RecorderLayer,
  names: ReadonlyMap<string, string>,
): z.infer<typeof LayerSummary> => ({
  recorder: recorder as z.infer<typeof LayerSummary>['recorder'],
  name: names.get(recorder) ?? null,
  changes: changes.length,
  fit: committed.fit,
});

/** A page of what the caller may read of a round's layers (YR6). */
export async function roundEvidence(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
  id: string,
  page: Page,
): Promise<z.infer<typeof getRoundEvidence.response>> {
  await needAnyCase(ctx, account, caseUid);
  const round = await needRound(ctx, account, caseUid, id);
  const { credential } = ctx;
  const given = round.terms.recorders.filter(
    (recorder) =>
      credential === undefined ||
      mayReadLayer({ case: caseUid, round: id, recorder }, round, {
        id: participantIdOf(credential),
      }),
  );
  const after =
    page.cursor === undefined
      ? 0
      : (readCursor('round_cells', ['whole'], page.cursor)[0] as number);
  const layers = await readLayers(ctx, account, caseUid, round, given);
  const cells = layers.flatMap(cellsOf);
  const shown = cells.slice(after, after + page.limit);
  const names = await namesOf(ctx, account, given);
  const next = after + shown.length;
  return {
    round_id: id,
    state: round.state,
    layers: layers.map((layer) => summaryOf(layer, names)),
    data: shown,
    next_cursor: next < cells.length ? writeCursor('round_cells', [next]) : null,
  };
}

/** A round whose layers are compared. Throws not_found, or conflict while it is open. */
export async function needReleased(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
  id: string,
): Promise<RecordingRound> {
  const round = await needRound(ctx, account, caseUid, id);
  if (round.state === 'open')
    throw new StoreError('conflict', 'The round is open: nothing is compared before its release.', [
      { path: 'roundId', code: 'round_open', message: 'Wait until it is released.' },
    ]);
  return round;
}

/** Most cells that an answer names one by one. */
const MOST_DIFFERING = 1_000;

/** Agreement of the committed layers of a released round. */
export async function roundAgreement(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
  id: string,
): Promise<z.infer<typeof getAgreement.response>> {
  await needAnyCase(ctx, account, caseUid);
  const round = await needReleased(ctx, account, caseUid, id);
  const { recorders } = round.terms;
  const layers = await readLayers(ctx, account, caseUid, round, recorders);
  const ratings = ratingsIn(round, layers);
  const names = await namesOf(ctx, account, recorders);
  const differing = differingCells(ratings);
  return {
    round_id: id,
    recorders: layers.map((layer) => ({
      ...summaryOf(layer, names),
      rated: ratings.get(layer.recorder)?.size ?? 0,
    })),
    figures: roundFigures(round, ratings),
    differ: differing.length,
    differing: differing.slice(0, MOST_DIFFERING).flatMap((reg) => {
      const register = parseRegister(reg);
      if (register?.kind !== 'assertion') return [];
      const { item, rule } = register;
      const outcomes = recorders.map((one) => ratings.get(one)?.get(reg)?.outcome ?? null);
      return [{ item_uid: item, rule_uid: rule, outcomes }];
    }),
  };
}
