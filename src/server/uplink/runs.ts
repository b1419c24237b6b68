import type { Failure } from '../../shared/contract/call.ts';
import type { ErrorDetail } from '../../shared/contract/errors.ts';
import { SYNC_LIMITS } from '../../shared/contract/sync.ts';
import {
  getBlobs,
  getRunManifest,
  MAX_BLOB_NAMES,
  MAX_BLOBS,
  MAX_CONTENTS,
  missingBlobs,
  missingRuns,
  putBlobs,
  putRun,
} from '../../shared/contract/sync-runs.ts';
import { blobsOf, RunManifest, type RunTicket } from '../../shared/domain/run-manifest.ts';
import type { RunRecorders } from '../../shared/domain/run-recorders.ts';
import type { HostedClient } from './client.ts';
import { StoreError } from '../storage/db/errors.ts';
import type { Store } from '../storage/store.ts';
import type { RunUid } from '../../shared/contract/ids.ts';

/**
 * The outcome of moving a run. `absent`: the side that should have it does not. `declined`: it
 * cannot be moved as it is, now or later. Blobs that were moved stay, so the next attempt continues
 * from there.
 */
export type RunTransfer =
  | { kind: 'done' }
  | { kind: 'absent' }
  | { kind: 'declined'; code: string; message: string }
  | Failure;

/** How often blobs that are reported missing are sent or fetched again. */
const ROUNDS = 3;

/**
 * Refusals that the same request would get again. A server that does not know runs by content
 * answers not_found.
 */
const LASTING = new Set([
  'hash_mismatch',
  'validation_failed',
  'payload_too_large',
  'not_found',
  'method_not_allowed',
]);

function ended(failure: Failure): RunTransfer {
  return failure.kind === 'refused' && LASTING.has(failure.code)
    ? { kind: 'declined', code: failure.code, message: failure.message }
    : failure;
}

/**
 * Sends a run to the hosted server: first the blobs that it does not hold, then the manifest. Sends
 * nothing where all of it is there.
 */
export async function sendRun(
  client: HostedClient,
  store: Store,
  runUid: RunUid,
  signal?: AbortSignal,
): Promise<RunTransfer> {
  const contents = await store.read((reader) =>
    reader.runs.contents(store.local.account_id, runUid),
  );
  for (const { content_hash, run } of contents) {
    const sent = await sendContent(client, store, content_hash, run, signal);
    if (sent.kind !== 'done') return sent;
  }
  return contents.length > 0 ? { kind: 'done' } : { kind: 'absent' };
}

async function sendContent(
  client: HostedClient,
  store: Store,
  hash: string,
  run: RunTicket,
  signal: AbortSignal | undefined,
): Promise<RunTransfer> {
  const options = signal === undefined ? {} : { signal };
  const account = store.local.account_id;
  const stored = await readHere(() =>
    store.read((reader) =>
      reader.runs.describe(account, hash, { run_uid: run.run_uid, verify: false }),
    ),
  );
  if ('code' in stored) return stored;
  const manifest = stored.value?.manifest;
  if (manifest === undefined || manifest === null) return { kind: 'absent' };
  const asked = await missingThere(
    client,
    blobsOf(RunManifest.parse(JSON.parse(manifest))),
    options,
  );
  if ('kind' in asked) return asked;
  let recorders = await recordersHere(store, hash, run);
  for (let names = asked, round = 1; ; round += 1) {
    const failed = await sendBlobs(client, store, names, options);
    if (failed !== undefined) return failed;
    const put = await client.call(putRun, {
      params: { contentHash: hash },
      body: { manifest, run, ...(recorders && { recorders }) },
      ...options,
    });
    if (put.kind === 'ok') return { kind: 'done' };
    if (put.kind === 'refused' && recorders !== undefined && isOfRecorders(put.details)) {
      [recorders, names] = [undefined, []];
      continue;
    }
    if (put.kind !== 'refused' || put.code !== 'missing_blobs' || round === ROUNDS)
      return ended(put);
    names = namedIn(put.details);
  }
}

/** Who recorded a run, as it is sent with it; what is damaged of that keeps no run back. */
async function recordersHere(
  store: Store,
  hash: string,
  run: RunTicket,
): Promise<RunRecorders | undefined> {
  const read = await readHere(() =>
    store.read((reader) => reader.runs.recorders(store.local.account_id, run.run_uid, hash)),
  );
  return 'value' in read ? (read.value?.recorders ?? undefined) : undefined;
}

/**
 * Whether a run is refused for its recorders alone: by a server that does not know them, or does
 * not take them from these credentials. It is then moved without.
 */
const isOfRecorders = (details: readonly ErrorDetail[]): boolean =>
  details.length > 0 && details.every(({ path }) => path.startsWith('/recorders'));

/** The blobs that a refusal names: missing there, or damaged there. */
function namedIn(details: readonly ErrorDetail[]): string[] {
  return details.flatMap(({ code, message }) => (code === 'missing_blob' ? [message] : []));
}

async function missingThere(
  client: HostedClient,
  names: readonly string[],
  options: { signal?: AbortSignal },
): Promise<string[] | RunTransfer> {
  const missing: string[] = [];
  for (let start = 0; start < names.length; start += MAX_BLOB_NAMES) {
    const answer = await client.call(missingBlobs, {
      body: { names: names.slice(start, start + MAX_BLOB_NAMES) },
      ...options,
    });
    if (answer.kind !== 'ok') return ended(answer);
    missing.push(...answer.body.missing);
  }
  return missing;
}

async function sendBlobs(
  client: HostedClient,
  store: Store,
  names: readonly string[],
  options: { signal?: AbortSignal },
): Promise<RunTransfer | undefined> {
  const left = new Set(names);
  while (left.size > 0) {
    const blobs = await store.read((reader) =>
      reader.runs.blobs(store.local.account_id, [...left].slice(0, MAX_BLOBS), SYNC_LIMITS.bytes),
    );
    if (blobs.length === 0)
      return {
        kind: 'declined',
        code: 'integrity_error',
        message: 'The stored run no longer matches its content hash.',
      };
    const put = await client.call(putBlobs, {
      body: { blobs: blobs.map(([sha256, blob]) => ({ sha256, blob })) },
      ...options,
    });
    if (put.kind !== 'ok') return ended(put);
    for (const [name] of blobs) left.delete(name);
  }
  return undefined;
}

/**
 * Reads from the own store. A damaged run cannot be sent, but must not stop the rest of the
 * sync cycle.
 */
async function readHere<T>(
  read: () => Promise<T>,
): Promise<{ value: T } | { kind: 'declined'; code: string; message: string }> {
  try {
    return { value: await read() };
  } catch (error) {
    if (error instanceof StoreError && error.code === 'integrity_error')
      return { kind: 'declined', code: error.code, message: error.message };
    throw error;
  }
}

/**
 * Fetches an announced run: first the missing blobs, in portions that are kept, and the run itself
 * last.
 */
export async function fetchRun(
  client: HostedClient,
  store: Store,
  runUid: RunUid,
  hash: string,
  signal?: AbortSignal,
): Promise<RunTransfer> {
  const options = signal === undefined ? {} : { signal };
  const account = store.local.account_id;
  const here = await store.read(async (reader) => ({
    contents: await reader.runs.contents(account, runUid),
    lacking: await reader.runs.lacking(account, [hash]),
  }));
  if (here.lacking.length === 0 && here.contents.some((content) => content.content_hash === hash))
    return { kind: 'done' };
  const answer = await client.call(getRunManifest, {
    params: { contentHash: hash },
    query: { run_uid: runUid },
    ...options,
  });
  if (answer.kind !== 'ok')
    return answer.kind === 'refused' && answer.status === 404 ? { kind: 'absent' } : ended(answer);
  const {
    manifest: text,
    runs: [run],
  } = answer.body;
  let { recorders } = answer.body;
  const manifest = text === null ? undefined : readManifest(text);
  if (text === null || manifest === undefined || run === undefined)
    return {
      kind: 'declined',
      code: 'validation_failed',
      message: 'The run is not one that this version can read.',
    };
  let names = await store.read((reader) => reader.runs.missingBlobs(account, blobsOf(manifest)));
  for (let round = 1; ; round += 1) {
    const failed = await fetchBlobs(client, store, names, options);
    if (failed !== undefined) return failed;
    try {
      await store.transact((writer) =>
        writer.runWrites.receive(account, hash, text, run, undefined, recorders),
      );
      return { kind: 'done' };
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (recorders !== undefined && isOfRecorders(error.details)) {
        [recorders, names] = [undefined, []];
        continue;
      }
      if (LASTING.has(error.code))
        return { kind: 'declined', code: error.code, message: error.message };
      if (error.code !== 'missing_blobs' || round === ROUNDS) throw error;
      names = namedIn(error.details);
    }
  }
}

/** Which of these contents the hosted server lacks; a failure where it does not say. */
export async function lackingThere(
  client: HostedClient,
  hashes: readonly string[],
  signal: AbortSignal,
): Promise<{ kind: 'ok'; hashes: string[] } | Failure> {
  const lacking: string[] = [];
  for (let start = 0; start < hashes.length; start += MAX_CONTENTS) {
    const answer = await client.call(missingRuns, {
      body: { content_hashes: hashes.slice(start, start + MAX_CONTENTS) },
      signal,
    });
    if (answer.kind !== 'ok') return answer;
    lacking.push(...answer.body.missing);
  }
  return { kind: 'ok', hashes: lacking };
}

function readManifest(text: string): RunManifest | undefined {
  try {
    return RunManifest.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function fetchBlobs(
  client: HostedClient,
  store: Store,
  names: readonly string[],
  options: { signal?: AbortSignal },
): Promise<RunTransfer | undefined> {
  const left = new Set(names);
  while (left.size > 0) {
    const answer = await client.call(getBlobs, {
      query: { names: [...left].slice(0, MAX_BLOBS).join(',') },
      ...options,
    });
    if (answer.kind !== 'ok') return ended(answer);
    const blobs = answer.body.blobs.filter(({ sha256 }) => left.delete(sha256));
    if (blobs.length === 0) return { kind: 'absent' };
    try {
      await store.transact((writer) =>
        writer.runWrites.putBlobs(
          store.local.account_id,
          blobs.map(({ sha256, blob }) => [sha256, blob]),
        ),
      );
    } catch (error) {
      if (error instanceof StoreError && error.code === 'hash_mismatch')
        return { kind: 'unreadable', status: 200, reason: 'not what its hash names' };
      throw error;
    }
  }
  return undefined;
}
