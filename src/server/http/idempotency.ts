import type { Actor } from '../storage/db/actor.ts';
import { StoreError } from '../storage/db/errors.ts';
import type { IdempotentAnswer } from '../storage/db/idempotency.ts';
import type { Writer } from '../storage/repositories.ts';
import { ApiError } from '../context/errors.ts';
import type { HttpAnswer } from '../context/request.ts';

/**
 * A POST with an Idempotency-Key: the key, and the digest of the request, which holds its path too.
 */
export interface Repeatable {
  key: string;
  digest: string;
}

/**
 * Requests that this process is working on, so that a copy is answered at once instead of waiting
 * behind its original.
 */
export function createInProgress() {
  const running = new Set<string>();
  return async function once<T>(
    actor: Actor,
    request: Repeatable | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    if (request === undefined) return work();
    const name = JSON.stringify([actor.account_id, request.key]);
    if (running.has(name)) throw new ApiError('idempotency_in_progress');
    running.add(name);
    try {
      return await work();
    } finally {
      running.delete(name);
    }
  };
}
export type InProgress = ReturnType<typeof createInProgress>;

/** The stored answer of the first request with this key; undefined where this is the first. */
export async function findReplay(
  writer: Writer,
  actor: Actor,
  request: Repeatable,
): Promise<HttpAnswer | undefined> {
  const stored = await writer.idempotency.find(actor.account_id, request.key);
  if (stored === undefined) return undefined;
  if (stored.body_digest !== request.digest)
    throw new StoreError(
      'idempotency_mismatch',
      'This Idempotency-Key was used with another request.',
    );
  if (stored.status >= 400)
    throw new StoreError(
      'conflict',
      'This was done before, and its answer was shown once: it holds a secret that is not kept.',
    );
  return {
    status: stored.status,
    headers: { ...stored.headers, 'Idempotent-Replayed': 'true' },
    body: stored.body,
  };
}

/**
 * Stores the answer in the transaction of its effect. Of an answer with a secret only the fact that
 * it was given is stored.
 */
export async function saveAnswer(
  writer: Writer,
  actor: Actor,
  request: Repeatable,
  answer: HttpAnswer,
  unrepeatable: boolean,
): Promise<void> {
  const kept: IdempotentAnswer = unrepeatable
    ? { body_digest: request.digest, status: 409, headers: {}, body: '' }
    : {
        body_digest: request.digest,
        status: answer.status,
        headers: answer.headers,
        body: String(answer.body),
      };
  await writer.idempotency.save(actor.account_id, request.key, kept);
}
