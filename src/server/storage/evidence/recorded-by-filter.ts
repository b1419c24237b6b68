import type { ProfileUid } from '../../../shared/contract/ids.ts';
import { type RawBuilder, sql } from 'kysely';
import type { ReadContext } from '../db/context.ts';
import type { RecordedByFilter } from '../db/matrix-query.ts';
import type { StoredCase } from '../records/cases.ts';

/** Characters of a change's id, with which an entry's name begins. */
const ID_LENGTH = 46;

const matrixOf = (
  { db, account }: ReadContext['session'],
  casePk: number,
  { profileUid, version }: { profileUid: ProfileUid; version: string },
) =>
  db
    .selectFrom('matrices')
    .select('matrix_pk')
    .where('account', '=', account)
    .where('case_pk', '=', casePk)
    .where('profile_uid', '=', profileUid)
    .where('profile_version', '=', version);

/**
 * The change with the suggestion that a cell's outcome was accepted from; null where it was not.
 */
function suggestedIn(
  account: number,
  streamPk: number,
  origin: RawBuilder<unknown>,
): RawBuilder<number | null> {
  const ofLog = sql`a.account = ${account} AND a.stream_pk = ${streamPk}`;
  return sql`CASE WHEN cells.restores IS NULL
    THEN (SELECT a.from_seq FROM acceptances AS a
      WHERE ${ofLog} AND a.seq = cells.head_seq AND a.idx = cells.head_index)
    ELSE (SELECT a.from_seq FROM acceptances AS a JOIN changes AS o
        ON o.account = a.account AND o.stream_pk = a.stream_pk AND o.seq = a.seq
      WHERE ${ofLog} AND o.account = ${account} AND o.stream_pk = ${streamPk}
        AND o.change_id = ${origin}
        AND a.idx = CAST(substr(cells.restores, ${sql.lit(ID_LENGTH + 2)}) AS INTEGER)) END`;
}

/**
 * Whether the item at hand has a cell in the matrix, as a page shows it, that is of such an author.
 * What an undo brought back is of whoever first said it (V9), what was accepted of its source.
 * `hidden`: which cells the page leaves out.
 */
export function hasRecordedBy(
  { session }: ReadContext,
  { pk, streamPk }: StoredCase,
  profile: { profileUid: ProfileUid; version: string; rules: readonly string[] },
  { kind, name }: RecordedByFilter,
  hidden: RawBuilder<boolean> | undefined,
): RawBuilder<boolean> {
  const { db } = session;
  let theirs = db
    .selectFrom('changes')
    .where('account', '=', session.account)
    .where('stream_pk', '=', streamPk);
  if (kind !== undefined) theirs = theirs.where('author_kind', '=', kind);
  if (name !== undefined) theirs = theirs.where('author', '=', name);
  const origin = sql`substr(cells.restores, 1, ${sql.lit(ID_LENGTH)})`;
  const held = sql<boolean>`EXISTS (SELECT 1 FROM changes AS origins
    WHERE origins.account = ${session.account} AND origins.stream_pk = ${streamPk} AND origins.change_id = ${origin})`;
  const suggested = suggestedIn(session.account, streamPk, origin);
  const cells = db
    .selectFrom('cells')
    .select('cells.item_pk')
    .where('cells.account', '=', session.account)
    .where('matrix_pk', '=', matrixOf(session, pk, profile))
    .where(sql<boolean>`cells.item_pk = items.item_pk`)
    .where(
      session.inQuery(
        'rule_pk',
        db
          .selectFrom('rules')
          .select('rule_pk')
          .where('account', '=', session.account)
          .where(session.inList('rule_uid', profile.rules)),
      ),
    )
    .where(({ or, eb }) =>
      or([
        eb('raw', '!=', 0),
        eb('source_value', 'is not', null),
        eb('provenance', 'is not', null),
        eb('notes', 'is not', null),
        eb('contested', '!=', 0),
      ]),
    )
    .where(({ or, and, eb, not }) =>
      or([
        eb(suggested, 'in', theirs.select('seq')),
        and([
          eb(suggested, 'is', null),
          or([
            and([
              or([eb('restores', 'is', null), not(held)]),
              eb('head_seq', 'in', theirs.select('seq')),
            ]),
            and([eb('restores', 'is not', null), eb(origin, 'in', theirs.select('change_id'))]),
          ]),
        ]),
      ]),
    );
  return sql<boolean>`EXISTS ${hidden === undefined ? cells : cells.where((eb) => eb.not(hidden))}`;
}
