import { type RawBuilder, sql } from 'kysely';
import type { OutsideBlobs } from '../blobs/outside-blobs.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { blobText } from './blob-text.ts';
import { type BlobCopy, nameOutside, needOutside } from './outside-copies.ts';

/** Blobs of one transaction: their bytes are in memory, and whoever waits for it waits for them. */
const AT_ONCE = 16;
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
  const one = await db.selectFrom('outside_blobs').select('copy').limit(1).executeTakeFirst();
  const noted = await db
    .selectFrom('meta')
    .select('value')
    .where('key', '=', PLACE_KEY)
    .executeTakeFirst();
  return {
    configured: ctx.ports.outside?.place,
    problem: ctx.ports.outside?.problem,
    known: noted?.value,
    isUsed: one !== undefined,
  };
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
  const count = async (table: 'blobs' | 'outside_blobs'): Promise<number> => {
    const { n } = await ctx.session.db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    return Number(n);
  };
  return { database: await count('blobs'), outside: await count('outside_blobs') };
}

/** What comes after a copy in the order of the tables' keys; everything where there is none. */
function isAfter(copy: BlobCopy | undefined): RawBuilder<boolean> {
  return copy === undefined
    ? sql<boolean>`1 = 1`
    : sql<boolean>`(account_id, sha256, copy) > (${copy.account_id}, ${copy.sha256}, ${copy.copy})`;
}

/** By account, since one call to the store outside is for one. */
function byAccount<T extends BlobCopy>(copies: readonly T[]): T[][] {
  return [...Map.groupBy(copies, ({ account_id }) => account_id).values()];
}

/** Those of these copies that are outside as their names say. */
async function goodOutside(
  ctx: ReadContext,
  outside: OutsideBlobs,
  copies: readonly BlobCopy[],
): Promise<Held[]> {
  const good: Held[] = [];
  for (const part of byAccount(copies)) {
    const bytes = await outside.get(part[0]!.account_id, part);
    for (const [at, copy] of part.entries()) {
      const packed = bytes[at];
      if (packed !== undefined && blobText(ctx, packed, copy.sha256) !== undefined)
        good.push({ ...copy, packed });
    }
  }
  return good;
}

const isSame = (one: BlobCopy) => (other: BlobCopy) =>
  one.account_id === other.account_id && one.sha256 === other.sha256 && one.copy === other.copy;

const nameOf = ({ account_id, sha256, copy }: BlobCopy): BlobCopy => ({ account_id, sha256, copy });

function stepOf(copies: readonly BlobCopy[], moved: readonly BlobCopy[]): BlobStep {
  const last = copies.length < AT_ONCE ? undefined : copies.at(-1);
  return {
    moved: moved.length,
    damaged: copies.filter((copy) => !moved.some(isSame(copy))).map(nameOf),
    next: last && nameOf(last),
  };
}

async function remove(
  ctx: WriteContext,
  table: 'blobs' | 'outside_blobs',
  copies: readonly BlobCopy[],
): Promise<void> {
  for (const { account_id, sha256, copy } of copies)
    await ctx.session.change(
      ctx.session.db
        .deleteFrom(table)
        .where('account_id', '=', account_id)
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
  const { db } = ctx.session;
  const lock = await db
    .selectFrom('meta')
    .select('value')
    .where('key', '=', PLACE_KEY)
    .forNoKeyUpdate()
    .skipLocked()
    .execute();
  if (lock.length === 0) return undefined;
  const held: Held[] = await db
    .selectFrom('blobs')
    .select(['account_id', 'sha256', 'copy', 'packed'])
    .where(isAfter(after))
    .orderBy('account_id')
    .orderBy('sha256')
    .orderBy('copy')
    .limit(AT_ONCE)
    .execute();
  const whole = held.filter(({ packed, sha256 }) => blobText(ctx, packed, sha256) !== undefined);
  for (const part of byAccount(whole)) await outside.put(part[0]!.account_id, part);
  const moved = await goodOutside(ctx, outside, whole);
  if (moved.length > 0) await nameOutside(ctx, moved);
  await remove(ctx, 'blobs', moved);
  return stepOf(held, moved);
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
  const copies = await ctx.session.db
    .selectFrom('outside_blobs')
    .select(['account_id', 'sha256', 'copy'])
    .where(isAfter(after))
    .orderBy('account_id')
    .orderBy('sha256')
    .orderBy('copy')
    .limit(AT_ONCE)
    .execute();
  const good = await goodOutside(ctx, outside, copies);
  const step = stepOf(copies, good);
  const brought = [...good];
  // Without bytes it is as damaged in the database as it was outside.
  if (options.takeDamaged)
    brought.push(...step.damaged.map((copy) => ({ ...copy, packed: new Uint8Array() })));
  if (brought.length > 0)
    await ctx.session.insert(
      'blobs',
      ['account_id', 'sha256', 'copy', 'packed'],
      brought.map(({ account_id, sha256, copy, packed }) => [account_id, sha256, copy, packed]),
      { target: ['account_id', 'sha256', 'copy'], update: [] },
    );
  await remove(ctx, 'outside_blobs', brought);
  return step;
}
