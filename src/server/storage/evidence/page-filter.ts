import type { ProfileUid } from '../../../shared/contract/ids.ts';
import { type RawBuilder, sql } from 'kysely';
import type { ReadContext } from '../db/context.ts';
import type { MatrixQuery } from '../db/matrix-query.ts';
import { rawNumber } from '../log/cell-map.ts';
import type { StoredCase } from '../records/cases.ts';
import { hasRecordedBy } from './recorded-by-filter.ts';

interface Filtered {
  profileUid: ProfileUid;
  version: string;
  rules: readonly string[];
}

/** Cells of the item at hand under some rules. */
function cellsUnder(
  { session }: ReadContext,
  { pk }: StoredCase,
  { profileUid, version, rules }: Filtered,
  hidden: RawBuilder<boolean> | undefined,
) {
  const { db } = session;
  const cells = db
    .selectFrom('cells')
    .where('cells.account', '=', session.account)
    .where(
      'matrix_pk',
      '=',
      db
        .selectFrom('matrices')
        .select('matrix_pk')
        .where('account', '=', session.account)
        .where('case_pk', '=', pk)
        .where('profile_uid', '=', profileUid)
        .where('profile_version', '=', version),
    )
    .where(sql<boolean>`cells.item_pk = items.item_pk`)
    .where(
      session.inQuery(
        'rule_pk',
        db
          .selectFrom('rules')
          .select('rule_pk')
          .where('account', '=', session.account)
          .where(session.inList('rule_uid', rules)),
      ),
    );
  return hidden === undefined ? cells : cells.where(sql<boolean>`NOT ${hidden}`);
}

function hasOutcome(
  ctx: ReadContext,
  stored: StoredCase,
  of: Filtered,
  outcome: NonNullable<MatrixQuery['outcome']>,
  hidden: RawBuilder<boolean> | undefined,
): RawBuilder<boolean> {
  const cells = cellsUnder(ctx, stored, of, hidden).where('raw', '!=', 0);
  if (outcome === 'unrecorded')
    return sql<boolean>`(${cells.select(({ fn }) => fn.countAll().as('n'))}) < ${of.rules.length}`;
  return sql<boolean>`EXISTS ${cells.select('cells.item_pk').where('raw', '=', rawNumber(outcome))}`;
}

/** Whether the item at hand has a cell whose outcome or notes came at a time or later. */
function hasWritten(
  ctx: ReadContext,
  stored: StoredCase,
  of: Filtered,
  since: string,
  hidden: RawBuilder<boolean> | undefined,
): RawBuilder<boolean> {
  const { db, account } = ctx.session;
  const later = db
    .selectFrom('changes')
    .select('seq')
    .where('changes.account', '=', account)
    .where('stream_pk', '=', stored.streamPk)
    .where('received_at', '>=', since)
    .where(sql<boolean>`seq IN (cells.head_seq, cells.notes_seq)`);
  const cells = cellsUnder(ctx, stored, of, hidden).where(({ exists }) => exists(later));
  return sql<boolean>`EXISTS ${cells.select('cells.item_pk')}`;
}

/** Which items a page of evidence lists; undefined: all. `hidden`: which cells it leaves out. */
export function itemsWanted(
  ctx: ReadContext,
  stored: StoredCase,
  profile: Filtered,
  { recorded_by, item_uid, rule_uid, outcome, since }: MatrixQuery,
  hidden: RawBuilder<boolean> | undefined,
): RawBuilder<boolean> | undefined {
  const of = rule_uid === undefined ? profile : { ...profile, rules: [rule_uid] };
  const all = [
    ...(recorded_by === undefined ? [] : [hasRecordedBy(ctx, stored, of, recorded_by, hidden)]),
    ...(outcome === undefined ? [] : [hasOutcome(ctx, stored, of, outcome, hidden)]),
    ...(since === undefined ? [] : [hasWritten(ctx, stored, of, since, hidden)]),
    ...(item_uid === undefined ? [] : [sql<boolean>`items.item_uid = ${item_uid}`]),
  ];
  return all.length === 0 ? undefined : sql<boolean>`(${sql.join(all, sql` AND `)})`;
}
