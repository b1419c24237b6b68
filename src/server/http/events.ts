import { SYNC_EVENTS_PATH } from '../../shared/contract/sync.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import type { Principal } from '../context/principal.ts';
import type { Deps } from '../context/deps.ts';
import { ApiError } from '../context/errors.ts';
import type { Operation } from './api.ts';
import { watchElsewhere } from './elsewhere.ts';
import type { RequestContext } from '../context/request.ts';

const HEARTBEAT_MS = 25_000;
const MAX_STREAMS_A_USER = 16;

export interface StreamLimits {
  /**
   * Most streams at one time: in all, of one account, and of one person with all keys in all
   * accounts. `gatherMs`: least time between two messages to one listener.
   */
  all: number;
  account: number;
  person: number;
  gatherMs: number;
}
/** A listener that does not read is disconnected rather than buffered for. Bytes. */
const MAX_BUFFERED = 64 * 1024;

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
/**
 * Time between two rounds, ms: the credentials of all streams with news are looked up together once
 * a round.
 */
const ROUND_MS = 100;

interface Stream {
  context: RequestContext;
  principal: Principal;
  /**
   * When it was last sent something, and what is to be sent next: each log that has grown, with its
   * length.
   */
  toldAt: number;
  news: Map<string, number>;
}

/**
 * Server-sent events that a log has grown. They are hints: a client that misses some asks
 * `sync/cases`. A hosted server has many listeners, so it collects the news of each for `gatherMs`.
 */
export function createEvents(
  deps: Pick<Deps, 'store' | 'clock'>,
  authenticator: Pick<Authenticator, 'standing'>,
  { all, account: ofAccount, person: ofPerson, gatherMs }: StreamLimits,
) {
  const accounts = new Map<string, Set<Stream>>();
  /** Streams with news to be sent. */
  const waiting = new Set<Stream>();
  /** Streams of each person. */
  const people = new Map<string, number>();
  let count = 0;
  let round: NodeJS.Timeout | undefined;
  let roundAt = -Infinity;
  let isClosed = false;
  const listeners = (account: string): ReadonlySet<Stream> => accounts.get(account) ?? new Set();

  function countOf(user: string, more: 1 | -1): void {
    const left = (people.get(user) ?? 0) + more;
    if (left === 0) people.delete(user);
    else people.set(user, left);
  }

  function keep(stream: Stream): void {
    const { account_id, user_id } = stream.principal.actor;
    countOf(user_id, 1);
    accounts.set(account_id, (accounts.get(account_id) ?? new Set()).add(stream));
    count += 1;
  }

  function forgetStream(stream: Stream): void {
    const { account_id, user_id } = stream.principal.actor;
    const same = accounts.get(account_id);
    if (same?.delete(stream) !== true) return;
    countOf(user_id, -1);
    if (same.size === 0) accounts.delete(account_id);
    waiting.delete(stream);
    count -= 1;
  }

  function drop(stream: Stream): void {
    forgetStream(stream);
    stream.context.res.end();
  }

  function write(stream: Stream, text: string): void {
    if (stream.context.res.writableLength > MAX_BUFFERED) {
      forgetStream(stream);
      stream.context.res.destroy();
    } else stream.context.res.write(text);
  }

  /**
   * Sends texts to streams. Before that, all their credentials are looked up at once: a key that
   * was revoked, or a session that has ended or moved to another account, is sent nothing more.
   */
  async function tell(texts: ReadonlyMap<Stream, string>): Promise<void> {
    const callers = [...texts.keys()].map(({ principal }) => principal);
    const standing = await authenticator
      .standing(callers, deps.clock.now())
      .catch(() => new Set<Principal>());
    for (const [stream, text] of texts) {
      if (!listeners(stream.principal.actor.account_id).has(stream)) continue;
      if (standing.has(stream.principal)) write(stream, text);
      else drop(stream);
    }
  }

  function tellDue(): void {
    round = undefined;
    const now = (roundAt = deps.clock.now());
    const texts = new Map<Stream, string>();
    for (const stream of waiting) {
      // A clock that was set back must not hold anything up.
      if (now - stream.toldAt < gatherMs && now >= stream.toldAt) continue;
      texts.set(
        stream,
        [...stream.news]
          .map(([name, seq]) => `data: ${JSON.stringify({ case: name, seq })}\n\n`)
          .join(''),
      );
      stream.news.clear();
      stream.toldAt = now;
      waiting.delete(stream);
    }
    if (texts.size > 0) void tell(texts);
    if (waiting.size > 0) nextRound();
  }

  function nextRound(): void {
    const wait = Math.min(ROUND_MS, Math.max(0, roundAt + ROUND_MS - deps.clock.now()));
    round ??= setTimeout(tellDue, wait).unref();
  }

  function tellAll({
    account_id,
    case_uid,
    seq,
  }: {
    account_id: string;
    case_uid: string;
    seq: number;
  }): void {
    for (const stream of listeners(account_id)) {
      stream.news.set(case_uid, seq);
      waiting.add(stream);
    }
    if (waiting.size === 0) return;
    if (gatherMs === 0) tellDue();
    else nextRound();
  }

  const forget = deps.store.onCommit(tellAll);
  const elsewhere =
    deps.store.engine === 'postgres'
      ? watchElsewhere(deps.store, (account) => accounts.has(account), tellAll)
      : undefined;

  const everyone = (): Stream[] => [...accounts.values()].flatMap((same) => [...same]);
  const heartbeat = setInterval(
    () => void tell(new Map(everyone().map((stream) => [stream, ':\n\n']))),
    HEARTBEAT_MS,
  );
  heartbeat.unref();
  let isChecking = false;
  async function endLost(): Promise<void> {
    const streams = everyone().filter(({ principal }) => principal.door !== 'window');
    if (streams.length === 0 || isChecking) return;
    isChecking = true;
    try {
      for (let at = 0; at < streams.length; at += CHECKED_AT_ONCE) {
        const some = streams.slice(at, at + CHECKED_AT_ONCE);
        const standing = await authenticator.standing(
          some.map(({ principal }) => principal),
          deps.clock.now(),
        );
        for (const stream of some) if (!standing.has(stream.principal)) drop(stream);
      }
    } catch {
      // The store does not answer now; before anything is sent it is asked again.
    } finally {
      isChecking = false;
    }
  }
  const checking = setInterval(() => void endLost(), CHECK_MS);
  checking.unref();

  function checkRoom({ account_id, key_id, user_id }: Principal['actor']): void {
    const headers = { 'Retry-After': '30' };
    if (isClosed || count >= all)
      throw new ApiError('unavailable', { message: 'Too many event streams are open.', headers });
    const same = [...listeners(account_id)];
    const own = same.filter(
      ({ principal: { actor } }) => (actor.key_id ?? actor.user_id) === (key_id ?? user_id),
    );
    if (same.length >= ofAccount || own.length >= MAX_STREAMS_A_USER)
      throw new ApiError('rate_limited', {
        message: 'Too many event streams of this account are open.',
        headers,
      });
    if ((people.get(user_id) ?? 0) >= ofPerson)
      throw new ApiError('rate_limited', {
        message: 'Too many event streams of this person are open.',
        headers,
      });
  }

  const operation: Operation = {
    id: 'syncEvents',
    method: 'GET',
    path: SYNC_EVENTS_PATH,
    access: 'read',
    whole: true,
    async perform(context, _raw, principal) {
      const { res, req } = context;
      if (principal === undefined) throw new ApiError('missing_credentials');
      if (context.search !== '') throw new ApiError('invalid_query');
      // Before the response begins: from then on the client relies on hearing of every change.
      await elsewhere?.watch(principal.actor.account_id);
      // Whoever hung up meanwhile would be told for ever: their close has been.
      if (res.closed) return undefined;
      checkRoom(principal.actor);
      res.writeHead(200, {
        'Content-Type': 'text/event-stream; charset=utf-8',
        'X-Accel-Buffering': 'no',
      });
      if (req.method === 'HEAD') {
        res.end();
        return undefined;
      }
      context.streams = true;
      const stream: Stream = { context, principal, toldAt: -Infinity, news: new Map() };
      keep(stream);
      res.once('close', () => forgetStream(stream));
      res.write('retry: 2000\n\n');
      return undefined;
    },
  };

  return {
    operation,
    count: () => count,
    close(): void {
      isClosed = true;
      forget();
      elsewhere?.close();
      clearInterval(heartbeat);
      clearInterval(checking);
      clearTimeout(round);
      for (const stream of everyone()) drop(stream);
    },
  };
}
