import { z } from 'zod';
import { BlobName, RunTicket } from '../domain/run-manifest.ts';
import { ContentHash } from '../domain/run-record.ts';
import { RunRecorders } from '../domain/run-recorders.ts';
import { RunUid } from '../domain/uid.ts';
import { None, text } from './common.ts';
import { BODY_LIMIT, BULK_BODY_LIMIT, endpoint } from './endpoint.ts';
import { known } from './ids.ts';

/** Most names in one question about missing blobs. */
export const MAX_BLOB_NAMES = 5_000;

/** A blob travels as the canonical JSON text that was hashed, as a change does. */
const BlobText = z.string().max(BULK_BODY_LIMIT);

export const missingBlobs = endpoint({
  id: 'syncMissingBlobs',
  summary: 'Which of these blobs this server does not hold',
  tag: 'Sync',
  method: 'POST',
  path: '/api/v1/sync/blobs/missing',
  access: 'write',
  whole: true,
  params: None,
  query: None,
  body: z.strictObject({ names: z.array(BlobName).min(1).max(MAX_BLOB_NAMES) }),
  bodyLimit: BULK_BODY_LIMIT,
  response: z.strictObject({ missing: z.array(z.string()) }),
  success: [200],
  errors: [],
});

const blobParams = z.strictObject({ sha256: BlobName });
const Blob = z.strictObject({ blob: BlobText });

export const putBlob = endpoint({
  id: 'syncPutBlob',
  summary: 'Store a blob under its hash',
  tag: 'Sync',
  method: 'PUT',
  path: '/api/v1/sync/blobs/{sha256}',
  access: 'write',
  whole: true,
  params: blobParams,
  query: None,
  body: Blob,
  bodyLimit: BULK_BODY_LIMIT,
  response: z.strictObject({ sha256: z.string(), size: z.int() }),
  success: [200, 201],
  errors: ['hash_mismatch'],
});

export const getBlob = endpoint({
  id: 'syncGetBlob',
  summary: 'A stored blob',
  tag: 'Sync',
  method: 'GET',
  path: '/api/v1/sync/blobs/{sha256}',
  access: 'read',
  whole: true,
  params: blobParams,
  query: None,
  response: Blob,
  success: [200],
  errors: ['not_found', 'integrity_error'],
});

/** Texts that a store keeps in columns. */
const SentTicket = RunTicket.extend({
  project_id: text(64).brand<'ProjectId'>(),
  created_by: text(500),
  engine: z.strictObject({ name: text(100), version: text(100) }),
});

/**
 * Most blobs asked for at once: their names are part of the URL, which must fit 8 KiB together with
 * the headers.
 */
export const MAX_BLOBS = 64;

export const putBlobs = endpoint({
  id: 'syncPutBlobs',
  summary: 'Store blobs under their hashes, many in one request',
  tag: 'Sync',
  method: 'POST',
  path: '/api/v1/sync/blobs',
  access: 'write',
  whole: true,
  params: None,
  query: None,
  body: z.strictObject({
    blobs: z
      .array(z.strictObject({ sha256: BlobName, blob: BlobText }))
      .min(1)
      .max(MAX_BLOB_NAMES),
  }),
  bodyLimit: BULK_BODY_LIMIT,
  response: z.strictObject({ added: z.int() }),
  success: [200],
  errors: ['hash_mismatch'],
});

export const getBlobs = endpoint({
  id: 'syncGetBlobs',
  summary:
    'Stored blobs, as many of those asked for as fit one answer, and at least one; what is not held is left out',
  tag: 'Sync',
  method: 'GET',
  path: '/api/v1/sync/blobs',
  access: 'read',
  whole: true,
  params: None,
  query: z.strictObject({
    names: z
      .string()
      .max(65 * MAX_BLOBS)
      .refine(
        (names) => names.split(',').every((name) => BlobName.safeParse(name).success),
        `Must be 1 to ${MAX_BLOBS} hashes with commas between them.`,
      ),
  }),
  response: z.strictObject({
    blobs: z.array(z.strictObject({ sha256: z.string(), blob: BlobText })),
  }),
  success: [200],
  errors: [],
});

/** Most contents in one question about missing ones. */
export const MAX_CONTENTS = 1_000;

export const missingRuns = endpoint({
  id: 'syncMissingRuns',
  summary:
    'Which of these contents of runs are not whole on this server: never arrived, gone, or damaged',
  tag: 'Sync',
  method: 'POST',
  path: '/api/v1/sync/runs/missing',
  access: 'write',
  whole: true,
  params: None,
  query: None,
  body: z.strictObject({ content_hashes: z.array(ContentHash).min(1).max(MAX_CONTENTS) }),
  bodyLimit: BODY_LIMIT,
  response: z.strictObject({ missing: z.array(z.string()) }),
  success: [200],
  errors: [],
});

const runParams = z.strictObject({ contentHash: ContentHash });

/**
 * Commits an upload: everything that the manifest names must have arrived. `recorders` is what the
 * server that froze the run says of who recorded its outcomes; the content hash does not cover it,
 * and it is taken with the run or never.
 */
export const putRun = endpoint({
  id: 'syncPutRun',
  summary: 'Store a frozen run whose blobs are here; it is recomputed, and never overwritten',
  tag: 'Sync',
  method: 'PUT',
  path: '/api/v1/sync/runs/{contentHash}',
  access: 'write',
  whole: true,
  params: runParams,
  query: None,
  body: z.strictObject({ manifest: BlobText, run: SentTicket, recorders: RunRecorders.optional() }),
  bodyLimit: BULK_BODY_LIMIT,
  response: z.strictObject({
    run_uid: known.runUid,
    content_hash: z.string(),
    reproduced: z.boolean(),
  }),
  success: [200, 201],
  errors: ['author_not_allowed', 'missing_blobs', 'hash_mismatch'],
});

/**
 * Two separate facts: whether the bytes are those that were frozen, and whether the result follows
 * from them on this server.
 */
export const RunCheck = z.strictObject({
  integrity: z.strictObject({
    ok: z.boolean(),
    stated: z.string(),
    computed: z.string().nullable(),
    damaged: z.array(z.string()),
  }),
  /** Null where the content is too damaged to compute from. */
  reproducibility: z
    .strictObject({
      ok: z.boolean(),
      differences: z.array(
        z.strictObject({ path: z.string(), stated: z.json(), computed: z.json() }),
      ),
    })
    .nullable(),
});
export type RunCheck = z.infer<typeof RunCheck>;

export const getRunManifest = endpoint({
  id: 'syncGetRun',
  summary: 'The manifest of a frozen run, and on demand both facts of its verification',
  tag: 'Sync',
  method: 'GET',
  path: '/api/v1/sync/runs/{contentHash}',
  access: 'read',
  whole: true,
  params: runParams,
  query: z.strictObject({ run_uid: RunUid.optional(), verify: z.literal('1').optional() }),
  response: z.strictObject({
    manifest: BlobText.nullable(),
    runs: z.array(RunTicket),
    verification: RunCheck.nullable(),
    /** There where one run is asked for, not verified, and who recorded it is known. */
    recorders: RunRecorders.optional(),
  }),
  success: [200],
  errors: ['not_found', 'integrity_error'],
});
