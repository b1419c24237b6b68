import type { BatchBody } from '../../shared/contract/sync-batch.ts';
import { participantIdOf } from '../../shared/contract/participant.ts';
import { confirmPrincipal } from '../auth/authenticate.ts';
import type { HandlerDeps, ReadRoute, Route, StoredRoute, WriteRoute } from './route.ts';
import type { AdmittedCall, Performed } from '../context/call.ts';
import { readJson, requestDigest } from './body.ts';
import { carryOutBatch } from './carry-out-batch.ts';
import { findReplay, type InProgress, type Repeatable, saveAnswer } from './idempotency.ts';
import { isFresh } from './preconditions.ts';
import { ABSENT, StoreError } from '../storage/db/errors.ts';
import {
  accountOf,
  checkBody,
  patienceOf,
  render,
  renderDryRun,
  toRead,
  toWrite,
} from './stored-call.ts';

export interface CarryingOut {
  deps: HandlerDeps;
  once: InProgress;
}

interface ReadInput {
  body: unknown;
  text: string;
  digest: string | undefined;
}

/**
 * Reads the body and keeps only what the operation needs: the raw bytes and text are several times
 * as large and are released before it runs.
 */
export async function readInput(
  { endpoint }: Route,
  { received, path, key }: Pick<AdmittedCall, 'received' | 'path' | 'key'>,
): Promise<ReadInput> {
  if (endpoint.body === undefined || received === undefined)
    return { body: undefined, text: '', digest: undefined };
  const { value, text, bytes } = await readJson(received);
  return {
    body: checkBody(endpoint, value),
    text,
    digest: key === undefined ? undefined : requestDigest(path, bytes),
  };
}

async function carryOutRead(
  route: ReadRoute,
  asked: AdmittedCall,
  { deps }: CarryingOut,
): Promise<Performed> {
  const { principal } = asked;
  const { body } = await readInput(route, asked);
  const holds = (etag: string): boolean => isFresh(asked.held, etag);
  const result = await deps.store.read(
    (reader) => route.handle(toRead(asked, deps, { body, reader })),
    accountOf(route, principal),
    principal,
    patienceOf(asked),
  );
  const answer = render(result);
  const fresh = result.etag !== undefined && holds(result.etag);
  const { counted = {}, watched } = result;
  return {
    answer: fresh ? { ...answer, status: 304 } : answer,
    counted,
    ...(watched && { watched }),
  };
}

/** Where the body names what is not here, the refusal says which of its members does. */
function withPlace(error: unknown, body: unknown): unknown {
  if (!(error instanceof StoreError) || error.code !== 'not_found') return error;
  const { message, details } = error;
  const [member] = Object.entries(ABSENT).find(([, words]) => words === message) ?? [];
  if (member === undefined || details.length > 0 || typeof body !== 'object' || body === null)
    return error;
  if (!Object.hasOwn(body, member)) return error;
  return new StoreError('not_found', message, [{ path: `/${member}`, code: 'unknown', message }]);
}

async function carryOutWrite(
  route: WriteRoute,
  asked: AdmittedCall,
  { deps, once }: CarryingOut,
): Promise<Performed> {
  const { principal, origin, key, dryRun } = asked;
  const { actor } = principal;
  const { body, text, digest } = await readInput(route, asked);
  // A dry run is neither a repetition of what was done nor done itself.
  const repeatable: Repeatable | undefined =
    key === undefined || digest === undefined || dryRun
      ? undefined
      : { key: route.isSealed ? `${key} ${participantIdOf(principal)}` : key, digest };

  return once(actor, repeatable, () =>
    deps.store.transact(
      async (writer) => {
        writer.audit.by(origin);
        writer.serve(principal);
        if (dryRun) writer.beDryRun();
        const replay = repeatable && (await findReplay(writer, actor, repeatable));
        if (replay !== undefined) return { answer: replay, counted: {} };
        const confirm = (): Promise<void> => confirmPrincipal(principal, route.endpoint, writer);
        if (route.changesMembers) await writer.teamWrites.lock(actor.account_id);
        if (route.endsCredential) await confirm();
        const result = await route
          .handle(toWrite(asked, deps, { body, text, writer }))
          .catch((error: unknown) => {
            throw withPlace(error, body);
          });
        if (!route.endsCredential) writer.beforeCommit(confirm);
        if (dryRun)
          return { answer: renderDryRun(result), counted: { resource: result.counted?.resource } };
        const answer = render(result);
        if (repeatable !== undefined)
          await saveAnswer(writer, actor, repeatable, answer, result.unrepeatable ?? false);
        return { answer, counted: result.counted ?? {} };
      },
      accountOf(route, principal),
      patienceOf(asked),
    ),
  );
}

/**
 * Carries out an admitted call in one transaction: the heavy part of a request, from the bytes of
 * its body to the text of its answer.
 */
export async function carryOut(
  route: StoredRoute,
  asked: AdmittedCall,
  work: CarryingOut,
): Promise<Performed> {
  switch (route.kind) {
    case 'read':
      return carryOutRead(route, asked, work);
    case 'write':
      return carryOutWrite(route, asked, work);
    case 'batch': {
      const { body } = await readInput(route, asked);
      return carryOutBatch(route, body as BatchBody, asked, work.deps);
    }
  }
}
