import type { AccountId, RunUid } from '../../../shared/contract/ids.ts';
import type { RunCheck } from '../../../shared/contract/sync-runs.ts';
import { MAX_DETAILS } from '../../../shared/contract/errors.ts';
import {
  blobsOf,
  ManifestError,
  RunManifest,
  type RunTicket,
} from '../../../shared/domain/run-manifest.ts';
import { type JoinedRun, joining } from '../../../shared/domain/run-join.ts';
import { recordedUrl } from '../../../shared/domain/run-record.ts';
import { countRecorded, type RunRecorders } from '../../../shared/domain/run-recorders.ts';
import { verifying } from '../../../shared/domain/run.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { keepUploads, readBlobs } from './blobs.ts';
import { type Actor, senderOf } from '../db/actor.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { inSteps } from '../db/event-loop.ts';
import { permit } from '../db/permit.ts';
import {
  checkContent,
  damaged,
  readManifest,
  type StoredEntry,
  storeManifest,
  ticketOf,
  toRecord,
} from './run-content.ts';
import { isWhole, lackingContents, noteWhole } from './run-check.ts';
import { checkRecorders, storeRecorders } from './run-recorders.ts';
import { entryOf, insertRun } from './runs.ts';
import { StoreError } from '../db/errors.ts';

/** Most tickets that are reported for one content. */
const TICKETS = 200;

function malformed(code: string, message: string): StoreError {
  return new StoreError('validation_failed', 'The run cannot be read; nothing was stored.', [
    { path: '/manifest', code, message },
  ]);
}

function parseManifest(text: string): RunManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
    if (canonicalJson(value) !== text)
      throw malformed('not_canonical', 'The manifest is not canonical JSON.');
  } catch (error) {
    throw error instanceof StoreError ? error : malformed('malformed', 'The manifest is not JSON.');
  }
  if (!RunManifest.safeParse(value).success)
    throw malformed('malformed', 'The manifest is not one of a run that this version knows.');
  return value as RunManifest;
}

/** Puts a content together, of which every blob that the manifest names must be stored. */
async function joinStored(
  ctx: ReadContext,
  account: AccountId,
  manifest: RunManifest,
): Promise<JoinedRun> {
  const names = blobsOf(manifest);
  const blobs = await readBlobs(ctx, account, names);
  const missing = names.filter((name) => !blobs.has(name));
  if (missing.length > 0) {
    const details = missing
      .slice(0, MAX_DETAILS)
      .map((name) => ({ path: '/manifest', code: 'missing_blob', message: name }));
    throw new StoreError(
      'missing_blobs',
      `${missing.length} of the blobs that the manifest names are not here.`,
      details,
    );
  }
  try {
    return await inSteps(joining(manifest, blobs));
  } catch (error) {
    throw error instanceof ManifestError ? malformed('malformed', error.message) : error;
  }
}

/** Checks a new content: the whole must have the content hash. Its result is computed again. */
async function receiveContent(
  ctx: WriteContext,
  account: AccountId,
  manifest: RunManifest,
  text: string,
  ticket: RunTicket,
  recorders?: RunRecorders,
): Promise<{ entry: StoredEntry; reproduced: boolean }> {
  const content = await joinStored(ctx, account, manifest);
  const record = toRecord(ticket, content, manifest.content_hash);
  const { valid_document, problems, content_hash, recomputed } = await inSteps(
    verifying(record, ctx.ports.hasher),
  );
  if (!valid_document)
    throw malformed('malformed', problems[0]?.message ?? 'The content is not that of a run.');
  if (content_hash.computed !== content_hash.stated)
    throw new StoreError(
      'hash_mismatch',
      'The content does not hash to its content hash; nothing was stored.',
    );
  if (!content_hash.ok)
    throw malformed('contradiction', problems[0]?.message ?? 'The content contradicts itself.');
  if (recorders !== undefined) checkRecorders(ctx, recorders, countRecorded(content.raw));
  await storeManifest(ctx, account, manifest, text, recomputed.ok);
  await keepUploads(ctx, account, blobsOf(manifest));
  return { entry: entryOf(record), reproduced: recomputed.ok };
}

/** Adds a run to a content that is stored already. */
async function anotherEntry(
  ctx: ReadContext,
  account: AccountId,
  manifest: RunManifest,
  ticket: RunTicket,
  recorders?: RunRecorders,
): Promise<StoredEntry> {
  const hash = manifest.content_hash;
  if (recorders !== undefined)
    checkRecorders(ctx, recorders, countRecorded((await joinStored(ctx, account, manifest)).raw));
  const { entry } = await ctx.session.db
    .selectFrom('runs')
    .select('entry')
    .where('account', '=', ctx.session.numberOf(account))
    .where('content_hash', '=', hash)
    .orderBy('run_pk')
    .limit(1)
    .executeTakeFirstOrThrow();
  const { sent_by: _, received_at: __, ...known } = JSON.parse(entry) as StoredEntry;
  return { ...known, ...ticketOf(ticket), url: recordedUrl(ticket.run_uid) };
}

/** The stored manifest of a content: what is not whole here is received as if it had never been. */
async function wholeManifest(
  ctx: WriteContext,
  account: AccountId,
  hash: string,
): ReturnType<typeof readManifest> {
  const lacking = (await lackingContents(ctx, account, [hash])).length > 0;
  if (lacking && !(await isWhole(ctx, account, hash))) return undefined;
  return readManifest(ctx, account, hash);
}

/**
 * Stores a run from another server, whose blobs have arrived before. A run whose result is not
 * reproduced is stored and marked. Nothing that is stored is ever replaced. Who recorded the
 * outcomes is taken with the run, or never. `by`: whoever sent it. Throws missing_blobs,
 * hash_mismatch, author_not_allowed, or validation_failed where the content is not that of a run.
 */
export async function receiveRun(
  ctx: WriteContext,
  account: AccountId,
  hash: string,
  text: string,
  ticket: RunTicket,
  by?: Actor,
  recorders?: RunRecorders,
): Promise<{ created: boolean; reproduced: boolean }> {
  const manifest = parseManifest(text);
  if (manifest.content_hash !== hash)
    throw new StoreError(
      'hash_mismatch',
      'The manifest is of another content; nothing was stored.',
    );
  const { db } = ctx.session;
  const held = await wholeManifest(ctx, account, hash);
  const stored = await db
    .selectFrom('runs')
    .select('run_pk')
    .where('account', '=', ctx.session.numberOf(account))
    .where('run_uid', '=', ticket.run_uid)
    .where('content_hash', '=', hash)
    .executeTakeFirst();
  if (held !== undefined && stored !== undefined) {
    // Blobs that have arrived since may have mended what a check found damaged.
    await noteWhole(ctx, account, hash, true);
    return { created: false, reproduced: held.reproduced };
  }
  const { entry, reproduced } =
    held === undefined
      ? await receiveContent(ctx, account, manifest, text, ticket, recorders)
      : {
          entry: await anotherEntry(ctx, account, manifest, ticket, recorders),
          reproduced: held.reproduced,
        };
  if (stored === undefined)
    permit(ctx, { do: 'bring run', by: ticket.created_by }, [
      {
        path: '/run/created_by',
        code: 'other_author',
        message: 'The run names another author than these credentials are of.',
      },
    ]);
  const created =
    stored === undefined &&
    (await insertRun(ctx, account, {
      ...entry,
      ...(by && { sent_by: senderOf(by), received_at: ctx.at }),
    }));
  if (created && recorders !== undefined)
    await storeRecorders(ctx, account, { run_uid: ticket.run_uid, content_hash: hash }, recorders);
  await noteWhole(ctx, account, hash, true);
  await db
    .deleteFrom('awaited_runs')
    .where('account', '=', ctx.session.numberOf(account))
    .where('run_uid', '=', ticket.run_uid)
    .where('content_hash', '=', hash)
    .execute();
  return { created, reproduced };
}

async function ticketsOf(
  ctx: ReadContext,
  account: AccountId,
  hash: string,
  runUid: RunUid | undefined,
): Promise<RunTicket[]> {
  let query = ctx.session.db
    .selectFrom('runs')
    .select('entry')
    .where('account', '=', ctx.session.numberOf(account))
    .where('content_hash', '=', hash)
    .orderBy('run_pk')
    .limit(TICKETS);
  if (runUid !== undefined) query = query.where('run_uid', '=', runUid);
  return (await query.execute()).map((row) => ticketOf(JSON.parse(row.entry) as StoredEntry));
}

/**
 * The manifest (canonical JSON; null where it is damaged) and the runs of a content, with both
 * facts of its verification if `verify` asks for them. Undefined where there is no such run.
 */
export async function describeRun(
  ctx: ReadContext,
  account: AccountId,
  hash: string,
  options: { run_uid: RunUid | undefined; verify: boolean },
): Promise<
  { manifest: string | null; runs: RunTicket[]; verification: RunCheck | null } | undefined
> {
  const runs = await ticketsOf(ctx, account, hash, options.run_uid);
  const [ticket] = runs;
  if (ticket === undefined) return undefined;
  const verification = options.verify
    ? ((await checkContent(ctx, account, hash, ticket)) ?? null)
    : null;
  // A damaged manifest is reported only if the caller asked to verify.
  const held = await readManifest(ctx, account, hash).catch((error: unknown) => {
    if (verification !== null) return undefined;
    throw error;
  });
  if (held === undefined && verification === null) throw damaged();
  return { manifest: held?.text ?? null, runs, verification };
}

/**
 * The contents of the runs with this run_uid, each with its ticket. Usually one; two servers may
 * have given the same run_uid to different contents.
 */
export async function contentsOf(
  ctx: ReadContext,
  account: AccountId,
  runUid: RunUid,
): Promise<{ content_hash: string; run: RunTicket }[]> {
  const rows = await ctx.session.db
    .selectFrom('runs')
    .select(['content_hash', 'entry'])
    .where('account', '=', ctx.session.numberOf(account))
    .where('run_uid', '=', runUid)
    .orderBy('run_pk')
    .execute();
  return rows.map((row) => ({
    content_hash: row.content_hash,
    run: ticketOf(JSON.parse(row.entry) as StoredEntry),
  }));
}
