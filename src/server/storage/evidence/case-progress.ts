import type { AccountId } from '../../../shared/contract/ids.ts';
import type { ListedCase, CaseProgress, LastChange } from '../../../shared/contract/v1/cases.ts';
import type { ReadContext } from '../db/context.ts';
import type { Listed, Page } from '../db/cursor.ts';
import { StoreError } from '../db/errors.ts';
import { pipelined } from '../db/session.ts';
import type { StoredProfile } from '../db/stored-profile.ts';
import { profileForCase } from '../records/case-profile.ts';
import { type CaseFilter, casesPage, type StoredCase } from '../records/cases.ts';
import { hiddenOfCases } from '../rounds/hidden-cells.ts';
import { columnsByRule } from './evidence-read.ts';

/** A case's matrix under the profile in use. */
interface MatrixInUse {
  case_pk: number;
  matrix_pk: number;
  digest: string | null;
}

async function matricesInUse(
  { session }: ReadContext,
  casePks: readonly number[],
): Promise<MatrixInUse[]> {
  return session.db
    .selectFrom('cases')
    .innerJoin('matrices', (join) =>
      join
        .onRef('matrices.account', '=', 'cases.account')
        .onRef('matrices.case_pk', '=', 'cases.case_pk')
        .onRef('matrices.profile_uid', '=', 'cases.profile_uid')
        .onRef('matrices.profile_version', '=', 'cases.profile_version'),
    )
    .select(['cases.case_pk', 'matrix_pk', 'digest'])
    .where('cases.account', '=', session.account)
    .where(session.inList('cases.case_pk', casePks))
    .execute();
}

/** By matrix and rule, how many cells are recorded. */
async function recordedCells(
  { session }: ReadContext,
  matrices: readonly number[],
): Promise<Map<number, [rule: number, n: number][]>> {
  const rows = await session.rows<[number, number, number, number, number]>(
    session.db
      .selectFrom('tallies')
      .select(['matrix_pk', 'rule_pk', 'n_false', 'n_true', 'n_na'])
      .where('account', '=', session.account)
      .where(session.inList('matrix_pk', matrices)),
  );
  const found = new Map<number, [number, number][]>();
  for (const [matrix, rule, f, t, na] of rows) {
    const of = found.get(matrix) ?? [];
    of.push([rule, f + t + na]);
    found.set(matrix, of);
  }
  return found;
}

/** The document of a case's profile in use; undefined where it is not here. */
async function profileOf(
  ctx: ReadContext,
  account: AccountId,
  stored: StoredCase,
): Promise<StoredProfile | undefined> {
  const { profile_uid, profile_version } = stored.record;
  if (profile_uid === null || profile_version === null) return undefined;
  try {
    return (await profileForCase(ctx, account, stored, profile_uid, profile_version)).profile;
  } catch (error) {
    const isAbsent =
      error instanceof StoreError && (error.code === 'not_here_yet' || error.code === 'not_found');
    if (isAbsent) return undefined;
    throw error;
  }
}

/**
 * How much of each case's matrix is recorded, under the profile in use. Costs what these cases do:
 * cases of one document share what is read of it.
 */
async function progressOf(
  ctx: ReadContext,
  account: AccountId,
  cases: readonly StoredCase[],
): Promise<Map<number, CaseProgress>> {
  const matrices = new Map(
    (
      await matricesInUse(
        ctx,
        cases.map(({ pk }) => pk),
      )
    ).map((row) => [row.case_pk, row]),
  );
  const recorded = await recordedCells(
    ctx,
    [...matrices.values()].map(({ matrix_pk }) => matrix_pk),
  );
  const documents = new Map<string, { rules: number; columns: ReadonlyMap<number, number> }>();
  const progress = new Map<number, CaseProgress>();
  for (const stored of cases) {
    const { profile_uid, profile_version } = stored.record;
    if (profile_uid === null) continue;
    const matrix = matrices.get(stored.pk);
    const key = `${profile_uid}@${profile_version} ${matrix?.digest ?? ''}`;
    let document = documents.get(key);
    if (document === undefined) {
      const rules = (await profileOf(ctx, account, stored))?.rules;
      if (rules === undefined) continue;
      document = { rules: rules.length, columns: await columnsByRule(ctx, rules) };
      documents.set(key, document);
    }
    const { rules, columns } = document;
    const counts = matrix === undefined ? [] : (recorded.get(matrix.matrix_pk) ?? []);
    const n = counts.reduce((sum, [rule, count]) => (columns.has(rule) ? sum + count : sum), 0);
    progress.set(stored.pk, {
      items: stored.itemCount,
      rules,
      cells: stored.itemCount * rules,
      recorded: n,
    });
  }
  return progress;
}

/** The last change of each case's log. */
async function lastChanges(
  { session }: ReadContext,
  cases: readonly StoredCase[],
): Promise<Map<number, LastChange>> {
  const rows = await session.db
    .selectFrom('streams')
    .innerJoin('changes', (join) =>
      join
        .onRef('changes.account', '=', 'streams.account')
        .onRef('changes.stream_pk', '=', 'streams.stream_pk')
        .onRef('changes.seq', '=', 'streams.seq'),
    )
    .select(['streams.stream_pk', 'received_at', 'author', 'author_kind'])
    .where('streams.account', '=', session.account)
    .where(
      session.inList(
        'streams.stream_pk',
        cases.map(({ streamPk }) => streamPk),
      ),
    )
    .execute();
  return new Map(
    rows.map(({ stream_pk, received_at, author, author_kind }) => [
      stream_pk,
      { at: received_at, by: author, kind: author_kind as LastChange['kind'] },
    ]),
  );
}

/** A page of cases, each with what is recorded in it and who last wrote there. */
export async function casesWithProgress(
  ctx: ReadContext,
  account: AccountId,
  filter: CaseFilter,
  page: Page,
): Promise<Listed<ListedCase>> {
  const { data: cases, next_cursor } = await casesPage(ctx, account, filter, page);
  if (cases.length === 0) return { data: [], next_cursor };
  const [progress, last, hidden] = await pipelined(
    progressOf(ctx, account, cases),
    lastChanges(ctx, cases),
    hiddenOfCases(
      ctx,
      account,
      cases.map(({ record }) => record.case_uid),
    ),
  );
  // How much is recorded would tell whether a hidden cell is (YR7).
  const isHidden = ({ case_uid, profile_uid }: StoredCase['record']): boolean =>
    hidden.get(case_uid)?.rounds.some(({ terms }) => terms.profile_uid === profile_uid) === true;
  return {
    data: cases.map(({ pk, streamPk, record }) => ({
      ...record,
      progress: isHidden(record) ? null : (progress.get(pk) ?? null),
      last_change: last.get(streamPk) ?? null,
    })),
    next_cursor,
  };
}
