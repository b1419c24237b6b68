import type { AccountId } from '../../../shared/contract/ids.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';
import { deflateText } from '../db/packed.ts';
import { StoreError } from '../db/errors.ts';
import { blobText } from './blob-text.ts';
import { addOutside, readOutside } from './outside-copies.ts';

const NAMES_AT_ONCE = 100;

/** How long an unfinished upload is kept, ms. */
const UPLOAD_MS = 7 * 24 * 3_600_000;

/** Which of these names the account does not hold. */
export async function missingBlobs(
  ctx: ReadContext,
  account: AccountId,
  names: readonly string[],
): Promise<string[]> {
  const { db, list } = ctx.session;
  const wanted = [...new Set(names)];
  const held = new Set<string>();
  for (const table of ['blobs', 'uploads', 'outside_blobs'] as const) {
    for (const row of await db
      .selectFrom(table)
      .select('sha256')
      .where('account', '=', ctx.session.numberOf(account))
      .where('sha256', 'in', list(wanted))
      .execute())
      held.add(row.sha256);
  }
  // Where something is known to be damaged, a blob counts only if it is what its name says.
  const damaged = await db
    .selectFrom('damaged_contents')
    .select('content_hash')
    .where('account', '=', ctx.session.numberOf(account))
    .limit(1)
    .executeTakeFirst();
  const good = damaged === undefined ? held : await readBlobs(ctx, account, [...held]);
  return wanted.filter((name) => !good.has(name));
}

/**
 * The texts of these names. Blobs that are missing or damaged are left out. Throws unavailable
 * where one may be outside, and the store there does not answer.
 */
export async function readBlobs(
  ctx: ReadContext,
  account: AccountId,
  names: readonly string[],
  tables: readonly ('blobs' | 'uploads')[] = ['blobs', 'uploads'],
): Promise<Map<string, string>> {
  const { db, list } = ctx.session;
  const found = new Map<string, string>();
  for (let start = 0; start < names.length; start += NAMES_AT_ONCE) {
    if (start > 0) await yieldToEventLoop();
    for (const table of tables) {
      const wanted = names.slice(start, start + NAMES_AT_ONCE).filter((name) => !found.has(name));
      if (wanted.length === 0) continue;
      const rows = await db
        .selectFrom(table)
        .select(['sha256', 'packed'])
        .where('account', '=', ctx.session.numberOf(account))
        .where('sha256', 'in', list(wanted))
        .execute();
      for (const { sha256, packed } of rows) {
        const text = blobText(ctx, packed, sha256);
        if (text !== undefined) found.set(sha256, text);
      }
    }
    if (!tables.includes('blobs')) continue;
    const rest = names.slice(start, start + NAMES_AT_ONCE).filter((name) => !found.has(name));
    for (const [name, text] of await readOutside(ctx, account, rest)) found.set(name, text);
  }
  return found;
}

/** Blobs read in one query; this many of the usual size fill an answer. */
const READ_AT_ONCE = 25;

/**
 * The first of these blobs that are stored undamaged: up to `bytes` together, but at least one.
 */
export async function firstBlobs(
  ctx: ReadContext,
  account: AccountId,
  names: readonly string[],
  bytes: number,
): Promise<[name: string, text: string][]> {
  const found: [string, string][] = [];
  let left = bytes;
  for (let start = 0; start < names.length; start += READ_AT_ONCE) {
    for (const [name, text] of await readBlobs(
      ctx,
      account,
      names.slice(start, start + READ_AT_ONCE),
    )) {
      left -= Buffer.byteLength(text);
      if (left < 0 && found.length > 0) return found;
      found.push([name, text]);
    }
  }
  return found;
}

/**
 * One text; undefined where the account does not hold it. Throws integrity_error where every copy
 * is damaged.
 */
export async function readBlob(
  ctx: ReadContext,
  account: AccountId,
  name: string,
): Promise<string | undefined> {
  const text = (await readBlobs(ctx, account, [name])).get(name);
  if (text === undefined && (await missingBlobs(ctx, account, [name])).length === 0)
    throw new StoreError('integrity_error', 'The stored content no longer matches its hash.');
  return text;
}

function checkNames(ctx: ReadContext, texts: ReadonlyMap<string, string>): void {
  for (const [name, text] of texts)
    if (ctx.ports.hasher.sha256Hex(text) !== name)
      throw new StoreError(
        'hash_mismatch',
        'A blob does not hash to its name; nothing was stored.',
      );
}

/** How many copies of each blob are stored, inside and outside, damaged ones included. */
async function copiesOf(
  ctx: ReadContext,
  account: AccountId,
  names: readonly string[],
): Promise<Map<string, number>> {
  const { db, list } = ctx.session;
  const copies = new Map<string, number>();
  for (const table of ['blobs', 'outside_blobs'] as const) {
    const rows = await db
      .selectFrom(table)
      .select((eb) => ['sha256', eb.fn.countAll<number>().as('n')])
      .where('account', '=', ctx.session.numberOf(account))
      .where('sha256', 'in', list(names))
      .groupBy('sha256')
      .execute();
    for (const { sha256, n } of rows) copies.set(sha256, (copies.get(sha256) ?? 0) + Number(n));
  }
  return copies;
}

/**
 * Adds a copy beside those that are stored: a damaged copy is never overwritten. Where blobs are
 * kept outside, it is durably there when this resolves.
 */
async function addCopies(
  ctx: WriteContext,
  account: AccountId,
  packed: ReadonlyMap<string, Uint8Array>,
  copies: ReadonlyMap<string, number>,
): Promise<void> {
  const added = [...packed].map(([sha256, bytes]) => ({
    sha256,
    copy: copies.get(sha256) ?? 0,
    packed: bytes,
  }));
  if (ctx.ports.outside !== undefined) return addOutside(ctx, account, added);
  await ctx.session.insert(
    'blobs',
    ['sha256', 'copy', 'packed'],
    added.map(({ sha256, copy, packed: bytes }) => [sha256, copy, bytes]),
    { target: ['sha256', 'copy'], update: [] },
  );
}

async function packAll(
  names: readonly string[],
  texts: ReadonlyMap<string, string>,
): Promise<Map<string, Uint8Array>> {
  const packed = new Map<string, Uint8Array>();
  for (const name of names) packed.set(name, await deflateText(texts.get(name) as string));
  return packed;
}

/** Stores the texts of a run that is frozen here. */
export async function putBlobs(
  ctx: WriteContext,
  account: AccountId,
  texts: ReadonlyMap<string, string>,
): Promise<void> {
  const names = [...texts.keys()];
  const good = await readBlobs(ctx, account, names, ['blobs']);
  const wanted = names.filter((name) => !good.has(name));
  if (wanted.length > 0)
    await addCopies(
      ctx,
      account,
      await packAll(wanted, texts),
      await copiesOf(ctx, account, wanted),
    );
}

/**
 * Stores texts under their hashes for a run whose manifest comes last; returns how many were new.
 * Throws hash_mismatch.
 */
export async function uploadBlobs(
  ctx: WriteContext,
  account: AccountId,
  blobs: readonly (readonly [name: string, text: string])[],
): Promise<number> {
  const texts = new Map(blobs);
  checkNames(ctx, texts);
  const names = [...texts.keys()];
  const good = await readBlobs(ctx, account, names);
  const wanted = names.filter((name) => !good.has(name));
  if (wanted.length === 0) return 0;
  const copies = await copiesOf(ctx, account, wanted);
  const packed = await packAll(wanted, texts);
  // A blob that is stored but damaged belongs to a run already: a good copy is added at once.
  await addCopies(ctx, account, new Map([...packed].filter(([name]) => copies.has(name))), copies);
  await ctx.session.insert(
    'uploads',
    ['sha256', 'packed', 'put_at'],
    [...packed].filter(([name]) => !copies.has(name)).map(([name, bytes]) => [name, bytes, ctx.at]),
    { target: ['sha256'], update: ['packed', 'put_at'] },
  );
  return wanted.length;
}

/** The manifest has arrived: the blobs uploaded for it become blobs of the account. */
export async function keepUploads(
  ctx: WriteContext,
  account: AccountId,
  names: readonly string[],
): Promise<void> {
  const { db, list } = ctx.session;
  for (let start = 0; start < names.length; start += NAMES_AT_ONCE) {
    const part = list(names.slice(start, start + NAMES_AT_ONCE));
    const rows = await db
      .selectFrom('uploads')
      .select(['sha256', 'packed'])
      .where('account', '=', ctx.session.numberOf(account))
      .where('sha256', 'in', part)
      .execute();
    if (rows.length === 0) continue;
    await addCopies(
      ctx,
      account,
      new Map(rows.map((row) => [row.sha256, row.packed])),
      await copiesOf(
        ctx,
        account,
        rows.map((row) => row.sha256),
      ),
    );
    await db
      .deleteFrom('uploads')
      .where('account', '=', ctx.session.numberOf(account))
      .where('sha256', 'in', part)
      .execute();
    await yieldToEventLoop();
  }
}

/**
 * Deletes uploads of the account at hand that were never finished; among them those that were put
 * while a clock ran ahead.
 */
export async function expireUploads(ctx: WriteContext): Promise<void> {
  await ctx.session.db
    .deleteFrom('uploads')
    .where('account', '=', ctx.session.account)
    .where((eb) =>
      eb.or([
        eb('put_at', '<', new Date(ctx.now - UPLOAD_MS).toISOString()),
        eb('put_at', '>', new Date(ctx.now + UPLOAD_MS).toISOString()),
      ]),
    )
    .execute();
}
