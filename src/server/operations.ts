import type { Deps } from './context/deps.ts';
import type { Operation } from './http/api.ts';
import { carryOut, type CarryingOut } from './http/carry-out.ts';
import { Entrance, isLarge } from './http/entrance.ts';
import { JSON_TYPE } from './http/headers.ts';
import { createInProgress } from './http/idempotency.ts';
import { perform, type Performance } from './http/perform.ts';
import { createOpenApi, OPENAPI_PATH } from './openapi/document.ts';
import type { ServerServices } from './services.ts';
import { ROUTES } from './v1/routes.ts';

function performanceOf(
  { store, thread }: Deps,
  { routeDeps, usage, events }: ServerServices,
  validateAnswers: boolean,
): Performance {
  const work: CarryingOut = { deps: routeDeps, once: createInProgress() };
  const isPostgres = store.engine === 'postgres';
  return {
    deps: routeDeps,
    usage,
    waiting: events.waiting,
    entrance: isPostgres ? new Entrance() : undefined,
    // Short calls to PostgreSQL stay here: what they mostly do is wait, and a large one's parsing
    // would be waited for as well.
    carryOut: (route, asked) =>
      thread === undefined || (isPostgres && !isLarge(asked.received?.bytes.length ?? 0))
        ? carryOut(route, asked, work)
        : thread.carryOut(route.endpoint.id, asked, routeDeps.url),
    validateAnswers,
  };
}

/** Everything that is answered under /api/v1, and the document that describes it. */
export function createOperations(
  deps: Deps,
  services: ServerServices,
  { validateAnswers }: { validateAnswers: boolean },
) {
  const performing = performanceOf(deps, services, validateAnswers);
  const openApi = createOpenApi(deps.version);
  const operations: Operation[] = [
    ...ROUTES.map((route): Operation => ({
      ...route.endpoint,
      perform: (context, raw, principal) => perform(route, context, raw, principal, performing),
    })),
    services.events.operation,
    {
      id: 'openApi',
      method: 'GET',
      path: OPENAPI_PATH,
      access: 'open',
      perform: async () => ({
        answer: { status: 200, headers: { 'Content-Type': JSON_TYPE }, body: openApi.json() },
        counted: {},
      }),
    },
  ];
  return { operations, document: openApi.document };
}
