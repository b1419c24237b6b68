import type { Failure } from '../../shared/contract/call.ts';
import { SYNC_LIMITS } from '../../shared/contract/sync.ts';
import { getBlobs, getRunManifest, MAX_BLOB_NAMES, MAX_BLOBS, missingBlobs, putBlobs, putRun } from '../../shared/contract/sync-runs.ts';
import { blobsOf, RunManifest, type RunTicket } from '../../shared/domain/run-chunks.ts';
import { type Store, StoreError } from '../storage/port.ts';
import type { HostedClient } from './client.ts';

/**
 * What came of moving a run. `absent`: the side that should have it has not. `declined`: it cannot be moved as it is, now or later.
 * Whatever was moved stays, so that the next try goes on from there.
 */
export type RunTransfer = { kind: 'done' } | { kind: 'absent' } | { kind: 'declined'; code: string; message: string } | Failure;

/** Rounds in which what is missing is asked for again. */
const ROUNDS = 3;

/** Answers that the same request would get again; not_found comes of a server that knows no runs by content. */
const LASTING = new Set(['hash_mismatch', 'validation_failed', 'payload_too_large', 'not_found', 'method_not_allowed']);

function ended(failure: Failure): RunTransfer {
  return failure.kind === 'refused' && LASTING.has(failure.code) ? { kind: 'declined', code: failure.code, message: failure.message } : failure;
}

function parts<T>(values: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) => values.slice(index * size, (index + 1) * size));
}

/** Sends a run to the hosted server: the blobs that it does not hold, and the manifest last. Done without sending anything where all of it is there. */
export async function sendRun(client: HostedClient, store: Store, runUid: string, signal?: AbortSignal): Promise<RunTransfer> {
  const contents = await store.read((reader) => reader.runs.contents(store.local.account_id, runUid));
  for (const { content_hash, run } of contents) {
    const sent = await sendContent(client, store, content_hash, run, signal);
    if (sent.kind !== 'done') return sent;
  }
  return contents.length > 0 ? { kind: 'done' } : { kind: 'absent' };
}

async function sendContent(client: HostedClient, store: Store, hash: string, run: RunTicket, signal: AbortSignal | undefined): Promise<RunTransfer> {
  const options = signal === undefined ? {} : { signal };
  const account = store.local.account_id;
  const held = await readHere(() => store.read((reader) => reader.runs.describe(account, hash, { run_uid: run.run_uid, verify: false })));
  if ('code' in held) return held;
  const manifest = held.value?.manifest;
  if (manifest === undefined || manifest === null) return { kind: 'absent' };
  const names = blobsOf(RunManifest.parse(JSON.parse(manifest)));
  for (let round = 1; ; round += 1) {
    const failed = await sendBlobs(client, store, names, options);
    if (failed !== undefined) return failed;
    const put = await client.call(putRun, { params: { contentHash: hash }, body: { manifest, run }, ...options });
    if (put.kind === 'ok') return { kind: 'done' };
    if (put.kind !== 'refused' || put.code !== 'missing_blobs' || round === ROUNDS) return ended(put);
  }
}

async function sendBlobs(client: HostedClient, store: Store, names: readonly string[], options: { signal?: AbortSignal }): Promise<RunTransfer | undefined> {
  const missing = new Set<string>();
  for (const asked of parts(names, MAX_BLOB_NAMES)) {
    const answer = await client.call(missingBlobs, { body: { names: asked }, ...options });
    if (answer.kind !== 'ok') return ended(answer);
    for (const name of answer.body.missing) missing.add(name);
  }
  while (missing.size > 0) {
    const blobs = await store.read((reader) => reader.runs.blobs(store.local.account_id, [...missing].slice(0, MAX_BLOBS), SYNC_LIMITS.bytes));
    if (blobs.length === 0) return { kind: 'declined', code: 'integrity_error', message: 'The stored run no longer matches its content hash.' };
    const put = await client.call(putBlobs, { body: { blobs: blobs.map(([sha256, blob]) => ({ sha256, blob })) }, ...options });
    if (put.kind !== 'ok') return ended(put);
    for (const [name] of blobs) missing.delete(name);
  }
  return undefined;
}

/** What is damaged here cannot be sent, and must not stop what else there is to exchange. */
async function readHere<T>(read: () => Promise<T>): Promise<{ value: T } | { kind: 'declined'; code: string; message: string }> {
  try {
    return { value: await read() };
  } catch (error) {
    if (error instanceof StoreError && error.code === 'integrity_error') return { kind: 'declined', code: error.code, message: error.message };
    throw error;
  }
}

/** Brings an announced run here: the blobs that are not held, in portions that stay, and the run last. */
export async function fetchRun(client: HostedClient, store: Store, runUid: string, hash: string, signal?: AbortSignal): Promise<RunTransfer> {
  const options = signal === undefined ? {} : { signal };
  const account = store.local.account_id;
  const here = await store.read((reader) => reader.runs.contents(account, runUid));
  if (here.some((content) => content.content_hash === hash)) return { kind: 'done' };
  const answer = await client.call(getRunManifest, { params: { contentHash: hash }, query: { run_uid: runUid }, ...options });
  if (answer.kind !== 'ok') return answer.kind === 'refused' && answer.status === 404 ? { kind: 'absent' } : ended(answer);
  const { manifest: text, runs: [run] } = answer.body;
  const manifest = text === null ? undefined : readManifest(text);
  if (text === null || manifest === undefined || run === undefined) return { kind: 'declined', code: 'validation_failed', message: 'The run is not one that this version can read.' };
  const missing = new Set(await store.read((reader) => reader.runs.missingBlobs(account, blobsOf(manifest))));
  while (missing.size > 0) {
    const fetched = await fetchBlobs(client, store, [...missing].slice(0, MAX_BLOBS), options);
    if (!('came' in fetched)) return fetched;
    for (const name of fetched.came) missing.delete(name);
  }
  try {
    await store.transact((writer) => writer.runWrites.receive(account, hash, text, run));
    return { kind: 'done' };
  } catch (error) {
    if (error instanceof StoreError && LASTING.has(error.code)) return { kind: 'declined', code: error.code, message: error.message };
    throw error;
  }
}

function readManifest(text: string): RunManifest | undefined {
  try {
    return RunManifest.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** One answer's worth of what is missing; how many came. */
async function fetchBlobs(client: HostedClient, store: Store, names: readonly string[], options: { signal?: AbortSignal }): Promise<RunTransfer | { came: string[] }> {
  const answer = await client.call(getBlobs, { query: { names: names.join(',') }, ...options });
  if (answer.kind !== 'ok') return ended(answer);
  const wanted = new Set(names);
  const blobs = answer.body.blobs.filter(({ sha256 }) => wanted.has(sha256));
  if (blobs.length === 0) return { kind: 'absent' };
  try {
    await store.transact((writer) => writer.runWrites.putBlobs(store.local.account_id, blobs.map(({ sha256, blob }) => [sha256, blob])));
    return { came: blobs.map(({ sha256 }) => sha256) };
  } catch (error) {
    if (error instanceof StoreError && error.code === 'hash_mismatch') return { kind: 'unreadable', status: 200, reason: 'not what its hash names' };
    throw error;
  }
}
