import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { ProfileEntry } from '../../shared/contract/v1/profiles.ts';
import { orderRules } from '../../shared/domain/matrix.ts';
import { ProfileDocument, profileDigest } from '../../shared/domain/profile.ts';
import { compareVersions } from '../../shared/domain/version.ts';
import { canonicalJson } from '../../shared/lib/canonical-json.ts';
import { PROFILE_STREAM } from '../../sync/register.ts';
import { author, entryText, jsonString } from './author.ts';
import type { ReadContext, WriteContext } from './context.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { Actor } from './actor.ts';
import { type Listed, type Page, StoreError, type Upserted } from './port.ts';
import { flushStream, openStream } from './ledger.ts';
import type { Database } from './schema.ts';
import type { StoredProfile } from './stored-profile.ts';

interface ProfileRow {
  profile_pk: number;
  account_id: string | null;
  profile_uid: string;
  version: string;
  visibility: string;
  entry: string;
}

/** Whose document an account sees if several accounts hold the same (profileUid, version): its own, else the shipped one, else the oldest of the others. */
function rank(row: Pick<ProfileRow, 'account_id'>, account: string): number {
  if (row.account_id === account) return 0;
  return row.account_id === null ? 1 : 2;
}

function access(row: Pick<ProfileRow, 'account_id' | 'visibility'>): ProfileEntry['access'] {
  if (row.account_id === null) return 'public';
  return row.visibility === 'community' ? 'community' : 'private';
}

/** Notes that another document was announced under the version. The one in use is the first that was received. */
function isContested(account: string): RawBuilder<number> {
  return sql<number>`(SELECT count(*) FROM extra_heads JOIN streams ON streams.stream_pk = extra_heads.stream_pk
    WHERE streams.account_id = ${account} AND streams.name = ${PROFILE_STREAM} AND reg = 'profile/' || profiles.profile_uid || '@' || profiles.version)`;
}

function toEntry(row: Pick<ProfileRow, 'account_id' | 'visibility' | 'entry'>): ProfileEntry {
  return { ...(JSON.parse(row.entry) as Omit<ProfileEntry, 'access'>), access: access(row) };
}

const NAMES = ['profile_pk', 'account_id', 'profile_uid', 'version'] as const;

/**
 * The documents that an account sees of those that `select` chooses: its own, the shipped ones, and those that other accounts have published. Each kind is a
 * query of its own, with its condition written as in its index, so that other accounts' private profiles are not read.
 */
function visible<O extends object>(select: () => SelectQueryBuilder<Database, 'profiles', O>, account: string): SelectQueryBuilder<Database, 'profiles', O> {
  return select()
    .where('account_id', '=', account)
    .unionAll(select().where('account_id', 'is', null))
    .unionAll(select().where(sql<boolean>`visibility = 'community'`).where('account_id', '!=', account));
}

async function visibleKeys(ctx: ReadContext, account: string): Promise<number[]> {
  const rows = await visible(() => ctx.session.db.selectFrom('profiles').select(NAMES), account).execute();
  const best = new Map<string, (typeof rows)[number]>();
  for (const row of rows) {
    const name = `${row.profile_uid}@${row.version}`;
    const other = best.get(name);
    if (other === undefined || (rank(row, account) - rank(other, account) || row.profile_pk - other.profile_pk) < 0) best.set(name, row);
  }
  return [...best.values()].map((row) => row.profile_pk).sort((a, b) => a - b);
}

/** Every visible (profileUid, version) once. */
export async function listProfiles(ctx: ReadContext, account: string, page: Page): Promise<Listed<ProfileEntry>> {
  const after = page.cursor === undefined ? 0 : (readCursor('profiles', ['whole'], page.cursor)[0] as number);
  const keys = (await visibleKeys(ctx, account)).filter((key) => key > after);
  const shown = keys.slice(0, page.limit);
  const last = shown.at(-1);
  if (last === undefined) return { data: [], next_cursor: null };
  const rows = await ctx.session.db
    .selectFrom('profiles')
    .select(['account_id', 'visibility', 'entry', isContested(account).as('contested')])
    .where('profile_pk', 'in', ctx.session.list(shown))
    .orderBy('profile_pk')
    .execute();
  return { data: rows.map((row) => ({ ...toEntry(row), ...(row.contested > 0 && { contested: true as const }) })), next_cursor: keys.length > shown.length ? writeCursor('profiles', [last]) : null };
}

/** Parsed documents kept. */
const MAX_PARSED = 200;

type Version = Omit<ProfileRow, 'entry'> & { digest: string };

/** The versions of a profile that an account sees, or the documents of one version. */
export async function visibleVersions(ctx: ReadContext, account: string, profileUid: string, version: string | undefined): Promise<Version[]> {
  const named = () => {
    const query = ctx.session.db.selectFrom('profiles').select([...NAMES, 'visibility', 'digest']).where('profile_uid', '=', profileUid);
    return version === undefined ? query : query.where('version', '=', version);
  };
  return visible(named, account).execute();
}

/** The document of this version among them, or of the newest if none is named. */
export async function chooseVersion(ctx: ReadContext, account: string, versions: readonly Version[], version: string | undefined): Promise<StoredProfile | undefined> {
  const named = version === undefined ? [...versions] : versions.filter((row) => row.version === version);
  const [best] = named.sort((a, b) => compareVersions(b.version, a.version) || rank(a, account) - rank(b, account) || a.profile_pk - b.profile_pk);
  if (best === undefined) return undefined;
  const cache = ctx.profileCache;
  const known = cache.get(best.profile_pk);
  // After a transaction was rolled back, its number may have been given to another document.
  if (known !== undefined && known.entry.digest === best.digest) return known;
  const { document: text, entry } = await ctx.session.db.selectFrom('profiles').select(['document', 'entry']).where('profile_pk', '=', best.profile_pk).executeTakeFirstOrThrow();
  const document = ProfileDocument.parse(JSON.parse(text));
  const stored = { text, document, rules: orderRules(document.rules).map((rule) => rule.ruleUid), entry: toEntry({ ...best, entry }) };
  if (cache.size >= MAX_PARSED) cache.delete(cache.keys().next().value as number);
  cache.set(best.profile_pk, stored);
  return stored;
}

/** The visible document of this version; the newest one where none is named. */
export async function resolveProfile(ctx: ReadContext, account: string, profileUid: string, version: string | undefined): Promise<StoredProfile | undefined> {
  return chooseVersion(ctx, account, await visibleVersions(ctx, account, profileUid, version), version);
}

function entryOf(document: ProfileDocument, digest: string): Omit<ProfileEntry, 'access'> {
  const { profileUid, name, version, visibility, domain, standard, standardVersion, description, scope, maintainer, rules } = document;
  return { profileUid, name, version, visibility, domain, standard, standardVersion, description, scope, maintainer, rule_count: rules.length, digest };
}

export async function insertProfile(ctx: WriteContext, account: string | null, document: ProfileDocument, text: string, digest: string): Promise<void> {
  await ctx.session.db
    .insertInto('profiles')
    .values({ account_id: account, profile_uid: document.profileUid, version: document.version, visibility: document.visibility, document: text, digest, entry: JSON.stringify(entryOf(document, digest)), created_at: ctx.at })
    .execute();
}

export async function createProfile(ctx: WriteContext, actor: Actor, document: ProfileDocument, text: string): Promise<Upserted<string>> {
  const digest = profileDigest(document, ctx.ports.hasher);
  const stream = await openStream(ctx, actor.account_id, PROFILE_STREAM);
  const stored = await resolveProfile(ctx, actor.account_id, document.profileUid, document.version);
  if (stored !== undefined) {
    if (stored.entry.digest === digest) return { record: stored.text, created: false };
    throw new StoreError('version_conflict', 'This version of the profile exists with other content.', [{ path: '/version', code: 'version_taken', message: 'Give changed content a new version.' }]);
  }
  const reg = `profile/${document.profileUid}@${document.version}`;
  await author(ctx, stream, actor, [entryText('[]', jsonString(reg), canonicalJson({ digest, document }), 'announce')]);
  await flushStream(ctx, stream);
  await insertProfile(ctx, actor.account_id, document, text, digest);
  return { record: text, created: true };
}

/** Adds the profiles that come with the application. A version that exists is never changed, since runs refer to it. */
export async function addShipped(ctx: WriteContext, documents: readonly ProfileDocument[]): Promise<void> {
  for (const document of documents) {
    const there = await ctx.session.db.selectFrom('profiles').select('profile_pk').where('account_id', 'is', null).where('profile_uid', '=', document.profileUid).where('version', '=', document.version).executeTakeFirst();
    if (there === undefined) await insertProfile(ctx, null, document, JSON.stringify(document), profileDigest(document, ctx.ports.hasher));
  }
}
