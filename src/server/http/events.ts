import { SyncEventsQuery } from '../../shared/contract/presence.ts';
import { SYNC_EVENTS_PATH } from '../../shared/contract/sync.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import type { Shards } from '../auth/shard.ts';
import type { Deps } from '../context/deps.ts';
import { ApiError } from '../context/errors.ts';
import type { Operation } from './api.ts';
import { CaseListener, createCaseListeners } from './case-listeners.ts';
import { createEventRounds } from './event-rounds.ts';
import {
  createEventStreams,
  type EventStreams,
  type EventStream,
  type StreamLimits,
} from './event-streams.ts';
import { createPresence, requirePerson } from './presence.ts';
import { parseQuery } from './query.ts';
import type { GrownLog } from '../storage/db/grown-log.ts';
import type { Waiting } from './waiting.ts';
import { type OtherInstances, watchOtherInstances } from './other-instances.ts';

const HEARTBEAT_MS = 25_000;
/**
 * How often the credentials of every stream are looked up, ms: somebody whose access has ended
 * hears nothing more, and their stream ends.
 */
const CHECK_MS = 1_000;
/**
 * So many at a time, so that none of these look-ups holds up others for more than a few
 * milliseconds.
 */
const CHECKED_AT_ONCE = 256;

/** Ends the streams of those whose access has ended; answers how to stop that. */
function checkRegularly(
  { clock }: Pick<Deps, 'clock'>,
  authenticator: Pick<Authenticator, 'stillAuthorized'>,
  streams: EventStreams,
): () => void {
  let isChecking = false;
  async function endUnauthorized(): Promise<void> {
    const checked = streams.all().filter(({ principal }) => principal.authMethod !== 'window');
    if (checked.length === 0 || isChecking) return;
    isChecking = true;
    try {
      for (let at = 0; at < checked.length; at += CHECKED_AT_ONCE) {
        const some = checked.slice(at, at + CHECKED_AT_ONCE);
        const principals = some.map(({ principal }) => principal);
        const authorized = await authenticator.stillAuthorized(principals, clock.now());
        for (const stream of some) if (!authorized.has(stream.principal)) streams.end(stream);
      }
    } catch {
      // The store does not answer now; before anything is sent it is asked again.
    } finally {
      isChecking = false;
    }
  }
  const checking = setInterval(() => void endUnauthorized(), CHECK_MS);
  checking.unref();
  return () => clearInterval(checking);
}

function eventsOperation(
  streams: EventStreams,
  instances: OtherInstances | undefined,
  shards: Pick<Shards, 'isHome'>,
): Operation {
  return {
    id: 'syncEvents',
    method: 'GET',
    path: SYNC_EVENTS_PATH,
    access: 'read',
    whole: true,
    async perform(context, _raw, principal) {
      const { res, req } = context;
      if (principal === undefined) throw new ApiError('missing_credentials');
      const { open } = parseQuery(context.search, SyncEventsQuery);
      if (open !== undefined) requirePerson(principal);
      // Before the response begins: from then on the client relies on hearing of every change.
      const isHome = shards.isHome(context, principal);
      await instances?.watch(principal.actor.account_id, isHome);
      // A client that hung up meanwhile has closed already: nothing would forget its stream.
      if (res.closed) return undefined;
      streams.requireRoom(principal.actor);
      res.writeHead(200, {
        'Content-Type': 'text/event-stream; charset=utf-8',
        'X-Accel-Buffering': 'no',
      });
      if (req.method === 'HEAD') {
        res.end();
        return undefined;
      }
      context.streams = true;
      const stream: EventStream = {
        context,
        principal,
        sentAt: -Infinity,
        news: new Map(),
        open: new Set(open),
        told: new Map(),
      };
      streams.add(stream);
      res.once('close', () => streams.forget(stream));
      res.write('retry: 2000\n\n');
      return undefined;
    },
  };
}

/** How requests wait for changes of a case, whichever instance makes them. */
const waitingOn = (
  { clock }: Pick<Deps, 'clock'>,
  authenticator: Pick<Authenticator, 'stillAuthorized'>,
  {
    shards,
    instances,
    listeners,
  }: {
    shards: Pick<Shards, 'isHome'>;
    instances: OtherInstances | undefined;
    listeners: ReturnType<typeof createCaseListeners>;
  },
): Waiting => ({
  async listen(context, principal, caseUid) {
    await instances?.watch(principal.actor.account_id, shards.isHome(context, principal));
    const listener = new CaseListener(principal.actor, caseUid);
    listeners.add(listener);
    return listener;
  },
  forget: (listener) => listeners.delete(listener),
  isAuthorized: async (principal) =>
    (await authenticator.stillAuthorized([principal], clock.now())).has(principal),
});

/**
 * Server-sent events that a log has grown. They are hints: a client that misses some asks
 * `sync/cases`. A hosted server has many listeners, so it collects the news of each for `gatherMs`.
 */
export function createEvents(
  deps: Pick<Deps, 'store' | 'clock'> & Partial<Pick<Deps, 'uplink'>>,
  authenticator: Pick<Authenticator, 'stillAuthorized'>,
  shards: Pick<Shards, 'isHome'>,
  { gatherMs, ...limits }: StreamLimits & { gatherMs: number },
) {
  const { store } = deps;
  const streams: EventStreams = createEventStreams(limits, (stream) => presence.moved(stream));
  const listeners = createCaseListeners(limits.all);
  const rounds = createEventRounds(deps, authenticator, streams, gatherMs);
  const presence = createPresence(deps, () => streams, rounds.send);
  const notify = (commit: GrownLog): void => {
    rounds.notify(commit);
    presence.notify(commit);
    listeners.notify(commit);
  };
  const forget = store.onCommit(notify);
  const instances =
    store.engine === 'postgres'
      ? watchOtherInstances(
          store,
          (account) => streams.hasAccount(account) || listeners.hasAccount(account),
          notify,
        )
      : undefined;
  const heartbeat = setInterval(
    () => void rounds.send(new Map(streams.all().map((stream) => [stream, ':\n\n']))),
    HEARTBEAT_MS,
  );
  heartbeat.unref();
  const stopChecking = checkRegularly(deps, authenticator, streams);
  return {
    operation: eventsOperation(streams, instances, shards),
    waiting: waitingOn(deps, authenticator, { shards, instances, listeners }),
    count: streams.count,
    close(): void {
      forget();
      instances?.close();
      clearInterval(heartbeat);
      stopChecking();
      rounds.close();
      presence.close();
      listeners.close();
      streams.close();
    },
  };
}
