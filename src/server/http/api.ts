import type { Endpoint } from '../../shared/contract/endpoint.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import type { Principal } from '../context/principal.ts';
import type { Deps } from '../context/deps.ts';
import { ApiError, toAnswer } from '../context/errors.ts';
import type { UsageMeter } from '../instance/usage.ts';
import { checkAccess } from '../auth/access.ts';
import type { CountedUse, Performed } from '../context/call.ts';
import { batchWeight } from '../../shared/contract/sync-batch.ts';
import { describeError } from '../instance/logger.ts';
import { isSyncPath, packAnswer } from './compression.ts';
import { type RequestContext, send } from '../context/request.ts';
import { allowed, createMatcher, type Match } from './match.ts';
import type { RateLimits } from './rate-limit.ts';

export const API_PREFIX = '/api/v1';

/**
 * One operation as the dispatcher sees it. If `perform` answers undefined, the operation has taken
 * over the response (a stream).
 */
export interface Operation {
  id: string;
  method: string;
  path: string;
  access: Endpoint['access'];
  role?: Endpoint['role'];
  whole?: Endpoint['whole'];
  perform(
    context: RequestContext,
    raw: Match<unknown>['raw'],
    principal: Principal | undefined,
  ): Promise<Performed | undefined>;
}

export function isApiPath(path: string): boolean {
  return path === API_PREFIX || path.startsWith(`${API_PREFIX}/`);
}

/**
 * Whether the request counts as API usage. What a person reads does not; what they write does,
 * except for the replication that follows every keystroke.
 */
function isCounted(operation: Operation, principal: Principal, method: string): boolean {
  return principal.authMethod === 'key' || (method !== 'GET' && !isSyncPath(operation.path));
}

interface ApiParts {
  deps: Deps;
  authenticator: Authenticator;
  usage: UsageMeter;
  limits: RateLimits;
}

type OperationResult = Awaited<ReturnType<Operation['perform']>>;

async function handle(
  { authenticator, usage, limits }: ApiParts,
  context: RequestContext,
  found: Match<Operation> | undefined,
): Promise<OperationResult> {
  const operation = found?.methods.get(context.method);
  // Credentials are checked before the route, so that without a key nobody can find out which
  // paths exist.
  const principal =
    operation?.access === 'open' ? undefined : await authenticator.principal(context);
  context.principal = principal;
  if (found === undefined) throw new ApiError('not_found');
  if (context.method === 'OPTIONS')
    return {
      answer: { status: 204, headers: { Allow: allowed(found.methods) }, body: '' },
      counted: {},
    };
  if (operation === undefined)
    throw new ApiError('method_not_allowed', { headers: { Allow: allowed(found.methods) } });
  if (principal !== undefined) {
    limits.checkCall(context, principal);
    usage.checkQuota(context, principal);
    checkAccess(context, principal, operation);
  }
  return operation.perform(context, found.raw, principal);
}

/** Counts a request, or a part of one, for the usage of its account. `action`: its operation. */
function count(
  usage: UsageMeter,
  { principal, method, now }: RequestContext,
  operation: Operation | undefined,
  status: number,
  counted: CountedUse = {},
  action = operation?.id ?? '',
): void {
  if (operation === undefined || principal === undefined) return;
  if (!isCounted(operation, principal, method)) return;
  const { resource = null, cells_written = 0, runs = 0 } = counted;
  const { account_id, key_id } = principal.actor;
  usage.add({
    account_id,
    at: new Date(now).toISOString(),
    action,
    resource,
    key_id,
    status,
    cells_written,
    runs,
  });
}

/** Counts what was carried out: a batch by its parts, which cost more than one request does. */
function countPerformed(
  { usage, limits, deps }: ApiParts,
  context: RequestContext,
  operation: Operation | undefined,
  { answer, counted, parts }: Performed,
): void {
  if (parts === undefined) count(usage, context, operation, answer.status, counted);
  else if (context.principal !== undefined)
    limits.charge(context, context.principal, batchWeight(parts.length) - 1);
  for (const { action, status, counted: ofPart, fault } of parts ?? []) {
    count(usage, context, operation, status, ofPart, action);
    if (ofPart.pushed !== undefined) deps.metrics.pushed(ofPart.pushed);
    if (fault !== undefined)
      deps.logger.error(
        { request_id: context.id, path: context.label, action, error: describeError(fault) },
        'unforeseen error',
      );
  }
  if (counted.pushed !== undefined) deps.metrics.pushed(counted.pushed);
}

/**
 * Dispatches requests below /api/v1: credentials, route, method, rate limit and scope in that
 * order, then the operation's own steps.
 */
export function createApi(
  operations: readonly Operation[],
  parts: ApiParts,
): (context: RequestContext) => Promise<void> {
  const { usage } = parts;
  const match = createMatcher(operations);
  return async (context) => {
    const found = match(context.path);
    const operation = found?.methods.get(context.method);
    context.label = found?.template ?? `${API_PREFIX}/*`;
    try {
      const performed = await handle(parts, context, found);
      if (performed === undefined) return;
      countPerformed(parts, context, operation, performed);
      send(context, await packAnswer(context, performed.answer));
    } catch (error) {
      count(usage, context, operation, toAnswer(error, context.id).status);
      throw error;
    }
  };
}
