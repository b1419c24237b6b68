import type { AccountId, CaseUid } from '../../../shared/contract/ids.ts';
import type { Hasher } from '../../../shared/lib/hash.ts';
import { type RecordingRound, type RoundEntry, roundOf } from '../../../sync/layers/rounds.ts';
import type { Register } from '../../../sync/register.ts';
import { compiledOnce } from '../db/compiled-once.ts';
import type { ReadContext } from '../db/context.ts';
import type { RoundEntryTable } from '../db/schema/round-tables.ts';
import type { DatabaseSession } from '../db/session.ts';
import type { Placeholders } from '../db/placeholder.ts';

type RoundRow = Pick<RoundEntryTable, 'case_uid' | 'round_id' | 'kind' | 'recorder' | 'value'>;

function registerOf({ round_id: round, kind, recorder }: RoundRow): Register {
  return kind === 'terms' || kind === 'state'
    ? { kind: 'round', round, field: kind }
    : { kind, round, recorder };
}

const entryOf = (row: RoundRow): RoundEntry => ({
  register: registerOf(row),
  value: JSON.parse(row.value) as unknown,
});

/**
 * What is known of rounds, from entries that were brought as they have to be (YR10): what a version
 * without rounds passed on unasked is kept, and opens nothing.
 */
const rowsOf = (
  { db }: Pick<DatabaseSession, 'db'>,
  { account }: Pick<Placeholders<RoundAsked>, 'account'>,
) =>
  db
    .selectFrom('round_entries')
    .select(['case_uid', 'round_id', 'kind', 'recorder', 'value'])
    .where('account', '=', account)
    .where('opens', '=', 1);
interface RoundAsked {
  account: number;
  caseUid: CaseUid;
  id: string;
}
const roundQuery = compiledOnce((parts, given: Placeholders<RoundAsked>) =>
  rowsOf(parts, given).where('case_uid', '=', given.caseUid).where('round_id', '=', given.id),
);
const roundsQuery = compiledOnce(
  (parts, given: Placeholders<{ account: number; cases: readonly CaseUid[] }>) =>
    rowsOf(parts, given)
      .where(parts.inPlaceholder('case_uid', given.cases, 'text'))
      .orderBy('round_id'),
);

function roundsOf(rows: readonly RoundRow[], hasher: Hasher): RecordingRound[] {
  return [...Map.groupBy(rows, ({ round_id }) => round_id)].flatMap(
    ([id, of]) => roundOf(id, of.map(entryOf), hasher) ?? [],
  );
}

/** One round of a case; undefined where no terms of it are here. */
export async function findRound(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
  id: string,
): Promise<RecordingRound | undefined> {
  const asked = { account: ctx.session.numberOf(account), caseUid, id };
  const rows = await roundQuery(ctx.session, asked).execute();
  return roundOf(id, rows.map(entryOf), ctx.ports.hasher);
}

/** The rounds of some cases, by case. */
export async function roundsOfCases(
  ctx: ReadContext,
  account: AccountId,
  cases: readonly CaseUid[],
): Promise<Map<CaseUid, RecordingRound[]>> {
  if (cases.length === 0) return new Map();
  const asked = { account: ctx.session.numberOf(account), cases };
  const rows = await roundsQuery(ctx.session, asked).execute();
  return new Map(
    [...Map.groupBy(rows, ({ case_uid }) => case_uid)].map(([name, of]) => [
      name,
      roundsOf(of, ctx.ports.hasher),
    ]),
  );
}

/** Who records in an open round of a case, whatever it hides from them. */
export async function recordersOf(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
): Promise<string[]> {
  const rounds = (await roundsOfCases(ctx, account, [caseUid])).get(caseUid) ?? [];
  return rounds.flatMap(({ terms, state, removed }) =>
    state === 'open' ? terms.recorders.filter((id) => !removed.has(id)) : [],
  );
}
