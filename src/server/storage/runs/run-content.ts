import type { AccountId } from '../../../shared/contract/ids.ts';
import type { RunCheck } from '../../../shared/contract/sync-runs.ts';
import type { RunEntry } from '../../../shared/contract/v1/runs.ts';
import {
  blobsOf,
  ManifestError,
  RunManifest,
  type RunTicket,
} from '../../../shared/domain/run-manifest.ts';
import { type JoinedRun, joining } from '../../../shared/domain/run-join.ts';
import { splitRun } from '../../../shared/domain/run-split.ts';
import { recordedUrl } from '../../../shared/domain/run-record.ts';
import type { ContentParts } from '../../../shared/domain/run-freeze.ts';
import { contentHash, type RunRecord, verifying } from '../../../shared/domain/run.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { putBlobs, readBlobs } from './blobs.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { inSteps, yieldToEventLoop } from '../db/event-loop.ts';
import { deflateText, unpack } from '../db/packed.ts';
import { StoreError } from '../db/errors.ts';

export function damaged(): StoreError {
  return new StoreError('integrity_error', 'The stored run no longer matches its content hash.');
}

/** A run's content with the ticket of one of its runs, with members in the order of the record. */
export function toRecord(ticket: RunTicket, content: JoinedRun, hash: string): RunRecord {
  const { settings, method, result, ...frozen } = content;
  const { run_uid, project_id, created_at, created_by, engine } = ticket;
  return {
    run_uid,
    case_uid: frozen.case.case_uid,
    project_id,
    profile_uid: frozen.profile.profileUid,
    profile_version: frozen.profile.version,
    created_at,
    created_by,
    method,
    engine,
    settings,
    frozen,
    result,
    content_hash: hash,
    url: recordedUrl(run_uid),
  };
}

export function ticketOf({
  run_uid,
  project_id,
  created_at,
  created_by,
  engine,
}: RunTicket): RunTicket {
  return { run_uid, project_id, created_at, created_by, engine };
}

/**
 * The manifest as canonical JSON; undefined where the content is not stored. Throws integrity_error
 * where it is damaged.
 */
export async function readManifest(
  ctx: ReadContext,
  account: AccountId,
  hash: string,
): Promise<{ text: string; manifest: RunManifest; reproduced: boolean } | undefined> {
  const { db } = ctx.session;
  const row = await db
    .selectFrom('run_contents')
    .select(['packed', 'reproduced'])
    .where('account', '=', ctx.session.numberOf(account))
    .where('content_hash', '=', hash)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  // One that came again is there because the first was damaged.
  const again = await db
    .selectFrom('manifest_copies')
    .select('packed')
    .where('account', '=', ctx.session.numberOf(account))
    .where('content_hash', '=', hash)
    .orderBy('came_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  try {
    const text = unpack(null, again?.packed ?? row.packed);
    return {
      text,
      manifest: RunManifest.parse(JSON.parse(text)),
      reproduced: row.reproduced === 1,
    };
  } catch {
    throw damaged();
  }
}

/**
 * Reads the content as it was frozen. A wrong number is worse than none, so what is stored must
 * still have its hash.
 */
export async function readContent(
  ctx: ReadContext,
  account: AccountId,
  hash: string,
): Promise<JoinedRun> {
  const held = await readManifest(ctx, account, hash);
  if (held === undefined) throw damaged();
  const blobs = await readBlobs(ctx, account, blobsOf(held.manifest));
  await yieldToEventLoop();
  let content: JoinedRun;
  try {
    content = await inSteps(joining(held.manifest, blobs));
  } catch (error) {
    if (error instanceof ManifestError) throw damaged();
    throw error;
  }
  await yieldToEventLoop();
  if (contentHash(content, ctx.ports.hasher) !== hash) throw damaged();
  return content;
}

/**
 * Cuts a content into blobs, stores those that are new, and returns the content as it will be read.
 */
export async function storeContent(
  ctx: WriteContext,
  account: AccountId,
  content: ContentParts,
  hash: string,
  reproduced: boolean,
): Promise<JoinedRun> {
  const { manifest, blobs } = splitRun(content, hash, ctx.ports.hasher);
  await yieldToEventLoop();
  await putBlobs(ctx, account, blobs);
  await storeManifest(ctx, account, manifest, canonicalJson(manifest), reproduced);
  return inSteps(joining(manifest, blobs));
}

/**
 * Stores a content's manifest, unless there is one already. One that came again for a damaged
 * content is stored beside it.
 */
export async function storeManifest(
  ctx: WriteContext,
  account: AccountId,
  manifest: RunManifest,
  text: string,
  reproduced: boolean,
): Promise<void> {
  const held = await readManifest(ctx, account, manifest.content_hash).catch(() => null);
  if (held !== undefined && held?.text !== text) {
    await ctx.session.db
      .insertInto('manifest_copies')
      .values({
        account: ctx.session.numberOf(account),
        content_hash: manifest.content_hash,
        came_at: ctx.at,
        packed: await deflateText(text),
      })
      .onConflict((oc) => oc.doNothing())
      .execute();
  }
  const row = {
    account: ctx.session.numberOf(account),
    content_hash: manifest.content_hash,
    packed: await deflateText(text),
    reproduced: reproduced ? 1 : 0,
  };
  await ctx.session.db
    .insertInto('run_contents')
    .values(row)
    .onConflict((oc) => oc.columns(['account', 'content_hash']).doNothing())
    .execute();
}

/**
 * Two facts: whether the stored bytes are those that were frozen, and whether the result follows
 * from them on this machine. Undefined where the content is not stored.
 */
export async function checkContent(
  ctx: ReadContext,
  account: AccountId,
  hash: string,
  ticket: RunTicket,
): Promise<RunCheck | undefined> {
  const broken = (names: string[]): RunCheck => ({
    integrity: { ok: false, stated: hash, computed: null, damaged: names },
    reproducibility: null,
  });
  let held: Awaited<ReturnType<typeof readManifest>>;
  try {
    held = await readManifest(ctx, account, hash);
  } catch (error) {
    if (error instanceof StoreError) return broken([]);
    throw error;
  }
  if (held === undefined) return undefined;
  const names = blobsOf(held.manifest);
  const blobs = await readBlobs(ctx, account, names);
  if (blobs.size < names.length) return broken(names.filter((name) => !blobs.has(name)));
  let record: RunRecord;
  try {
    record = toRecord(ticket, await inSteps(joining(held.manifest, blobs)), hash);
  } catch (error) {
    if (error instanceof ManifestError) return broken([]);
    throw error;
  }
  const { content_hash, recomputed } = await inSteps(verifying(record, ctx.ports.hasher));
  return {
    integrity: { ok: content_hash.ok, stated: hash, computed: content_hash.computed, damaged: [] },
    reproducibility: {
      ok: recomputed.ok,
      differences: recomputed.differences.map(({ path, stated, computed }) => ({
        path,
        stated: stated as never,
        computed: computed as never,
      })),
    },
  };
}

/** What a stored list entry says of a run besides its content. */
export type StoredEntry = Omit<RunEntry, 'reproduced'>;
