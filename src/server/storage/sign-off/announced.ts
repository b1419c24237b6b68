import { sql } from 'kysely';
import type { CaseUid, RunUid } from '../../../shared/contract/ids.ts';
import type { DatabaseSession } from '../db/session.ts';
import { RECEIPT, type ReceivedRow } from '../log/received.ts';

/**
 * A move, a signature or a time-stamp with the change that announced it, and how this came here.
 */
interface AnnouncedRow extends ReceivedRow {
  case_uid: CaseUid;
  seq: number;
  idx: number;
  value: string;
  change_id: string;
  hlc: string;
  author: string;
  why: string | null;
}

interface Wanted {
  kind: 'stage' | 'signature' | 'time_stamp';
  case_uid?: CaseUid;
  run_uid?: RunUid;
  /** After the row of this case, sequence number and index. */
  after?: readonly (string | number)[] | undefined;
  most?: number;
}

/**
 * Moves of a case, or signatures on a run or their time-stamps, in the order in which they came
 * here.
 */
export function announced(
  { db, account }: DatabaseSession,
  { kind, case_uid, run_uid, after, most }: Wanted,
): Promise<AnnouncedRow[]> {
  let query = db
    .selectFrom('sign_offs')
    .innerJoin('cases', (join) =>
      join
        .onRef('cases.account', '=', 'sign_offs.account')
        .onRef('cases.case_uid', '=', 'sign_offs.case_uid'),
    )
    .innerJoin('changes', (join) =>
      join
        .onRef('changes.account', '=', 'sign_offs.account')
        .onRef('changes.stream_pk', '=', 'cases.stream_pk')
        .onRef('changes.seq', '=', 'sign_offs.seq'),
    )
    .leftJoin('users', 'users.user_id', 'changes.actor')
    .select(['sign_offs.case_uid', 'sign_offs.seq', 'sign_offs.idx', 'sign_offs.value'])
    .select(['change_id', 'hlc', 'author', 'why', ...RECEIPT])
    .where('sign_offs.account', '=', account)
    .where('kind', '=', kind)
    .orderBy('sign_offs.case_uid')
    .orderBy('sign_offs.seq')
    .orderBy('sign_offs.idx');
  if (case_uid !== undefined) query = query.where('sign_offs.case_uid', '=', case_uid);
  if (run_uid !== undefined) query = query.where('run_uid', '=', run_uid);
  if (after !== undefined)
    query = query.where(
      sql<boolean>`(sign_offs.case_uid, sign_offs.seq, sign_offs.idx) > (${sql.join(after)})`,
    );
  if (most !== undefined) query = query.limit(most);
  return query.execute();
}
