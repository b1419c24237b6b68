import type { z } from 'zod';
import type { AccountId, CaseUid } from '../../../shared/contract/ids.ts';
import type { listRatings, RatedCell } from '../../../shared/contract/v1/ratings.ts';
import type { CellAgreement } from '../../../shared/domain/round.ts';
import { type Ratings, agreementByCell } from '../../../sync/layers/committed.ts';
import type { RecordingRound } from '../../../sync/layers/rounds.ts';
import { parseRegister, type RegisterCell } from '../../../sync/register.ts';
import type { ReadContext } from '../db/context.ts';
import { type Page, readCursor, writeCursor } from '../db/cursor.ts';
import { needAnyCase, type StoredCase } from '../records/cases.ts';
import { findMatrix } from '../records/matrices.ts';
import { hiddenCells } from './hidden-cells.ts';
import { cellsOf } from './layer-cells.ts';
import { ratingsIn, readLayers, type RecorderLayer } from './read-layer.ts';
import { needReleased, summaryOf } from './round-evidence.ts';
import { settledCells } from './settled-cells.ts';
import { namesOf } from './show-rounds.ts';

const keyOf = (rule: string, item: string): string => `${rule}/${item}`;

/** What each layer counts with in each cell, as its recorder stands by it. */
function countedCells(layers: readonly RecorderLayer[]) {
  return new Map(
    layers.map((layer) => {
      const { committed, changes } = layer;
      const counted = changes.filter(({ id }) => committed.ids.has(id));
      const cells = cellsOf({ ...layer, changes: counted });
      return [
        layer.recorder,
        new Map(cells.map((cell) => [keyOf(cell.rule_uid, cell.item_uid), cell])),
      ];
    }),
  );
}

/** What the record shows from these ratings, where the caller is shown the record (YR7). */
async function settledOf(
  ctx: ReadContext,
  account: AccountId,
  stored: StoredCase,
  round: RecordingRound,
  ratings: Ratings,
): Promise<Map<string, RatedCell['settled']>> {
  const { profile_uid: profile, profile_version: version } = round.terms;
  const matrix = await findMatrix(ctx, stored.pk, profile, version);
  const hidden = await hiddenCells(ctx, account, stored.record.case_uid);
  const settled = await settledCells(ctx, { stored, matrix }, round, ratings);
  return new Map(
    settled.flatMap(({ item_uid: item, rule_uid: rule, entry, kind, by, reason }) =>
      hidden?.hides({ profile, version, rule, item }) === true
        ? []
        : [[keyOf(rule, item), { entry, kind, by, reason }] as const],
    ),
  );
}

const only = (ratings: Ratings, regs: ReadonlySet<string>): Ratings =>
  new Map(
    [...ratings].map(([recorder, cells]) => [
      recorder,
      new Map([...cells].filter(([reg]) => regs.has(reg))),
    ]),
  );

/** A page of the rated cells of a released round, in order of their addresses. */
export async function roundRatings(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
  id: string,
  agreement: CellAgreement | undefined,
  page: Page,
): Promise<z.infer<typeof listRatings.response>> {
  const stored = await needAnyCase(ctx, account, caseUid);
  const round = await needReleased(ctx, account, caseUid, id);
  const { recorders } = round.terms;
  const after =
    page.cursor === undefined ? '' : (readCursor('ratings', ['string'], page.cursor)[0] as string);
  const layers = await readLayers(ctx, account, caseUid, round, recorders);
  const ratings = ratingsIn(round, layers);
  const fits = new Map(layers.map(({ recorder, committed }) => [recorder, committed.fit]));
  const cells = [...agreementByCell(ratings, fits)].filter(
    ([reg, one]) => reg > after && (agreement === undefined || one === agreement),
  );
  const shown = cells.slice(0, page.limit);
  const settled = await settledOf(
    ctx,
    account,
    stored,
    round,
    only(ratings, new Set(shown.map(([reg]) => reg))),
  );
  const said = countedCells(layers);
  const names = await namesOf(ctx, account, recorders);
  return {
    round_id: id,
    recorders: layers.map((layer) => summaryOf(layer, names)),
    data: shown.map(([reg, one]): RatedCell => {
      const { item, rule } = parseRegister(reg) as RegisterCell;
      return {
        item_uid: item,
        rule_uid: rule,
        agreement: one,
        ratings: recorders.flatMap((recorder) => {
          const rating = ratings.get(recorder)?.get(reg);
          const cell = said.get(recorder)?.get(keyOf(rule, item));
          if (rating === undefined || rating.outcome === null || cell === undefined) return [];
          const { source_value, notes, provenance } = cell;
          const { name: entry, outcome: raw_outcome } = rating;
          return [{ recorder: cell.recorder, entry, raw_outcome, source_value, notes, provenance }];
        }),
        settled: settled.get(keyOf(rule, item)) ?? null,
      };
    }),
    next_cursor:
      shown.length < cells.length ? writeCursor('ratings', [shown.at(-1)?.[0] ?? '']) : null,
  };
}
