import { type RawBuilder, sql } from 'kysely';
import type { AccountId } from '../../../shared/contract/ids.ts';
import type { OutsideBlobs } from '../blobs/outside-blobs.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { allAccounts } from '../db/identity.ts';
import { MOVING_SETTING } from '../db/schema/row-security.ts';
import { blobText } from './blob-text.ts';
import { type BlobCopy, nameOutside, needOutside } from './outside-copies.ts';

/** Blobs of one transaction: their bytes are in memory, and whoever waits for it waits for them. */
const AT_ONCE = 16;
/** Accounts that one transaction looks through. */
const ACCOUNTS_AT_ONCE = 100;
/** The row of `meta` that says where blobs are kept; whoever moves blobs holds its lock. */
const PLACE_KEY = 'blob_place';

interface Held extends BlobCopy {
  packed: Uint8Array;
}

/** What one transaction of a move has done. */
export interface BlobStep {
  moved: number;
  /** Copies that are not what their name says, or not there: they stay where they are. */
  damaged: BlobCopy[];
  /** Where the next transaction goes on; undefined where there is nothing more. */
  next: BlobCopy | undefined;
}

/** Where blobs are kept outside of the database by this server, and where some are. */
export async function blobPlaces(ctx: ReadContext): Promise<{
  configured: string | undefined;
  /** Why the configured place cannot be used now, if that is known. */
  problem: string | undefined;
  known: string | undefined;
  isUsed: boolean;
}> {
  const { db } = ctx.session;
  const noted = await db
    .selectFrom('meta')
    .select('value')
    .where('key', '=', PLACE_KEY)
    .executeTakeFirst();
  return {
    configured: ctx.ports.outside?.place,
    problem: ctx.ports.outside?.problem,
    known: noted?.value,
    isUsed: await isAnyOutside(ctx),
  };
}

async function isAnyOutside(ctx: ReadContext): Promise<boolean> {
  const { session } = ctx;
  for (const account of await allAccounts(ctx)) {
    session.turnTo(account);
    const one = await session.db
      .selectFrom('outside_blobs')
      .select('copy')
      .where('account', '=', session.account)
      .limit(1)
      .executeTakeFirst();
    if (one !== undefined) return true;
  }
  return false;
}

/** Notes where blobs are kept from here on. */
export async function noteBlobPlace(ctx: WriteContext, place: string): Promise<void> {
  await ctx.session.db
    .insertInto('meta')
    .values({ key: PLACE_KEY, value: place })
    .onConflict((oc) => oc.column('key').doUpdateSet({ value: place }))
    .execute();
}

/** How many copies of blobs are in the database, and how many outside. */
export async function countBlobs(ctx: ReadContext): Promise<{ database: number; outside: number }> {
  const { session } = ctx;
  const count = async (table: 'blobs' | 'outside_blobs'): Promise<number> => {
    const { n } = await session.db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('account', '=', session.account)
      .executeTakeFirstOrThrow();
    return Number(n);
  };
  const sum = { database: 0, outside: 0 };
  for (const account of await allAccounts(ctx)) {
    session.turnTo(account);
    sum.database += await count('blobs');
    sum.outside += await count('outside_blobs');
  }
  return sum;
}

/** What comes after a copy in the order of the tables' keys; everything where there is none. */
function isAfter(copy: BlobCopy | undefined): RawBuilder<boolean> {
  return copy === undefined
    ? sql<boolean>`1 = 1`
    : sql<boolean>`(sha256, copy) > (${copy.sha256}, ${copy.copy})`;
}

type Unowned<T extends BlobCopy> = Omit<T, 'account_id'>;

/**
 * The next copies after one, all of the account that the transaction then is at, and where the next
 * transaction goes on.
 */
async function nextCopies<T extends BlobCopy>(
  ctx: ReadContext,
  after: BlobCopy | undefined,
  read: (isNext: RawBuilder<boolean>) => Promise<Unowned<T>[]>,
): Promise<{ copies: T[]; next: BlobCopy | undefined }> {
  const accounts = await allAccounts(ctx, { from: after?.account_id, most: ACCOUNTS_AT_ONCE + 1 });
  const startOf = (account: AccountId | undefined): BlobCopy | undefined =>
    account && { account_id: account, sha256: '', copy: 0 };
  for (const [at, account_id] of accounts.slice(0, ACCOUNTS_AT_ONCE).entries()) {
    ctx.session.turnTo(account_id);
    const rows = await read(isAfter(account_id === after?.account_id ? after : undefined));
    if (rows.length === 0) continue;
    const copies = rows.map((row) => ({ ...row, account_id }) as T);
    const next = rows.length < AT_ONCE ? startOf(accounts[at + 1]) : nameOf(copies.at(-1)!);
    return { copies, next };
  }
  return { copies: [], next: startOf(accounts[ACCOUNTS_AT_ONCE]) };
}

/** Those of these copies of one account that are outside as their names say. */
async function goodOutside(
  ctx: ReadContext,
  outside: OutsideBlobs,
  copies: readonly BlobCopy[],
): Promise<Held[]> {
  const [first] = copies;
  if (first === undefined) return [];
  const bytes = await outside.get(first.account_id, copies);
  return copies.flatMap((copy, at) => {
    const packed = bytes[at];
    const isGood = packed !== undefined && blobText(ctx, packed, copy.sha256) !== undefined;
    return isGood ? [{ ...copy, packed }] : [];
  });
}

const isSame = (one: BlobCopy) => (other: BlobCopy) =>
  one.sha256 === other.sha256 && one.copy === other.copy;

const nameOf = ({ account_id, sha256, copy }: BlobCopy): BlobCopy => ({ account_id, sha256, copy });

const stepOf = (
  copies: readonly BlobCopy[],
  moved: readonly BlobCopy[],
  next: BlobCopy | undefined,
): BlobStep => ({
  moved: moved.length,
  damaged: copies.filter((copy) => !moved.some(isSame(copy))).map(nameOf),
  next,
});

/** Deletes copies that are stored elsewhere by now: nothing but a move may. */
async function remove(
  { session }: WriteContext,
  table: 'blobs' | 'outside_blobs',
  copies: readonly BlobCopy[],
): Promise<void> {
  if (session.kind === 'postgres')
    await sql.raw(`SET LOCAL ${MOVING_SETTING} = 'on'`).execute(session.db);
  for (const { sha256, copy } of copies)
    await session.change(
      session.db
        .deleteFrom(table)
        .where('account', '=', session.account)
        .where('sha256', '=', sha256)
        .where('copy', '=', copy),
    );
}

/**
 * Moves the next blobs of the database outside: a row goes once its copy was read back there and
 * hashed. Undefined where another process is at it. PostgreSQL only.
 */
export async function moveBlobsOut(
  ctx: WriteContext,
  after?: BlobCopy,
): Promise<BlobStep | undefined> {
  const outside = needOutside(ctx);
  const { session } = ctx;
  const lock = await session.db
    .selectFrom('meta')
    .select('value')
    .where('key', '=', PLACE_KEY)
    .forNoKeyUpdate()
    .skipLocked()
    .execute();
  if (lock.length === 0) return undefined;
  const { copies, next } = await nextCopies<Held>(ctx, after, (isNext) =>
    session.db
      .selectFrom('blobs')
      .select(['sha256', 'copy', 'packed'])
      .where('account', '=', session.account)
      .where(isNext)
      .orderBy('sha256')
      .orderBy('copy')
      .limit(AT_ONCE)
      .execute(),
  );
  const whole = copies.filter(({ packed, sha256 }) => blobText(ctx, packed, sha256) !== undefined);
  const [first] = whole;
  if (first !== undefined) await outside.put(first.account_id, whole);
  const moved = await goodOutside(ctx, outside, whole);
  if (moved.length > 0) await nameOutside(ctx, moved);
  await remove(ctx, 'blobs', moved);
  return stepOf(copies, moved, next);
}

/**
 * Brings the next blobs back into the database. Those that are damaged or missing outside stay
 * named there, unless `takeDamaged` asks for them as they are.
 */
export async function bringBlobsBack(
  ctx: WriteContext,
  options: { takeDamaged: boolean },
  after?: BlobCopy,
): Promise<BlobStep> {
  const outside = needOutside(ctx);
  const { session } = ctx;
  const { copies, next } = await nextCopies<BlobCopy>(ctx, after, (isNext) =>
    session.db
      .selectFrom('outside_blobs')
      .select(['sha256', 'copy'])
      .where('account', '=', session.account)
      .where(isNext)
      .orderBy('sha256')
      .orderBy('copy')
      .limit(AT_ONCE)
      .execute(),
  );
  const good = await goodOutside(ctx, outside, copies);
  const step = stepOf(copies, good, next);
  const brought = [...good];
  // Without bytes it is as damaged in the database as it was outside.
  if (options.takeDamaged)
    brought.push(...step.damaged.map((copy) => ({ ...copy, packed: new Uint8Array() })));
  if (brought.length > 0)
    await session.insert(
      'blobs',
      ['sha256', 'copy', 'packed'],
      brought.map(({ sha256, copy, packed }) => [sha256, copy, packed]),
      { target: ['sha256', 'copy'], update: [] },
    );
  await remove(ctx, 'outside_blobs', brought);
  return step;
}
