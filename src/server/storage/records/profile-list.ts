import type { AccountId, ProfileUid } from '../../../shared/contract/ids.ts';
import type { ProfileEntry, ProfileSort } from '../../../shared/contract/v1/profiles.ts';
import { compareVersions } from '../../../shared/domain/version.ts';
import type { ReadContext } from '../db/context.ts';
import { readCursor, writeCursor, type Listed, type Page } from '../db/cursor.ts';
import { type DocumentRow, lineOf } from './profile-lines.ts';
import { toEntry, visibleDocuments } from './profile-read.ts';

/** Of a name, so much is in a cursor. */
const MAX_NAME = 60;

type EntryMarks = Pick<ProfileEntry, 'contested' | 'set_aside' | 'retired'>;
interface SettledDocument {
  profile_uid: ProfileUid;
  version: string;
  digest: string;
}

export const nameOf = (row: Pick<DocumentRow, 'profile_uid' | 'version'>): string =>
  `${row.profile_uid}@${row.version}`;

/** What an account has settled and decided about its documents. */
export async function marksOf(
  ctx: ReadContext,
  account: AccountId,
): Promise<{ chosen: Map<string, string>; decided: (SettledDocument & { decision: string })[] }> {
  const { db } = ctx.session;
  const number = ctx.session.numberOf(account);
  const choices = await db
    .selectFrom('profile_choices')
    .select(['profile_uid', 'version', 'digest', 'contested'])
    .where('account', '=', number)
    .execute();
  const decided = await db
    .selectFrom('profile_decisions')
    .select(['profile_uid', 'version', 'digest', 'decision'])
    .where('account', '=', number)
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
  account: AccountId,
  chosen: ReadonlyMap<string, string>,
): { row: DocumentRow; mark: EntryMarks }[] {
  const line = lineOf(rows, account);
  const digests = Map.groupBy(line.rows, (row) => row.version);
  const inLine = line.rows.map((row): { row: DocumentRow; mark: EntryMarks } => {
    if ((digests.get(row.version)?.length ?? 0) < 2) return { row, mark: {} };
    const choice = chosen.get(nameOf(row));
    if (choice === undefined) return { row, mark: { contested: true } };
    return { row, mark: choice === row.digest ? {} : { set_aside: true } };
  });
  const known = new Set(line.rows.map((row) => row.digest));
  const besides = rows.filter((row) => row.account_id === account && !known.has(row.digest));
  return [...inLine, ...besides.map((row) => ({ row, mark: { set_aside: true } as const }))];
}

/** Which profiles a list holds, and in which order. */
interface ProfileFilter {
  profile_uid?: ProfileUid | undefined;
  versions?: 'all' | 'newest' | undefined;
  domain?: string | undefined;
  access?: ProfileEntry['access'] | undefined;
  search?: string | undefined;
  sort?: ProfileSort | undefined;
  order?: 'asc' | 'desc' | undefined;
  state?: 'active' | 'retired' | undefined;
}

interface Shown {
  row: DocumentRow;
  mark: EntryMarks;
  older?: number;
}

/** Of the documents of one name: that of the newest version, with how many versions are older. */
function newestOf(shown: readonly Shown[]): Shown[] {
  const versions = [...new Set(shown.map(({ row }) => row.version))].sort(compareVersions);
  const inUse = shown.filter(({ mark }) => mark.set_aside !== true);
  const [newest] = (inUse.length > 0 ? inUse : shown).toSorted(
    (a, b) => compareVersions(b.row.version, a.row.version) || a.row.profile_pk - b.row.profile_pk,
  );
  if (newest === undefined) return [];
  const older = versions.filter((version) => compareVersions(version, newest.row.version) < 0);
  return [{ ...newest, older: older.length }];
}

const folded = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

function isWanted(entry: ProfileEntry, { domain, access, search }: ProfileFilter): boolean {
  if (domain !== undefined && entry.domain !== domain) return false;
  if (access !== undefined && entry.access !== access) return false;
  return (
    search === undefined ||
    [entry.name, entry.profileUid, entry.description].some((text) =>
      folded(text).includes(folded(search)),
    )
  );
}

/** The documents that an account sees of one name or of all, as their lines show them. */
async function shownDocuments(
  ctx: ReadContext,
  account: AccountId,
  { profile_uid, versions, state }: ProfileFilter,
): Promise<Shown[]> {
  const { chosen, decided } = await marksOf(ctx, account);
  const retired = await retiredProfiles(ctx, account);
  const hidden = new Set(
    decided
      .filter(({ decision }) => decision === 'hide')
      .map((row) => `${nameOf(row)} ${row.digest}`),
  );
  const names = Map.groupBy(
    await visibleDocuments(ctx, account, profile_uid),
    (row) => row.profile_uid,
  );
  return [...names].flatMap(([uid, rows]) => {
    const isRetired = retired.has(uid);
    if (state !== undefined && isRetired !== (state === 'retired')) return [];
    const shown = shownOf(rows, account, chosen)
      .filter(({ row }) => !hidden.has(`${nameOf(row)} ${row.digest}`))
      .map(({ row, mark }) => ({
        row,
        mark: { ...mark, ...(isRetired && ({ retired: true } as const)) },
      }));
    return versions === 'newest' ? newestOf(shown) : shown;
  });
}

/** The profiles that an account no longer offers. */
export async function retiredProfiles(
  ctx: ReadContext,
  account: AccountId,
): Promise<ReadonlySet<ProfileUid>> {
  const rows = await ctx.session.db
    .selectFrom('retired_profiles')
    .select('profile_uid')
    .where('account', '=', ctx.session.numberOf(account))
    .execute();
  return new Set(rows.map(({ profile_uid }) => profile_uid));
}

async function entriesOf(
  ctx: ReadContext,
  shown: readonly Shown[],
): Promise<(Shown & { entry: ProfileEntry })[]> {
  if (shown.length === 0) return [];
  const rows = await ctx.session.db
    .selectFrom('profiles')
    .select(['profile_pk', 'account_id', 'published', 'entry'])
    .where('profile_pk', 'in', ctx.session.list(shown.map(({ row }) => row.profile_pk)))
    .execute();
  const entries = new Map(rows.map((row) => [row.profile_pk, toEntry(row)]));
  return shown.map((one) => ({ ...one, entry: entries.get(one.row.profile_pk) as ProfileEntry }));
}

/**
 * The documents that an account's names mean, and its own that stand beside them. Which these are
 * follows from all documents of a name, so they are sorted here and not by an index.
 */
export async function listProfiles(
  ctx: ReadContext,
  account: AccountId,
  page: Page,
  filter: ProfileFilter = {},
): Promise<Listed<ProfileEntry>> {
  const { sort = 'created', order, domain, access, search } = filter;
  const kind = `profiles${sort === 'name' ? ' name' : ''}${order === 'desc' ? ' desc' : ''}`;
  const way = order === 'desc' ? -1 : 1;
  type Place = [name: string, pk: number];
  const compare = ([a, m]: Place, [b, n]: Place): number =>
    way * (a === b ? m - n : a < b ? -1 : 1);
  const nameAt = (entry: ProfileEntry): string =>
    sort === 'name' ? [...folded(entry.name)].slice(0, MAX_NAME).join('') : '';
  const after =
    page.cursor === undefined
      ? undefined
      : (readCursor(kind, ['string', 'whole'], page.cursor) as Place);

  const all = await shownDocuments(ctx, account, filter);
  // Without a condition on what they say, only those of the page are read.
  const isByKey = sort === 'created' && (domain ?? access ?? search) === undefined;
  const placed = isByKey
    ? all.map((one) => ({ ...one, place: ['', one.row.profile_pk] as Place }))
    : (await entriesOf(ctx, all))
        .filter(({ entry }) => isWanted(entry, filter))
        .map((one) => ({ ...one, place: [nameAt(one.entry), one.row.profile_pk] as Place }));
  const rest = placed
    .filter(({ place }) => after === undefined || compare(place, after) > 0)
    .sort((a, b) => compare(a.place, b.place));
  const shown = rest.slice(0, page.limit);
  const last = shown.at(-1);
  const read = await entriesOf(ctx, shown);
  return {
    data: read.map(({ entry, mark, older }) => ({
      ...entry,
      ...mark,
      ...(older !== undefined && { older_versions: older }),
    })),
    next_cursor:
      rest.length > shown.length && last !== undefined ? writeCursor(kind, last.place) : null,
  };
}
