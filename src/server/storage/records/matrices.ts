import type { Insertable } from 'kysely';
import type { ProfileUid } from '../../../shared/contract/ids.ts';
import { compiledOnce } from '../db/compiled-once.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import type { MatrixTable } from '../db/schema/schema.ts';
import type { Placeholders } from '../db/placeholder.ts';

interface MatrixKey {
  account: number;
  casePk: number;
  profileUid: ProfileUid;
  version: string;
}
const matrixQuery = compiledOnce(
  ({ db }, { account, casePk, profileUid, version }: Placeholders<MatrixKey>) =>
    db
      .selectFrom('matrices')
      .select('matrix_pk')
      .where('account', '=', account)
      .where('case_pk', '=', casePk)
      .where('profile_uid', '=', profileUid)
      .where('profile_version', '=', version),
);

/** The number of a case's matrix under a profile's version; undefined where there is none. */
export async function findMatrix(
  { session }: ReadContext,
  casePk: number,
  profileUid: ProfileUid,
  version: string,
): Promise<number | undefined> {
  const key = { account: session.account, casePk, profileUid, version };
  return (await matrixQuery(session, key).executeTakeFirst())?.matrix_pk;
}

/** A new matrix; its number. */
export async function addMatrix(
  { session }: WriteContext,
  matrix: Omit<Insertable<MatrixTable>, 'account' | 'matrix_pk'>,
): Promise<number> {
  const { account } = session;
  const { matrix_pk } = await session.db
    .insertInto('matrices')
    .values({ ...matrix, account, matrix_pk: session.nextNumber('matrices', account) })
    .returning('matrix_pk')
    .executeTakeFirstOrThrow();
  return matrix_pk;
}
