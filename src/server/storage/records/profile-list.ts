import type { ProfileEntry } from '../../../shared/contract/v1/profiles.ts';
import type { ReadContext } from '../db/context.ts';
import { readCursor, writeCursor, type Listed, type Page } from '../db/cursor.ts';
import { type DocumentRow, lineOf } from './profile-lines.ts';
import { toEntry, visibleDocuments } from './profile-read.ts';

type Mark = Pick<ProfileEntry, 'contested' | 'set_aside'>;
interface Settled {
  profile_uid: string;
  version: string;
  digest: string;
}

export const nameOf = (row: Pick<DocumentRow, 'profile_uid' | 'version'>): string =>
  `${row.profile_uid}@${row.version}`;

/** What an account has settled and decided about its documents. */
export async function marksOf(
  ctx: ReadContext,
  account: string,
): Promise<{ chosen: Map<string, string>; decided: (Settled & { decision: string })[] }> {
  const { db } = ctx.session;
  const choices = await db
    .selectFrom('profile_choices')
    .select(['profile_uid', 'version', 'digest', 'contested'])
    .where('account_id', '=', account)
    .execute();
  const decided = await db
    .selectFrom('profile_decisions')
    .select(['profile_uid', 'version', 'digest', 'decision'])
    .where('account_id', '=', account)
    .execute();
  return {
    chosen: new Map(
      choices.filter((row) => row.contested === 0).map((row) => [nameOf(row), row.digest]),
    ),
    decided,
  };
}

/** Of one name: the documents that it means in the account, and the account's own ones besides. */
function shownOf(
  rows: readonly DocumentRow[],
  account: string,
  chosen: ReadonlyMap<string, string>,
): { row: DocumentRow; mark: Mark }[] {
  const line = lineOf(rows, account);
  const digests = Map.groupBy(line.rows, (row) => row.version);
  const inLine = line.rows.map((row): { row: DocumentRow; mark: Mark } => {
    if ((digests.get(row.version)?.length ?? 0) < 2) return { row, mark: {} };
    const choice = chosen.get(nameOf(row));
    if (choice === undefined) return { row, mark: { contested: true } };
    return { row, mark: choice === row.digest ? {} : { set_aside: true } };
  });
  const known = new Set(line.rows.map((row) => row.digest));
  const besides = rows.filter((row) => row.account_id === account && !known.has(row.digest));
  return [...inLine, ...besides.map((row) => ({ row, mark: { set_aside: true } as const }))];
}

/** The documents that an account's names mean, and its own that stand beside them. */
export async function listProfiles(
  ctx: ReadContext,
  account: string,
  page: Page,
): Promise<Listed<ProfileEntry>> {
  const after =
    page.cursor === undefined ? 0 : (readCursor('profiles', ['whole'], page.cursor)[0] as number);
  const { chosen, decided } = await marksOf(ctx, account);
  const hidden = new Set(
    decided
      .filter(({ decision }) => decision === 'hide')
      .map((row) => `${nameOf(row)} ${row.digest}`),
  );
  const names = Map.groupBy(await visibleDocuments(ctx, account), (row) => row.profile_uid);
  const all = [...names.values()]
    .flatMap((rows) => shownOf(rows, account, chosen))
    .filter(({ row }) => !hidden.has(`${nameOf(row)} ${row.digest}`));
  const rest = all
    .filter(({ row }) => row.profile_pk > after)
    .sort((a, b) => a.row.profile_pk - b.row.profile_pk);
  const shown = rest.slice(0, page.limit);
  const last = shown.at(-1);
  if (last === undefined) return { data: [], next_cursor: null };
  const rows = await ctx.session.db
    .selectFrom('profiles')
    .select(['profile_pk', 'account_id', 'published', 'entry'])
    .where('profile_pk', 'in', ctx.session.list(shown.map(({ row }) => row.profile_pk)))
    .execute();
  const entries = new Map(rows.map((row) => [row.profile_pk, toEntry(row)]));
  return {
    data: shown.map(({ row, mark }) => ({
      ...(entries.get(row.profile_pk) as ProfileEntry),
      ...mark,
    })),
    next_cursor: rest.length > shown.length ? writeCursor('profiles', [last.row.profile_pk]) : null,
  };
}
