import type { Failure } from '../../shared/contract/call.ts';
import { getBlob, getRunManifest, MAX_BLOB_NAMES, missingBlobs, putBlob, putRun } from '../../shared/contract/sync-runs.ts';
import { blobsOf, RunManifest, type RunTicket } from '../../shared/domain/run-chunks.ts';
import { type Store, StoreError } from '../storage/port.ts';
import type { HostedClient } from './client.ts';

/**
 * What came of moving a run. `absent`: the side that should have it has not. `declined`: it cannot be moved as it is, now or later.
 * Whatever was moved stays, so that the next try goes on from there.
 */
export type RunTransfer = { kind: 'done' } | { kind: 'absent' } | { kind: 'declined'; code: string; message: string } | Failure;

/** Blobs under way at once, and rounds in which what is missing is asked for again. */
const AT_ONCE = 4;
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
  for (const asked of parts(names, MAX_BLOB_NAMES)) {
    const answer = await client.call(missingBlobs, { body: { names: asked }, ...options });
    if (answer.kind !== 'ok') return ended(answer);
    for (const some of parts(answer.body.missing, AT_ONCE)) {
      const results = await Promise.all(some.map((sha256) => sendBlob(client, store, sha256, options)));
      const failed = results.find((result) => result !== undefined);
      if (failed !== undefined) return failed;
    }
  }
  return undefined;
}

async function sendBlob(client: HostedClient, store: Store, sha256: string, options: { signal?: AbortSignal }): Promise<RunTransfer | undefined> {
  const read = await readHere(() => store.read((reader) => reader.runs.blob(store.local.account_id, sha256)));
  if ('code' in read) return read;
  if (read.value === undefined) return { kind: 'absent' };
  const put = await client.call(putBlob, { params: { sha256 }, body: { blob: read.value }, ...options });
  return put.kind === 'ok' ? undefined : ended(put);
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
  const missing = await store.read((reader) => reader.runs.missingBlobs(account, blobsOf(manifest)));
  for (const names of parts(missing, AT_ONCE)) {
    const failed = await fetchBlobs(client, store, names, options);
    if (failed !== undefined) return failed;
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

async function fetchBlobs(client: HostedClient, store: Store, names: readonly string[], options: { signal?: AbortSignal }): Promise<RunTransfer | undefined> {
  const answers = await Promise.all(names.map((sha256) => client.call(getBlob, { params: { sha256 }, ...options })));
  const texts = new Map<string, string>();
  let failed: RunTransfer | undefined;
  for (const [index, name] of names.entries()) {
    const answer = answers[index] as (typeof answers)[number];
    if (answer.kind !== 'ok') failed ??= answer.kind === 'refused' && answer.status === 404 ? { kind: 'absent' } : ended(answer);
    else texts.set(name, answer.body.blob);
  }
  try {
    await store.transact((writer) => writer.runWrites.putBlobs(store.local.account_id, texts));
  } catch (error) {
    if (error instanceof StoreError && error.code === 'hash_mismatch') return { kind: 'unreadable', status: 200, reason: 'not what its hash names' };
    throw error;
  }
  return failed;
}
