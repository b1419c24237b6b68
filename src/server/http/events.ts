import { SYNC_EVENTS_PATH } from '../../shared/contract/sync.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import type { Deps } from '../deps.ts';
import { Refusal } from '../errors.ts';
import type { Operation } from './api.ts';
import type { Exchange } from './exchange.ts';

const HEARTBEAT_MS = 25_000;
const MAX_STREAMS = 64;
const MAX_STREAMS_A_USER = 16;
/** A listener that does not read is cut off rather than buffered for. */
const MAX_BUFFERED = 64 * 1024;

interface Stream {
  exchange: Exchange;
  account: string;
  subject: string;
}

/** Server-sent hints that a log has grown. Nothing depends on one arriving: whoever misses some asks `sync/cases`. */
export function createEvents(deps: Pick<Deps, 'store' | 'clock'>, authenticator: Authenticator) {
  const streams = new Set<Stream>();

  function drop(stream: Stream): void {
    streams.delete(stream);
    stream.exchange.res.end();
  }

  function write(stream: Stream, text: string): void {
    if (stream.exchange.res.writableLength > MAX_BUFFERED) {
      streams.delete(stream);
      stream.exchange.res.destroy();
    } else stream.exchange.res.write(text);
  }

  /** A key that was revoked, or a session that has ended, hears nothing more. */
  function tell(stream: Stream, text: string): void {
    authenticator.caller({ ...stream.exchange, now: deps.clock.now() }).then(
      () => write(stream, text),
      () => drop(stream),
    );
  }

  const forget = deps.store.onCommit(({ account_id, case_uid, seq }) => {
    const text = `data: ${JSON.stringify({ case: case_uid, seq })}\n\n`;
    for (const stream of streams) if (stream.account === account_id) tell(stream, text);
  });

  const heartbeat = setInterval(() => {
    for (const stream of streams) tell(stream, ': still here\n\n');
  }, HEARTBEAT_MS);
  heartbeat.unref();

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
      const own = [...streams].filter((stream) => stream.subject === subject).length;
      if (streams.size >= MAX_STREAMS || own >= MAX_STREAMS_A_USER) throw new Refusal('unavailable', { message: 'Too many event streams are open.', headers: { 'Retry-After': '30' } });
      res.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
      if (req.method === 'HEAD') {
        res.end();
        return undefined;
      }
      exchange.streams = true;
      const stream = { exchange, account: actor.account_id, subject };
      streams.add(stream);
      res.once('close', () => streams.delete(stream));
      res.write('retry: 2000\n\n');
      return undefined;
    },
  };

  return {
    operation,
    count: () => streams.size,
    close(): void {
      forget();
      clearInterval(heartbeat);
      for (const stream of streams) drop(stream);
    },
  };
}
