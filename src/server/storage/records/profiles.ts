import type { AccountId, ProfileUid } from '../../../shared/contract/ids.ts';
import type { ProfileEntry } from '../../../shared/contract/v1/profiles.ts';
import type { ProfileDocument } from '../../../shared/domain/profile.ts';
import { profileDigest } from '../../../shared/domain/profile.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { PROFILE_STREAM } from '../../../sync/register.ts';
import { author } from '../log/author.ts';
import { entryText, jsonString } from '../../../sync/change-writer.ts';
import type { WriteContext } from '../db/context.ts';
import type { Actor, MayPublish } from '../db/actor.ts';
import { flushStream, openStream } from '../log/change-log.ts';
import { StoreError } from '../db/errors.ts';
import type { Upserted } from '../db/precondition.ts';
import { visibleDocuments, chooseDocument, loadDocument } from './profile-read.ts';

function entryOf(document: ProfileDocument, digest: string): Omit<ProfileEntry, 'access'> {
  const {
    profileUid,
    name,
    version,
    visibility,
    domain,
    standard,
    standardVersion,
    description,
    scope,
    maintainer,
    rules,
  } = document;
  return {
    profileUid,
    name,
    version,
    visibility,
    domain,
    standard,
    standardVersion,
    description,
    scope,
    maintainer,
    rule_count: rules.length,
    digest,
  };
}

/**
 * Stores a document; nothing where the account has it. One that was borrowed is the account's own
 * once its log announces it.
 */
export async function insertProfile(
  ctx: WriteContext,
  account: AccountId | null,
  document: ProfileDocument,
  text: string,
  {
    digest,
    published = 0,
    borrowed = 0,
  }: { digest: string; published?: number; borrowed?: number },
): Promise<void> {
  await ctx.session.db
    .insertInto('profiles')
    .values({
      account_id: account,
      profile_uid: document.profileUid,
      version: document.version,
      visibility: document.visibility,
      document: text,
      digest,
      entry: JSON.stringify(entryOf(document, digest)),
      created_at: ctx.at,
      published,
      borrowed,
    })
    .onConflict((oc) =>
      borrowed === 1
        ? oc.doNothing()
        : oc
            .columns(['account_id', 'profile_uid', 'version', 'digest'])
            .doUpdateSet({ borrowed: 0 }),
    )
    .execute();
}

function taken(path: string, message: string): StoreError {
  return new StoreError('uid_taken', 'The name of this profile belongs to somebody else.', [
    { path, code: 'uid_taken', message },
  ]);
}

/**
 * Makes the name this account's before all others, or refuses. Two accounts at once: the second
 * waits for the first, and is refused.
 */
async function takeName(
  ctx: WriteContext,
  account: AccountId,
  profileUid: ProfileUid,
): Promise<void> {
  const { db } = ctx.session;
  await db
    .insertInto('profile_owners')
    .values({ profile_uid: profileUid, account_id: account })
    .onConflict((oc) => oc.doNothing())
    .execute();
  const { account_id } = await db
    .selectFrom('profile_owners')
    .select('account_id')
    .where('profile_uid', '=', profileUid)
    .executeTakeFirstOrThrow();
  if (account_id !== account)
    throw taken(
      '/profileUid',
      'Another account of this server published a profile under this name first. Choose another profileUid.',
    );
}

export interface Created extends Upserted<string> {
  /** True where every account of this server sees it from here on. */
  published: boolean;
}

function refusePublishing(mayPublish: MayPublish): StoreError {
  if (mayPublish === 'operator')
    return new StoreError(
      'operator_only',
      'On this server profiles are published to the community by whoever runs it: keep this one private, and ask them to publish it.',
      [
        {
          path: '/visibility',
          code: 'operator_only',
          message: 'Keep it private, and ask whoever runs the server to publish it.',
        },
      ],
    );
  return new StoreError(
    'insufficient_scope',
    'Only an owner of this account publishes a profile to the community, and not with a key.',
  );
}

/**
 * Creates a document; one for the community is published with it, where the caller may. `text` is
 * the document's JSON as received; GET answers with it. `published`: every account of this server
 * sees it from here on. Throws uid_taken, version_conflict.
 */
export async function createProfile(
  ctx: WriteContext,
  actor: Actor,
  document: ProfileDocument,
  text: string,
  mayPublish: MayPublish,
): Promise<Created> {
  const account = actor.account_id;
  const { profileUid, version } = document;
  const digest = profileDigest(document, ctx.ports.hasher);
  const stream = await openStream(ctx, account, PROFILE_STREAM);
  const rows = await visibleDocuments(ctx, account, profileUid);
  const own = rows.filter(
    (row) => row.account_id === account && row.borrowed === 0 && row.version === version,
  );
  const shipped = rows.filter((row) => row.account_id === null);
  const same =
    shipped.find((row) => row.digest === digest) ?? own.find((row) => row.digest === digest);
  const publishes =
    document.visibility === 'community' && same?.account_id !== null && same?.published !== 1;
  if (same !== undefined && !publishes)
    return { record: (await loadDocument(ctx, same)).text, created: false, published: false };
  if (publishes && mayPublish !== true) throw refusePublishing(mayPublish);
  if (shipped.length > 0)
    throw taken(
      '/profileUid',
      'A profile that comes with the studio has this name. Choose another profileUid.',
    );
  if (same === undefined && own.length > 0)
    throw new StoreError(
      'version_conflict',
      'This version of the profile exists with other content.',
      [{ path: '/version', code: 'version_taken', message: 'Give changed content a new version.' }],
    );
  if (publishes) await takeName(ctx, account, profileUid);
  if (same !== undefined) {
    await ctx.session.db
      .updateTable('profiles')
      .set({ published: 1 })
      .where('profile_pk', '=', same.profile_pk)
      .execute();
    return { record: (await loadDocument(ctx, same)).text, created: false, published: true };
  }
  const reg = `profile/${profileUid}@${version}`;
  await author(ctx, stream, actor, [
    entryText('[]', jsonString(reg), canonicalJson({ digest, document }), 'announce'),
  ]);
  await flushStream(ctx, stream);
  await insertProfile(ctx, account, document, text, { digest, published: publishes ? 1 : 0 });
  return { record: text, created: true, published: publishes };
}

/**
 * Shows a document of the account to every account of this server, whatever it says of its
 * visibility: an act of the operator. Throws not_found, uid_taken, contested_profile.
 */
export async function publishProfile(
  ctx: WriteContext,
  account: AccountId,
  profileUid: ProfileUid,
  version: string,
): Promise<{ digest: string; published: boolean }> {
  const known = await visibleDocuments(ctx, account, profileUid);
  const rows = known.filter(
    (row) => row.account_id === account && row.borrowed === 0 && row.version === version,
  );
  const chosen = await chooseDocument(ctx, account, rows);
  if (chosen === undefined)
    throw new StoreError('not_found', 'This account has no such profile of its own.');
  if (chosen.undecided)
    throw new StoreError(
      'contested_profile',
      'Several documents of this account stand under this version, and none of them is settled on.',
    );
  if (known.some((row) => row.account_id === null))
    throw taken('/profileUid', 'A profile that comes with the studio has this name.');
  const { digest, published, profile_pk } = chosen.row;
  if (published === 1) return { digest, published: false };
  await takeName(ctx, account, profileUid);
  await ctx.session.db
    .updateTable('profiles')
    .set({ published: 1 })
    .where('profile_pk', '=', profile_pk)
    .execute();
  return { digest, published: true };
}

/** Stores a document that the connected server has and no log here announces. */
export async function borrowDocument(
  ctx: WriteContext,
  account: AccountId,
  document: ProfileDocument,
): Promise<void> {
  await insertProfile(ctx, account, document, canonicalJson(document), {
    digest: profileDigest(document, ctx.ports.hasher),
    borrowed: 1,
  });
}

/**
 * Adds the profiles that come with the application. A version that exists is never changed, since
 * runs refer to it.
 */
export async function addShipped(
  ctx: WriteContext,
  documents: readonly ProfileDocument[],
): Promise<void> {
  for (const document of documents) {
    const there = await ctx.session.db
      .selectFrom('profiles')
      .select('profile_pk')
      .where('account_id', 'is', null)
      .where('profile_uid', '=', document.profileUid)
      .where('version', '=', document.version)
      .executeTakeFirst();
    if (there === undefined)
      await insertProfile(ctx, null, document, JSON.stringify(document), {
        digest: profileDigest(document, ctx.ports.hasher),
      });
  }
}
