import { type AccountId, known, type CaseUid, type RunUid } from '../../../shared/contract/ids.ts';
import { z } from 'zod';
import { blobsOf } from '../../../shared/domain/run-manifest.ts';
import { joining } from '../../../shared/domain/run-join.ts';
import { contentHash } from '../../../shared/domain/run.ts';
import { readBlobs } from './blobs.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { allAccounts } from '../db/identity.ts';
import { noteAccount } from '../log/change-log.ts';
import { StoreError } from '../db/errors.ts';
import { inSteps } from '../db/event-loop.ts';
import { readManifest } from './run-content.ts';

/** Accounts that one look for the next content goes through. */
const ACCOUNTS_AT_ONCE = 500;

/**
 * The first content of a run after this one, whether it is stored or gone. Where many accounts have
 * none, the one at which the next look begins, with no hash.
 */
export async function nextContent(
  ctx: ReadContext,
  after: ContentName,
): Promise<ContentName | undefined> {
  const { session } = ctx;
  const accounts = await allAccounts(ctx, { from: after.account_id, most: ACCOUNTS_AT_ONCE + 1 });
  for (const [at, account_id] of accounts.entries()) {
    if (at === ACCOUNTS_AT_ONCE) return { account_id, content_hash: '' };
    session.turnTo(account_id);
    const found = await session.db
      .selectFrom('runs')
      .select('content_hash')
      .where('account', '=', session.account)
      .where('content_hash', '>', account_id === after.account_id ? after.content_hash : '')
      .orderBy('content_hash')
      .limit(1)
      .executeTakeFirst();
    if (found !== undefined) return { account_id, content_hash: found.content_hash };
  }
  return undefined;
}

/**
 * Whether manifest and blobs are all here and give what the content hash covers. Throws unavailable
 * where that cannot be known, since blobs are kept in a store that does not answer.
 */
export async function isWhole(
  ctx: ReadContext,
  account: AccountId,
  hash: string,
): Promise<boolean> {
  try {
    const held = await readManifest(ctx, account, hash);
    if (held === undefined) return false;
    const names = blobsOf(held.manifest);
    const blobs = await readBlobs(ctx, account, names);
    if (names.some((name) => !blobs.has(name))) return false;
    return contentHash(await inSteps(joining(held.manifest, blobs)), ctx.ports.hasher) === hash;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'unavailable') throw error;
    return false;
  }
}

/**
 * Notes what a check found. Whoever exchanges runs with this store hears of it by the change token.
 */
export async function noteWhole(
  ctx: WriteContext,
  account: AccountId,
  hash: string,
  whole: boolean,
): Promise<void> {
  const { db } = ctx.session;
  const changed = whole
    ? await db
        .deleteFrom('damaged_contents')
        .where('account', '=', ctx.session.numberOf(account))
        .where('content_hash', '=', hash)
        .returning('content_hash')
        .execute()
    : await db
        .insertInto('damaged_contents')
        .values({ account: ctx.session.numberOf(account), content_hash: hash, found_at: ctx.at })
        .onConflict((oc) => oc.doNothing())
        .returning('content_hash')
        .execute();
  if (changed.length > 0)
    noteAccount(ctx, account, `${hash} ${whole ? 'whole' : 'damaged'} ${ctx.at}`);
}

/**
 * Which of these contents are not whole here, as far as is known: never arrived, gone, or found to
 * be damaged.
 */
export async function lackingContents(
  ctx: ReadContext,
  account: AccountId,
  hashes: readonly string[],
): Promise<string[]> {
  const rows = await ctx.session.db
    .selectFrom('run_contents')
    .select('run_contents.content_hash')
    .distinct()
    .where('run_contents.account', '=', ctx.session.numberOf(account))
    .where('run_contents.content_hash', 'in', ctx.session.list(hashes))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('runs')
          .select('run_pk')
          .whereRef('runs.account', '=', 'run_contents.account')
          .whereRef('runs.content_hash', '=', 'run_contents.content_hash'),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('damaged_contents')
            .select('found_at')
            .whereRef('damaged_contents.account', '=', 'run_contents.account')
            .whereRef('damaged_contents.content_hash', '=', 'run_contents.content_hash'),
        ),
      ),
    )
    .execute();
  const whole = new Set(rows.map((row) => row.content_hash));
  return hashes.filter((hash) => !whole.has(hash));
}

/** The first so many runs whose content was found to be damaged, and when that was. */
export async function damagedRuns(
  ctx: ReadContext,
  account: AccountId,
  limit: number,
): Promise<{ run_uid: RunUid; case_uid: CaseUid; since: string }[]> {
  const { db, list } = ctx.session;
  const damaged = await db
    .selectFrom('damaged_contents')
    .select(['content_hash', 'found_at'])
    .where('account', '=', ctx.session.numberOf(account))
    .orderBy('content_hash')
    .limit(limit)
    .execute();
  if (damaged.length === 0) return [];
  const runs = await db
    .selectFrom('runs')
    .select(['run_uid', 'case_uid', 'content_hash'])
    .where('account', '=', ctx.session.numberOf(account))
    .where('content_hash', 'in', list(damaged.map(({ content_hash }) => content_hash)))
    .orderBy('content_hash')
    .orderBy('run_pk')
    .limit(limit)
    .execute();
  return runs.flatMap(({ run_uid, case_uid, content_hash }) =>
    damaged
      .filter((one) => one.content_hash === content_hash)
      .map(({ found_at }) => ({ run_uid, case_uid, since: found_at })),
  );
}

/** The contents of a case's runs that are here, whole or damaged. */
export async function contentStates(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
): Promise<ContentState[]> {
  const rows = await ctx.session.db
    .selectFrom('runs')
    .leftJoin('damaged_contents', (join) =>
      join
        .onRef('damaged_contents.account', '=', 'runs.account')
        .onRef('damaged_contents.content_hash', '=', 'runs.content_hash'),
    )
    .select(['runs.run_uid', 'runs.content_hash', 'damaged_contents.found_at'])
    .where('runs.account', '=', ctx.session.numberOf(account))
    .where('runs.case_uid', '=', caseUid)
    .orderBy('runs.run_pk')
    .execute();
  return rows.map(({ found_at, ...run }) => ({ ...run, whole: found_at === null }));
}

const Checked = z.strictObject({ account_id: known.accountId, content_hash: z.string() });
/** Where the check begins: before every content. */
export const CHECK_START: ContentName = Checked.parse({ account_id: '', content_hash: '' });

/** Where the check is; with `next`, where it goes on. */
export async function checkedTo(ctx: WriteContext, next?: ContentName): Promise<ContentName> {
  const { db } = ctx.session;
  if (next !== undefined) {
    const row = { key: 'run_check', value: JSON.stringify(next) };
    await db
      .insertInto('meta')
      .values(row)
      .onConflict((oc) => oc.column('key').doUpdateSet({ value: row.value }))
      .execute();
    return next;
  }
  const stored = await db
    .selectFrom('meta')
    .select('value')
    .where('key', '=', 'run_check')
    .executeTakeFirst();
  return stored === undefined ? CHECK_START : Checked.parse(JSON.parse(stored.value));
}

/** A content of some account's runs; the check goes through all of them in this order. */
export interface ContentName {
  account_id: AccountId;
  content_hash: string;
}

/** A run whose content is here. */
export interface ContentState {
  run_uid: RunUid;
  content_hash: string;
  /** Whether no check has found it to be damaged. */
  whole: boolean;
}
