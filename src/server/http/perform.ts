import { text } from 'node:stream/consumers';
import { principalOrigin } from '../audit/entries.ts';
import { subjectOf } from '../auth/address.ts';
import { confirmPrincipal } from '../auth/authenticate.ts';
import type { Principal } from '../context/principal.ts';
import { ApiError } from '../context/errors.ts';
import { requireProgramHere } from './guards.ts';
import type {
  LocalRoute,
  Route,
  RouteDeps,
  ServiceCall,
  ServiceRoute,
  StoredRoute,
} from './route.ts';
import type { UsageMeter } from '../instance/usage.ts';
import type { AdmittedCall, Performed, RequestBody } from '../context/call.ts';
import { z } from 'zod';
import { DryRun, Seq, Wait } from '../../shared/contract/common.ts';
import { receiveJson } from './body.ts';
import { readInput } from './carry-out.ts';
import { PREFERENCE_APPLIED, render } from './stored-call.ts';
import type { Entrance } from './entrance.ts';
import type { HttpAnswer, RequestContext } from '../context/request.ts';
import { parseWith } from './issues.ts';
import { decodeParams, type Match } from './match.ts';
import {
  parseIdempotencyKey,
  parsePrecondition,
  parseWitness,
  prefersMinimal,
  requireUser,
} from './preconditions.ts';
import { parseQuery } from './query.ts';
import { performWaiting, type Waiting } from './waiting.ts';

export interface Performance {
  deps: RouteDeps;
  usage: UsageMeter;
  waiting: Waiting;
  /** Where large requests wait for their turn; none where there is one account. */
  entrance: Entrance | undefined;
  /** Carries calls out beside the store, on this thread or on its own. */
  carryOut(route: StoredRoute, asked: AdmittedCall): Promise<Performed>;
  /** Compares every answer with its schema. For tests; too slow for a running server. */
  validateAnswers: boolean;
}

function validate({ endpoint }: Route, answer: HttpAnswer, query: object): void {
  if (!(endpoint.success as readonly number[]).includes(answer.status))
    throw new TypeError(
      `${endpoint.id} answers ${answer.status}, which its contract does not list.`,
    );
  const isMinimal = Object.hasOwn(answer.headers, PREFERENCE_APPLIED);
  const schema =
    (isMinimal ? endpoint.minimal : undefined) ??
    ('fields' in query ? endpoint.partial : undefined) ??
    endpoint.response;
  const { error } = schema.safeParse(JSON.parse(String(answer.body)));
  if (error !== undefined)
    throw new TypeError(
      `${endpoint.id} answers against its contract: ${JSON.stringify(error.issues.slice(0, 5))}`,
    );
}

interface CheckedInput {
  params: unknown;
  query: object;
  principal: Principal;
}

async function receive(
  { endpoint }: Route,
  context: RequestContext,
): Promise<RequestBody | undefined> {
  if (endpoint.body === undefined || endpoint.bodyLimit === undefined) return undefined;
  return receiveJson(
    context,
    endpoint.bodyLimit,
    context.principal?.actor.account_id ?? subjectOf(context.address),
  );
}

/** The headers of a write are judged before its body is received. */
function writeHeaders(
  { kind, endpoint }: StoredRoute,
  { req }: RequestContext,
): Pick<AdmittedCall, 'key' | 'precondition' | 'prefersMinimal'> {
  if (kind !== 'write') return { key: undefined, precondition: undefined, prefersMinimal: false };
  const key = endpoint.method === 'POST' ? parseIdempotencyKey(req) : undefined;
  const precondition = parsePrecondition(req);
  if (precondition !== undefined && !endpoint.errors.includes('precondition_failed'))
    throw new ApiError('invalid_request', { message: 'This operation takes no precondition.' });
  return {
    key,
    precondition,
    prefersMinimal: endpoint.minimal !== undefined && prefersMinimal(req),
  };
}

async function performStored(
  route: StoredRoute,
  context: RequestContext,
  input: CheckedInput,
  { usage, entrance, carryOut }: Performance,
): Promise<Performed> {
  const { req, path, now } = context;
  const witness = parseWitness(req);
  const headers = writeHeaders(route, context);
  const received = await receive(route, context);
  if (route.kind === 'read' && route.flushesUsage) await usage.flush();
  const leave = await entrance?.enter(
    input.principal.actor.account_id,
    received?.bytes.length ?? 0,
    () => context.res.closed,
  );
  return carryOut(route, {
    ...input,
    ...headers,
    dryRun: route.endpoint.query === DryRun && DryRun.parse(input.query).dry_run === 'true',
    origin: principalOrigin(input.principal, context),
    path,
    now,
    witness,
    held: req.headers['if-none-match'],
    received,
  }).finally(leave);
}

async function performService(
  route: ServiceRoute,
  context: RequestContext,
  input: CheckedInput,
  { deps }: Performance,
): Promise<Performed> {
  const { params, query, principal } = input;
  const { body } = await readInput(route, {
    received: await receive(route, context),
    path: context.path,
    key: undefined,
  });
  const transact: ServiceCall['transact'] = (work, account) =>
    deps.store.transact(async (writer) => {
      writer.audit.by(principalOrigin(principal, context));
      writer.serve(principal);
      await confirmPrincipal(principal, route.endpoint, writer);
      return work(writer);
    }, account);
  const result = await route.handle({
    params,
    query,
    actor: principal.actor,
    role: principal.role,
    session: principal.session,
    credential: principal,
    origin: principalOrigin(principal, context),
    transact,
    deps,
    now: context.now,
    body,
  });
  return { answer: render(result), counted: result.counted ?? {} };
}

async function performLocal(
  route: LocalRoute,
  context: RequestContext,
  params: unknown,
  { deps }: Performance,
): Promise<Performed> {
  const { body } = await readInput(route, {
    received: await receive(route, context),
    path: context.path,
    key: undefined,
  });
  requireProgramHere(context, deps.home);
  return { answer: render(route.handle({ params, body, deps, now: context.now })), counted: {} };
}

function refuseUnexpectedBody({ req }: RequestContext): void {
  const { 'content-length': length, 'transfer-encoding': coding } = req.headers;
  if (coding !== undefined || (length !== undefined && Number(length) > 0))
    throw new ApiError('invalid_request', { message: 'This operation takes no body.' });
}

/** The answer, once it was compared with its schema where that is wanted. */
async function validated(
  route: Route,
  query: object,
  performed: Performed,
  { validateAnswers }: Performance,
): Promise<Performed> {
  if (!validateAnswers || performed.answer.status >= 300 || route.endpoint.file !== undefined)
    return performed;
  const { pieces, ...answer } = performed.answer;
  if (pieces !== undefined) answer.body = await text(pieces);
  if (!answer.headers['Content-Type']?.startsWith('text/csv')) validate(route, answer, query);
  return { ...performed, answer };
}

/** What operations that wait have in common. */
const CaseParams = z.looseObject({ caseUid: z.string() });
const WaitingQuery = z.object({ wait: Wait, after: Seq.optional() });

function performKind(
  route: Route,
  context: RequestContext,
  { params, query }: Omit<CheckedInput, 'principal'>,
  principal: Principal | undefined,
  performance: Performance,
): Promise<Performed> {
  if (route.kind === 'local') return performLocal(route, context, params, performance);
  if (principal === undefined) throw new ApiError('missing_credentials');
  const input = { params, query, principal };
  return route.kind === 'service'
    ? performService(route, context, input, performance)
    : performStored(route, context, input, performance);
}

/**
 * Performs an authorised call, from its path to its answer. The order of these steps decides which
 * error is reported where a request has several faults.
 */
export async function perform(
  route: Route,
  context: RequestContext,
  raw: Match<unknown>['raw'],
  principal: Principal | undefined,
  performance: Performance,
): Promise<Performed | undefined> {
  const { endpoint } = route;
  if (principal !== undefined) requireUser(context, endpoint.path, principal.actor);
  const params = parseWith(endpoint.params, decodeParams(raw), 'invalid_uid', (path) =>
    path.slice(1),
  );
  const query = parseQuery(context.search, endpoint.query) as object;
  if (endpoint.body === undefined) refuseUnexpectedBody(context);
  const ask = async (asked: object): Promise<Performed> =>
    validated(
      route,
      asked,
      await performKind(route, context, { params, query: asked }, principal, performance),
      performance,
    );
  if (endpoint.waits !== true || principal === undefined) return ask(query);
  return performWaiting(
    {
      context,
      principal,
      caseUid: CaseParams.parse(params).caseUid,
      query: WaitingQuery.parse(query),
      ask: (asked) => ask({ ...query, ...asked }),
    },
    performance.waiting,
  );
}
