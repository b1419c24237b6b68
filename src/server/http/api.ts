import type { Endpoint } from '../../shared/contract/endpoint.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import type { Caller } from '../auth/caller.ts';
import type { Deps } from '../deps.ts';
import { Refusal, toAnswer } from './errors.ts';
import type { UsageMeter } from '../instance/usage.ts';
import { checkAccess } from './access.ts';
import type { Counted } from './asked.ts';
import { isSyncPath, packAnswer } from './compression.ts';
import { type Answer, type Exchange, send } from './exchange.ts';
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
    exchange: Exchange,
    raw: Match<unknown>['raw'],
    caller: Caller | undefined,
  ): Promise<{ answer: Answer; counted: Counted } | undefined>;
}

export function isApiPath(path: string): boolean {
  return path === API_PREFIX || path.startsWith(`${API_PREFIX}/`);
}

/**
 * Whether the request counts as API usage. What a person reads does not; what they write does,
 * except for the replication that follows every keystroke.
 */
function isCounted(operation: Operation, caller: Caller, method: string): boolean {
  return caller.door === 'key' || (method !== 'GET' && !isSyncPath(operation.path));
}

/**
 * Dispatches requests below /api/v1: credentials, route, method, rate limit and scope in that
 * order, then the operation's own steps.
 */
export function createApi(
  operations: readonly Operation[],
  context: { deps: Deps; authenticator: Authenticator; usage: UsageMeter; limits: RateLimits },
): (exchange: Exchange) => Promise<void> {
  const { deps, authenticator, usage, limits } = context;
  const match = createMatcher(operations);

  async function handle(
    exchange: Exchange,
    found: Match<Operation> | undefined,
    operation: Operation | undefined,
  ): Promise<{ answer: Answer; counted: Counted } | undefined> {
    // Credentials are checked before the route, so that without a key nobody can find out which
    // paths exist.
    const caller = operation?.access === 'open' ? undefined : await authenticator.caller(exchange);
    exchange.caller = caller;
    if (found === undefined) throw new Refusal('not_found');
    if (exchange.method === 'OPTIONS')
      return {
        answer: { status: 204, headers: { Allow: allowed(found.methods) }, body: '' },
        counted: {},
      };
    if (operation === undefined)
      throw new Refusal('method_not_allowed', { headers: { Allow: allowed(found.methods) } });
    if (caller !== undefined) {
      limits.checkCall(exchange, caller);
      usage.checkQuota(exchange, caller);
      checkAccess(exchange, caller, operation);
    }
    return operation.perform(exchange, found.raw, caller);
  }

  return async (exchange) => {
    const found = match(exchange.path);
    const operation = found?.methods.get(exchange.method);
    exchange.label = found?.template ?? `${API_PREFIX}/*`;
    const count = (status: number, counted: Counted): void => {
      const { caller } = exchange;
      if (
        operation === undefined ||
        caller === undefined ||
        !isCounted(operation, caller, exchange.method)
      )
        return;
      const { resource = null, cells_written = 0, runs = 0 } = counted;
      const { account_id, key_id } = caller.actor;
      usage.add({
        account_id,
        at: new Date(exchange.now).toISOString(),
        action: operation.id,
        resource,
        key_id,
        status,
        cells_written,
        runs,
      });
    };
    try {
      const performed = await handle(exchange, found, operation);
      if (performed === undefined) return;
      count(performed.answer.status, performed.counted);
      if (performed.counted.pushed !== undefined) deps.metrics.pushed(performed.counted.pushed);
      send(exchange, await packAnswer(exchange, performed.answer));
    } catch (error) {
      count(toAnswer(error, exchange.id).status, {});
      throw error;
    }
  };
}
