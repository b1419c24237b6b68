import type { AccountId } from '../../../shared/contract/ids.ts';
import type { OutsideBlobs } from '../blobs/outside-blobs.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';
import { StoreError } from '../db/errors.ts';
import { blobText } from './blob-text.ts';

/**
 * The store outside. Throws unavailable where blobs are there and this server was not told of it:
 * to its eyes they would be missing.
 */
export function needOutside({ ports }: Pick<ReadContext, 'ports'>): OutsideBlobs {
  if (ports.outside === undefined)
    throw new StoreError(
      'unavailable',
      'Blobs are kept outside of the database, and this server has no EVIDENCE_STUDIO_BLOBS.',
    );
  return ports.outside;
}

/**
 * The texts of these names that are kept outside, from the first copy of each that is undamaged.
 */
export async function readOutside(
  ctx: ReadContext,
  account: AccountId,
  names: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  if (names.length === 0) return found;
  const { db, list } = ctx.session;
  // A later copy is there because those before it were damaged.
  let copies = await db
    .selectFrom('outside_blobs')
    .select(['sha256', 'copy'])
    .where('account', '=', ctx.session.numberOf(account))
    .where('sha256', 'in', list(names))
    .orderBy('copy', 'desc')
    .execute();
  while (copies.length > 0) {
    const tried = new Map(copies.toReversed().map((copy) => [copy.sha256, copy]));
    const bytes = await needOutside(ctx).get(account, [...tried.values()]);
    for (const [at, { sha256 }] of [...tried.values()].entries()) {
      const packed = bytes[at];
      const text = packed && blobText(ctx, packed, sha256);
      if (text !== undefined) found.set(sha256, text);
    }
    copies = copies.filter((copy) => !found.has(copy.sha256) && tried.get(copy.sha256) !== copy);
    await yieldToEventLoop();
  }
  return found;
}

/** Puts copies outside, and names them once all are durably there. A dry run puts nothing. */
export async function addOutside(
  ctx: WriteContext,
  account: AccountId,
  copies: readonly { sha256: string; copy: number; packed: Uint8Array }[],
): Promise<void> {
  if (!ctx.isDryRun) await needOutside(ctx).put(account, copies);
  await nameOutside(ctx, copies);
}

/** Names copies of the account at hand. */
export async function nameOutside(
  ctx: WriteContext,
  copies: readonly Omit<BlobCopy, 'account_id'>[],
): Promise<void> {
  await ctx.session.insert(
    'outside_blobs',
    ['sha256', 'copy'],
    copies.map(({ sha256, copy }) => [sha256, copy]),
    { target: ['sha256', 'copy'], update: [] },
  );
}

/** A copy of a blob, wherever it is stored. */
export interface BlobCopy {
  account_id: AccountId;
  sha256: string;
  copy: number;
}
