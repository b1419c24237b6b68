import type { AccountId, ProfileUid } from '../../../shared/contract/ids.ts';
import { type DocumentRow, namedDocuments } from './profile-lines.ts';
import type { ProfileEntry } from '../../../shared/contract/v1/profiles.ts';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { StoreTables } from '../db/schema/schema.ts';
import { compiledOnce } from '../db/compiled-once.ts';
import type { ReadContext } from '../db/context.ts';
import type { Placeholder, Placeholders } from '../db/placeholder.ts';
import type { StoredProfile } from '../db/stored-profile.ts';
import { ProfileDocument } from '../../../shared/domain/profile.ts';
import { orderRules } from '../../../shared/domain/matrix.ts';

const NAMES = [
  'profile_pk',
  'account_id',
  'profile_uid',
  'version',
  'visibility',
  'digest',
  'published',
  'borrowed',
] as const;

function access(row: Pick<DocumentRow, 'account_id' | 'published'>): ProfileEntry['access'] {
  if (row.account_id === null) return 'public';
  return row.published === 1 ? 'community' : 'private';
}

export function toEntry(
  row: Pick<DocumentRow, 'account_id' | 'published'> & { entry: string },
): ProfileEntry {
  return { ...(JSON.parse(row.entry) as Omit<ProfileEntry, 'access'>), access: access(row) };
}

/**
 * The documents that an account sees of those that `select` chooses: its own, the shipped ones, and
 * those that other accounts have published. Each kind is a query of its own, with its condition
 * written as in its index, so that other accounts' private profiles are not read.
 */
function visible<O extends object>(
  select: () => SelectQueryBuilder<StoreTables, 'profiles', O>,
  account: Placeholder<AccountId>,
): SelectQueryBuilder<StoreTables, 'profiles', O> {
  return select()
    .where('account_id', '=', account)
    .unionAll(select().where('account_id', 'is', null))
    .unionAll(
      select()
        .where(sql<boolean>`published = 1`)
        .where('account_id', '!=', account),
    );
}

const documentsQuery = compiledOnce(({ db }, { account }: Placeholders<{ account: AccountId }>) =>
  visible(() => db.selectFrom('profiles').select(NAMES), account),
);
const documentsOfName = compiledOnce(
  ({ db }, { account, profileUid }: Placeholders<{ account: AccountId; profileUid: ProfileUid }>) =>
    visible(
      () => db.selectFrom('profiles').select(NAMES).where('profile_uid', '=', profileUid),
      account,
    ),
);

/** The documents of one name that an account sees, or of all names. */
export async function visibleDocuments(
  ctx: ReadContext,
  account: AccountId,
  profileUid?: ProfileUid,
): Promise<DocumentRow[]> {
  const { session } = ctx;
  return profileUid === undefined
    ? documentsQuery(session, { account }).execute()
    : documentsOfName(session, { account, profileUid }).execute();
}

/**
 * Which document a version is in an account, where a person has settled it and no other person
 * otherwise.
 */
export async function chosenDigest(
  ctx: ReadContext,
  account: AccountId,
  profileUid: ProfileUid,
  version: string,
): Promise<string | undefined> {
  const row = await ctx.session.db
    .selectFrom('profile_choices')
    .select(['digest', 'contested'])
    .where('account', '=', ctx.session.numberOf(account))
    .where('profile_uid', '=', profileUid)
    .where('version', '=', version)
    .executeTakeFirst();
  return row === undefined || row.contested === 1 ? undefined : row.digest;
}

/** One of several documents: the one that a person has settled on, else the first of them. */
export async function chooseDocument(
  ctx: ReadContext,
  account: AccountId,
  several: readonly DocumentRow[],
): Promise<{ row: DocumentRow; undecided: boolean } | undefined> {
  const [first] = several;
  if (first === undefined) return undefined;
  if (several.length === 1) return { row: first, undecided: false };
  const chosen = await chosenDigest(ctx, account, first.profile_uid, first.version);
  const row = several.find(({ digest }) => digest === chosen);
  return row === undefined ? { row: first, undecided: true } : { row, undecided: false };
}

/** Parsed documents kept. */
const MAX_PARSED = 200;

export async function loadDocument(ctx: ReadContext, row: DocumentRow): Promise<StoredProfile> {
  const cache = ctx.profileCache;
  const known = cache.get(row.profile_pk);
  // After a transaction was rolled back, its number may have been given to another document.
  if (
    known !== undefined &&
    known.entry.digest === row.digest &&
    known.entry.access === access(row)
  )
    return known;
  const { document: text, entry } = await ctx.session.db
    .selectFrom('profiles')
    .select(['document', 'entry'])
    .where('profile_pk', '=', row.profile_pk)
    .executeTakeFirstOrThrow();
  const document = ProfileDocument.parse(JSON.parse(text));
  const stored = {
    text,
    document,
    rules: orderRules(document.rules).map((rule) => rule.ruleUid),
    entry: toEntry({ ...row, entry }),
  };
  if (cache.size >= MAX_PARSED) cache.delete(cache.keys().next().value as number);
  cache.set(row.profile_pk, stored);
  return stored;
}

/**
 * What a name means in the account: the document of this version, the newest where none is said.
 * `undecided`: several stand under the version and nobody has settled which.
 */
export async function resolveProfile(
  ctx: ReadContext,
  account: AccountId,
  profileUid: ProfileUid,
  version: string | undefined,
  rows?: readonly DocumentRow[],
): Promise<(StoredProfile & { undecided: boolean }) | undefined> {
  const named = namedDocuments(
    rows ?? (await visibleDocuments(ctx, account, profileUid)),
    account,
    version,
  );
  const chosen = await chooseDocument(ctx, account, named);
  return chosen && { ...(await loadDocument(ctx, chosen.row)), undecided: chosen.undecided };
}

/** The document with this digest, among those of the name that the account sees. */
export async function profileByDigest(
  ctx: ReadContext,
  account: AccountId,
  profileUid: ProfileUid,
  version: string | undefined,
  digest: string,
): Promise<StoredProfile | undefined> {
  const rows = (await visibleDocuments(ctx, account, profileUid)).filter(
    (row) => row.digest === digest && (version === undefined || row.version === version),
  );
  const [row] = rows.sort(
    (a, b) =>
      Number(b.account_id === account) - Number(a.account_id === account) ||
      a.profile_pk - b.profile_pk,
  );
  return row && loadDocument(ctx, row);
}

/**
 * A profile, with its JSON text as it was created. The newest version if none is named; the
 * document of this digest, if that is.
 */
export async function getProfile(
  ctx: ReadContext,
  account: AccountId,
  profileUid: ProfileUid,
  version: string | undefined,
  digest?: string,
): Promise<{ text: string; document: ProfileDocument; entry: ProfileEntry } | undefined> {
  const found =
    digest === undefined
      ? await resolveProfile(ctx, account, profileUid, version)
      : await profileByDigest(ctx, account, profileUid, version, digest);
  return found && { text: found.text, document: found.document, entry: found.entry };
}
