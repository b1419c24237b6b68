import type { ProfileUid } from '../../../shared/contract/ids.ts';
import { type RawBuilder, sql } from 'kysely';
import type { ReadContext } from '../db/context.ts';
import type { RecordedByFilter } from '../db/matrix-query.ts';
import type { StoredCase } from '../records/cases.ts';

/** Characters of a change's id, with which an entry's name begins. */
const ID_LENGTH = 46;

/**
 * Whether the item at hand has a cell in the matrix, as a page shows it, that is of such an author.
 * What an undo brought back is of whoever first said it (V9).
 */
export function hasRecordedBy(
  { session }: ReadContext,
  { pk, streamPk }: StoredCase,
  profile: { profileUid: ProfileUid; version: string; rules: readonly string[] },
  { kind, name }: RecordedByFilter,
): RawBuilder<boolean> {
  const { db } = session;
  let theirs = db
    .selectFrom('changes')
    .where('account', '=', session.account)
    .where('stream_pk', '=', streamPk);
  if (kind !== undefined) theirs = theirs.where('author_kind', '=', kind);
  if (name !== undefined) theirs = theirs.where('author', '=', name);
  const matrix = db
    .selectFrom('matrices')
    .select('matrix_pk')
    .where('account', '=', session.account)
    .where('case_pk', '=', pk)
    .where('profile_uid', '=', profile.profileUid)
    .where('profile_version', '=', profile.version);
  const origin = sql`substr(cells.restores, 1, ${sql.lit(ID_LENGTH)})`;
  const held = sql<boolean>`EXISTS (SELECT 1 FROM changes AS origins
    WHERE origins.account = ${session.account} AND origins.stream_pk = ${streamPk} AND origins.change_id = ${origin})`;
  const cells = db
    .selectFrom('cells')
    .select('cells.item_pk')
    .where('cells.account', '=', session.account)
    .where('matrix_pk', '=', matrix)
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
        and([
          or([eb('restores', 'is', null), not(held)]),
          eb('head_seq', 'in', theirs.select('seq')),
        ]),
        and([eb('restores', 'is not', null), eb(origin, 'in', theirs.select('change_id'))]),
      ]),
    );
  return sql<boolean>`EXISTS ${cells}`;
}
