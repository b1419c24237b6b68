import { z } from 'zod';
import { None } from './common.ts';
import { BULK_BODY_LIMIT, endpoint, type Endpoint } from './endpoint.ts';
import { ancestor, changes, missing, push } from './sync.ts';

/** The operations that a batch may consist of. */
export const BATCHED = { push, changes, missing, ancestor } as const satisfies Record<
  string,
  Endpoint
>;
export type Batched = keyof typeof BATCHED;

/**
 * Most parts of a batch. Once the answer has `bytes` no further part is begun, nor once the server
 * has worked on it for `ms`: what is left is answered with null and asked again. Of an allowance of
 * requests a batch takes one for each `each` parts.
 */
export const BATCH_LIMITS = { parts: 64, bytes: 1_048_576, ms: 1_000, each: 16 } as const;

/** What so many parts count as, where requests are counted. */
export const batchWeight = (parts: number): number =>
  Math.max(1, Math.ceil(parts / BATCH_LIMITS.each));

/**
 * One part: the operation, the log, what its request alone would have as header `Sync-Witness`,
 * query and body. These are checked as those of that request are, so what is wrong with one part is
 * that part's answer.
 */
export const BatchPart = z.strictObject({
  operation: z.enum(['push', 'changes', 'missing', 'ancestor']),
  stream: z.string().max(1_000),
  witness: z.string().max(300).exactOptional(),
  query: z.unknown().exactOptional(),
  body: z.unknown().exactOptional(),
});
export type BatchPart = z.infer<typeof BatchPart>;
const BatchBody = z.strictObject({ parts: z.array(BatchPart).min(1).max(BATCH_LIMITS.parts) });
export type BatchBody = z.infer<typeof BatchBody>;

/**
 * The answers in the order of the parts, each what its request alone would have been answered:
 * status, the seconds of a `Retry-After`, and the body, which is that operation's or the error
 * envelope. Null: not begun, and to be asked again; at least one is not null. Nothing of a part
 * depends on what became of another.
 */
export const batch = endpoint({
  id: 'syncBatch',
  summary: 'Requests about several logs in one, each answered for itself',
  tag: 'Sync',
  method: 'POST',
  path: '/api/v1/sync/batch',
  access: 'read',
  params: None,
  query: None,
  body: BatchBody,
  bodyLimit: BULK_BODY_LIMIT,
  response: z.strictObject({
    parts: z.array(
      z
        .strictObject({
          status: z.int(),
          retry_after: z.int().exactOptional(),
          body: z.unknown(),
        })
        .nullable(),
    ),
  }),
  success: [200],
  errors: ['other_user'],
});
