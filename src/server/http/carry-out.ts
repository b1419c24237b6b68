import { confirmPrincipal } from '../auth/authenticate.ts';
import { mayRelay, effectiveRole } from '../../shared/contract/rights.ts';
import type { Principal } from '../context/principal.ts';
import { ApiError } from '../context/errors.ts';
import type { HandlerDeps, ReadRoute, Result, Route, WriteRoute } from './route.ts';
import type { AdmittedCall, Performed } from '../context/call.ts';
import { readJson, requestDigest } from './body.ts';
import type { HttpAnswer } from '../context/request.ts';
import { JSON_TYPE } from './headers.ts';
import { findReplay, type InProgress, type Repeatable, saveAnswer } from './idempotency.ts';
import { parseWith } from './issues.ts';
import { isFresh } from './preconditions.ts';
import { type AccountScope, EVERY_ACCOUNT } from '../storage/db/session.ts';

export interface CarryingOut {
  deps: HandlerDeps;
  once: InProgress;
}

export function render(result: Result<unknown>): HttpAnswer {
  if ('file' in result) {
    const { type, name, pieces } = result.file;
    return {
      status: result.status,
      headers: {
        'Content-Type': `${type}; charset=utf-8`,
        'Content-Disposition': `attachment; filename="${name}"`,
      },
      body: '',
      pieces,
    };
  }
  const headers: Record<string, string> = { 'Content-Type': JSON_TYPE };
  if (result.etag !== undefined) headers['ETag'] = result.etag;
  if (result.location !== undefined) headers['Location'] = result.location;
  return {
    status: result.status,
    headers,
    body: 'json' in result ? result.json : JSON.stringify(result.value),
  };
}

interface ReadInput {
  body: unknown;
  text: string;
  digest: string | undefined;
}

/**
 * Whether the body names another protocol version. This is checked first, since the body of another
 * version may have another shape.
 */
function speaksAnother(body: unknown, protocol: number): boolean {
  return (
    typeof body === 'object' &&
    body !== null &&
    'protocol' in body &&
    Number.isInteger(body.protocol) &&
    body.protocol !== protocol
  );
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
  if (endpoint.protocol !== undefined && speaksAnother(value, endpoint.protocol))
    throw new ApiError('unsupported_protocol');
  return {
    body: parseWith(endpoint.body, value, 'validation_failed'),
    text,
    digest: key === undefined ? undefined : requestDigest(path, bytes),
  };
}

function accountOf(
  { acrossAccounts }: ReadRoute | WriteRoute,
  { actor }: Principal,
): AccountScope | undefined {
  return acrossAccounts === 'every' ? EVERY_ACCOUNT : acrossAccounts ? undefined : actor.account_id;
}

async function carryOutRead(
  route: ReadRoute,
  asked: AdmittedCall,
  { deps }: CarryingOut,
): Promise<Performed> {
  const { params, query, principal, now, witness } = asked;
  const { body } = await readInput(route, asked);
  const holds = (etag: string): boolean => isFresh(asked.held, etag);
  const result = await deps.store.read(
    (reader) =>
      route.handle({
        params,
        query,
        actor: principal.actor,
        session: principal.session,
        role: principal.role,
        effectiveRole: effectiveRole(principal),
        relays: mayRelay(principal),
        deps,
        now,
        witness,
        reader,
        body,
        isFresh: holds,
      }),
    accountOf(route, principal),
    principal,
  );
  const answer = render(result);
  const fresh = result.etag !== undefined && holds(result.etag);
  return { answer: fresh ? { ...answer, status: 304 } : answer, counted: result.counted ?? {} };
}

async function carryOutWrite(
  route: WriteRoute,
  asked: AdmittedCall,
  { deps, once }: CarryingOut,
): Promise<Performed> {
  const { params, query, principal, origin, now, witness, key, precondition } = asked;
  const { actor } = principal;
  const { body, text, digest } = await readInput(route, asked);
  const repeatable: Repeatable | undefined =
    key === undefined || digest === undefined ? undefined : { key, digest };

  return once(actor, repeatable, () =>
    deps.store.transact(
      async (writer) => {
        writer.audit.by(origin);
        writer.serve(principal);
        const replay = repeatable && (await findReplay(writer, actor, repeatable));
        if (replay !== undefined) return { answer: replay, counted: {} };
        const confirm = (): Promise<void> => confirmPrincipal(principal, route.endpoint, writer);
        if (route.changesMembers) await writer.teamWrites.lock(actor.account_id);
        if (route.endsCredential) await confirm();
        const result = await route.handle({
          params,
          query,
          actor,
          role: principal.role,
          session: principal.session,
          deps,
          now,
          witness,
          writer,
          body,
          text,
          precondition,
        });
        if (!route.endsCredential) writer.beforeCommit(confirm);
        const answer = render(result);
        if (repeatable !== undefined)
          await saveAnswer(writer, actor, repeatable, answer, result.unrepeatable ?? false);
        return { answer, counted: result.counted ?? {} };
      },
      accountOf(route, principal),
    ),
  );
}

/**
 * Carries out an admitted call in one transaction: the heavy part of a request, from the bytes of
 * its body to the text of its answer.
 */
export function carryOut(
  route: ReadRoute | WriteRoute,
  asked: AdmittedCall,
  work: CarryingOut,
): Promise<Performed> {
  return route.kind === 'read'
    ? carryOutRead(route, asked, work)
    : carryOutWrite(route, asked, work);
}
