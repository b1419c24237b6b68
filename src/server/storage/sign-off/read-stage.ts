import type { AccountId, CaseUid } from '../../../shared/contract/ids.ts';
import type { SignOff } from '../../../shared/contract/v1/sign-off.ts';
import { NEXT_STAGES } from '../../../shared/domain/sign-off.ts';
import { type Change, entryName } from '../../../sync/change.ts';
import { compareHeads } from '../../../sync/heads.ts';
import {
  isApprovedAt,
  isOfRecord,
  type PlacedMove,
  StageMove,
  stageOf,
} from '../../../sync/sign-off.ts';
import type { ReadContext } from '../db/context.ts';
import { unpack } from '../db/packed.ts';
import { needAnyCase, type StoredCase } from '../records/cases.ts';

/** A move with who made it, when by their clock, and why. */
interface KnownMove extends PlacedMove {
  by: string;
  at: string;
  reason: string;
}

/** The moves of a case, as they are in its log. */
export async function movesOf(
  { session }: ReadContext,
  { record, streamPk }: StoredCase,
): Promise<KnownMove[]> {
  const rows = await session.db
    .selectFrom('sign_offs')
    .innerJoin('changes', (join) =>
      join
        .onRef('changes.account', '=', 'sign_offs.account')
        .on('changes.stream_pk', '=', streamPk)
        .onRef('changes.seq', '=', 'sign_offs.seq'),
    )
    .select(['change_id', 'hlc', 'wall', 'author', 'why', 'idx', 'value'])
    .where('sign_offs.account', '=', session.account)
    .where('case_uid', '=', record.case_uid)
    .where('kind', '=', 'stage')
    .execute();
  return rows.map(({ change_id, hlc, wall, author, why, idx, value }) => ({
    name: entryName(change_id, idx),
    hlc,
    value: StageMove.parse(JSON.parse(value)),
    by: author,
    at: wall,
    reason: why ?? '',
  }));
}

const MOST_LISTED = 100;

/** Z4: changes of the record that were written under an approval without knowing of it. */
async function laterThan(
  { session }: ReadContext,
  { streamPk }: StoredCase,
  moves: readonly PlacedMove[],
): Promise<SignOff['later']> {
  const first = moves
    .filter(({ value }) => value.stage === 'approved')
    .map(({ hlc }) => hlc)
    .sort()[0];
  if (first === undefined) return [];
  const rows = await session.db
    .selectFrom('changes')
    .select(['change_id', 'hlc', 'wall', 'author', 'text', 'packed'])
    .where('account', '=', session.account)
    .where('stream_pk', '=', streamPk)
    .where('hlc', '>', first)
    .orderBy('seq')
    .execute();
  return rows
    .filter(
      ({ hlc, text, packed }) =>
        isApprovedAt(moves, hlc) &&
        (JSON.parse(unpack(text, packed)) as Change).entries.some(({ reg }) => isOfRecord(reg)),
    )
    .slice(0, MOST_LISTED)
    .map(({ change_id, author, wall }) => ({ change: change_id, by: author, at: wall }));
}

export async function signOffOf(ctx: ReadContext, stored: StoredCase): Promise<SignOff> {
  const moves = await movesOf(ctx, stored);
  const { stage, unaware } = stageOf(moves);
  return {
    case_uid: stored.record.case_uid,
    stage,
    next: [...NEXT_STAGES[stage]],
    moves: moves
      .toSorted((a, b) => compareHeads(b, a))
      .map(({ value, by, at, reason }) => ({
        stage: value.stage,
        by,
        at,
        reason,
        ...(value.run && { run: value.run }),
      })),
    unaware: unaware.length,
    later: await laterThan(ctx, stored, moves),
  };
}

export const getSignOff = async (
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
): Promise<SignOff> => signOffOf(ctx, await needAnyCase(ctx, account, caseUid));
