import { type CaseUid, known } from '../../../shared/contract/ids.ts';
import type { FrozenRound } from '../../../shared/domain/round.ts';
import { parseEntryName } from '../../../sync/change.ts';
import type { Ratings } from '../../../sync/layers/committed.ts';
import { type AppliedEntry, originOf } from '../../../sync/layers/origin.ts';
import type { RecordingRound } from '../../../sync/layers/rounds.ts';
import { layerStream, parseRegister } from '../../../sync/register.ts';
import type { ReadContext } from '../db/context.ts';
import { namedCells } from '../evidence/evidence-read.ts';
import { ChangeIndex } from '../log/change-index.ts';
import { RAW } from '../log/cell-map.ts';
import type { StoredCase } from '../records/cases.ts';

/** A cell that the record has from a round; `entry` is the one displayed. */
export type SettledCell = FrozenRound['settled'][number] & { entry: string };

/** The matrix of a case that a round is of. */
export interface RoundMatrix {
  stored: StoredCase;
  /** Undefined where nothing is recorded in it. */
  matrix: number | undefined;
}

/**
 * The ratings as entries of the log, by their names: what an outcome may say that it comes from.
 */
function citable(caseUid: CaseUid, { id }: RecordingRound, ratings: Ratings) {
  const found = new Map<string, AppliedEntry>();
  for (const [recorder, cells] of ratings) {
    const stream = layerStream({ case: caseUid, round: id, recorder });
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

/** The record's displayed entries of the cells that somebody rated. */
async function ratedRows(ctx: ReadContext, matrix: number, regs: ReadonlySet<string>) {
  const { session } = ctx;
  const items = new Set<string>();
  const rules = new Set<string>();
  let place = '';
  for (const reg of regs) {
    const register = parseRegister(reg);
    if (register?.kind !== 'assertion') continue;
    items.add(register.item);
    rules.add(register.rule);
    place = `${register.profile}@${register.version}`;
  }
  const rows = await namedCells(ctx)
    .select(['item_uid', 'rule_uid', 'raw', 'head_seq', 'head_index', 'restores'])
    .where('cells.account', '=', session.account)
    .where('matrix_pk', '=', matrix)
    .where('head_seq', 'is not', null)
    .where('deleted', '=', 0)
    .where(session.inList('item_uid', [...items]))
    .where(session.inList('rule_uid', [...rules]))
    .execute();
  return rows.filter(({ item_uid, rule_uid }) => regs.has(`a/${place}/${rule_uid}/${item_uid}`));
}

/** The cells of the record that were taken over or settled from these ratings of a round (YC6). */
export async function settledCells(
  ctx: ReadContext,
  { stored, matrix }: RoundMatrix,
  round: RecordingRound,
  ratings: Ratings,
): Promise<SettledCell[]> {
  const caseUid = stored.record.case_uid;
  const rated = new Set([...ratings.values()].flatMap((cells) => [...cells.keys()]));
  if (matrix === undefined || rated.size === 0) return [];
  const rows = await ratedRows(ctx, matrix, rated);
  const changes = new ChangeIndex(ctx.session, stored.streamPk);
  await changes.loadIds(rows.flatMap(({ restores }) => parseEntryName(restores ?? '')?.id ?? []));
  await changes.loadSeqs(rows.map(({ head_seq }) => head_seq as number));
  const entries = citable(caseUid, round, ratings);
  const settled: SettledCell[] = [];
  const placed = rows.map(({ head_seq, head_index, restores, ...cell }) => {
    const first = parseEntryName(restores ?? '');
    const seq = first && changes.byId(first.id)?.seq;
    const head = { seq: head_seq as number, index: head_index as number };
    const said = seq === undefined || first === undefined ? head : { seq, index: first.index };
    return { ...cell, ...said, entry: changes.nameOf(head) };
  });
  await changes.loadContents(placed.map(({ seq }) => seq));
  for (const { item_uid, rule_uid, raw, seq, index, entry } of placed) {
    const content = await changes.contentOf(seq);
    if (content.entries[index]?.from === undefined) continue;
    const { by, why, entries: written, quarantined } = content;
    const origin = originOf(
      {
        change: { case: caseUid, by, why, entries: written },
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
      entry,
    });
  }
  return settled;
}
