import { type RawBuilder, sql } from 'kysely';
import type { ReadContext } from '../db/context.ts';
import type { HiddenCells } from './hidden-cells.ts';

/**
 * Whether the row of `cells` at hand, with its row of `items`, is hidden: the same as
 * `HiddenCells.hides`, for counts and filters of the matrix of the round. Rounds of other matrices
 * hide cells that the query does not look at.
 */
export function hidingSql({ session }: ReadContext, { rounds }: HiddenCells): RawBuilder<boolean> {
  const { db, account } = session;
  const matrixOf = (profile_uid: string, version: string): RawBuilder<boolean> =>
    sql<boolean>`EXISTS (SELECT 1 FROM matrices AS hiding WHERE hiding.account = ${account}
      AND hiding.matrix_pk = cells.matrix_pk AND hiding.profile_uid = ${profile_uid}
      AND hiding.profile_version = ${version})`;
  const each = rounds.map(({ terms }) => {
    const { profile_uid, profile_version, items, rules } = terms;
    const ofRules = db
      .selectFrom('rules')
      .select('rule_pk')
      .where('account', '=', account)
      .where(session.inList('rule_uid', rules === 'all' ? [] : rules));
    return sql.join(
      [
        matrixOf(profile_uid, profile_version),
        ...(rules === 'all' ? [] : [session.inQuery('cells.rule_pk', ofRules)]),
        ...(items === 'all' ? [] : [session.inList('items.item_uid', items)]),
      ],
      sql` AND `,
    );
  });
  return sql<boolean>`(${sql.join(
    each.map((one) => sql`(${one})`),
    sql` OR `,
  )})`;
}
