import { SYNC_EVENTS_PATH } from '../../shared/contract/sync.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import type { Deps } from '../deps.ts';
import { Refusal } from '../errors.ts';
import type { Operation } from './api.ts';
import { watchElsewhere } from './elsewhere.ts';
import type { Exchange } from './exchange.ts';

const HEARTBEAT_MS = 25_000;
const MAX_STREAMS_A_USER = 16;

export interface StreamLimits {
  /** Streams at a time, and those of one account. */
  all: number;
  account: number;
  gatherMs: number;
}
/** A listener that does not read is cut off rather than buffered for. */
const MAX_BUFFERED = 64 * 1024;

interface Stream {
  exchange: Exchange;
  account: string;
  subject: string;
  /** When it was last told something; what it is to be told next, the log and how long it is; and the timer that waits for it. */
  toldAt: number;
  news: Map<string, number>;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Server-sent hints that a log has grown. Nothing depends on one arriving: whoever misses some asks `sync/cases`. A hosted server, with many to tell,
 * gathers what a listener is told for `gatherMs`.
 */
export function createEvents(deps: Pick<Deps, 'store' | 'clock'>, authenticator: Authenticator, { all, account: ofAccount, gatherMs }: StreamLimits) {
  const streams = new Set<Stream>();
  let isClosed = false;

  function forgetStream(stream: Stream): void {
    streams.delete(stream);
    clearTimeout(stream.timer);
  }

  function drop(stream: Stream): void {
    forgetStream(stream);
    stream.exchange.res.end();
  }

  function write(stream: Stream, text: string): void {
    if (stream.exchange.res.writableLength > MAX_BUFFERED) {
      forgetStream(stream);
      stream.exchange.res.destroy();
    } else stream.exchange.res.write(text);
  }

  /** A key that was revoked, a session that has ended or gone on in another account hears nothing more. */
  function tell(stream: Stream, text: string): void {
    authenticator.caller({ ...stream.exchange, now: deps.clock.now() }).then(
      ({ actor }) => (actor.account_id === stream.account ? write(stream, text) : drop(stream)),
      () => drop(stream),
    );
  }

  function tellNews(stream: Stream): void {
    const text = [...stream.news].map(([name, seq]) => `data: ${JSON.stringify({ case: name, seq })}\n\n`).join('');
    stream.news.clear();
    stream.timer = undefined;
    stream.toldAt = deps.clock.now();
    tell(stream, text);
  }

  function tellAll({ account_id, case_uid, seq }: { account_id: string; case_uid: string; seq: number }): void {
    for (const stream of streams) {
      if (stream.account !== account_id) continue;
      stream.news.set(case_uid, seq);
      const wait = Math.min(gatherMs, stream.toldAt + gatherMs - deps.clock.now());
      if (wait <= 0) tellNews(stream);
      else stream.timer ??= setTimeout(() => tellNews(stream), wait).unref();
    }
  }

  const forget = deps.store.onCommit(tellAll);
  const isListenedTo = (account: string): boolean => [...streams].some((stream) => stream.account === account);
  const elsewhere = deps.store.engine === 'postgres' ? watchElsewhere(deps.store, isListenedTo, tellAll) : undefined;

  const heartbeat = setInterval(() => {
    for (const stream of streams) tell(stream, ':\n\n');
  }, HEARTBEAT_MS);
  heartbeat.unref();

  function checkRoom(account: string, subject: string): void {
    const headers = { 'Retry-After': '30' };
    if (isClosed || streams.size >= all) throw new Refusal('unavailable', { message: 'Too many event streams are open.', headers });
    const same = [...streams].filter((stream) => stream.account === account);
    const own = same.filter((stream) => stream.subject === subject);
    if (same.length >= ofAccount || own.length >= MAX_STREAMS_A_USER) throw new Refusal('rate_limited', { message: 'Too many event streams of this account are open.', headers });
  }

  const operation: Operation = {
    id: 'syncEvents',
    method: 'GET',
    path: SYNC_EVENTS_PATH,
    access: 'read',
    async perform(exchange, _raw, caller) {
      const { res, req } = exchange;
      if (caller === undefined) throw new Refusal('missing_credentials');
      if (exchange.search !== '') throw new Refusal('invalid_query');
      const { actor } = caller;
      const subject = actor.key_id ?? actor.user_id;
      // Before the head, which tells the client that from now on it hears of everything.
      await elsewhere?.watch(actor.account_id);
      checkRoom(actor.account_id, subject);
      res.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
      if (req.method === 'HEAD') {
        res.end();
        return undefined;
      }
      exchange.streams = true;
      const stream: Stream = { exchange, account: actor.account_id, subject, toldAt: 0, news: new Map(), timer: undefined };
      streams.add(stream);
      res.once('close', () => forgetStream(stream));
      res.write('retry: 2000\n\n');
      return undefined;
    },
  };

  return {
    operation,
    count: () => streams.size,
    close(): void {
      isClosed = true;
      forget();
      elsewhere?.close();
      clearInterval(heartbeat);
      for (const stream of streams) drop(stream);
    },
  };
}
