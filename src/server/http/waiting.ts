import { once } from 'node:events';
import { Seq } from '../../shared/contract/common.ts';
import type { Performed } from '../context/call.ts';
import { ApiError } from '../context/errors.ts';
import type { Principal } from '../context/principal.ts';
import type { RequestContext } from '../context/request.ts';
import type { CaseListener } from './case-listeners.ts';

/** How often a stream that has nothing to tell says that it lives, ms. */
const HEARTBEAT_MS = 25_000;
const EVENT_STREAM = 'text/event-stream';

/** What requests that wait need of the server. */
export interface Waiting {
  /** Listens for changes of a case, also for those made at other instances. */
  listen(context: RequestContext, principal: Principal, caseUid: string): Promise<CaseListener>;
  forget(listener: CaseListener): void;
  /** Whether these credentials still hold. */
  isAuthorized(principal: Principal): Promise<boolean>;
}

/** The query of an operation that waits, as far as it is about that. */
interface WaitingQuery {
  wait?: string | undefined;
  after?: string | undefined;
}

interface WaitingCall {
  context: RequestContext;
  principal: Principal;
  caseUid: string;
  query: WaitingQuery;
  /** Asks once, without waiting. */
  ask(query: WaitingQuery): Promise<Performed>;
}

async function confirm({ principal }: WaitingCall, waiting: Waiting): Promise<void> {
  if (await waiting.isAuthorized(principal)) return;
  throw new ApiError(principal.authMethod === 'key' ? 'key_revoked' : 'missing_credentials');
}

/** Asks again after each change until there is something to tell, or the time is over. */
async function poll(
  call: WaitingCall,
  waiting: Waiting,
  listener: CaseListener,
): Promise<Performed> {
  const end = performance.now() + Number(call.query.wait ?? 0) * 1_000;
  for (let { after } = call.query; ;) {
    const performed = await call.ask({ ...call.query, after });
    const { watched } = performed;
    const left = end - performance.now();
    if (watched?.isEmpty !== true || left <= 0 || call.context.res.closed || listener.isClosed)
      return performed;
    after = String(watched.after);
    await listener.grown(left);
    await confirm(call, waiting);
  }
}

/** Where a client continues that was cut off. */
function lastSeen({ context, query }: WaitingCall): string | undefined {
  const header = context.req.headers['last-event-id'];
  if (header === undefined || header === '') return query.after;
  const { data } = Seq.safeParse(header);
  if (data === undefined)
    throw new ApiError('invalid_request', { message: 'Last-Event-ID is the id of an event.' });
  return data;
}

async function write({ res }: RequestContext, text: string): Promise<void> {
  if (res.write(text) || res.closed) return;
  await Promise.race([once(res, 'drain'), once(res, 'close')]);
}

/** Tells what there is and what comes, each with its position as `id`, until the reader leaves. */
async function stream(
  call: WaitingCall,
  waiting: Waiting,
  listener: CaseListener,
): Promise<undefined> {
  const { context } = call;
  const { res } = context;
  let after = lastSeen(call);
  // What is wrong with the request is answered like anywhere else.
  let performed = await call.ask({ ...call.query, after });
  res.writeHead(200, {
    'Content-Type': `${EVENT_STREAM}; charset=utf-8`,
    'X-Accel-Buffering': 'no',
  });
  context.streams = true;
  res.write('retry: 2000\n\n');
  try {
    while (!res.closed && !listener.isClosed) {
      const { watched, answer } = performed;
      if (watched === undefined) break;
      after = String(watched.after);
      if (watched.isEmpty) {
        await listener.grown(HEARTBEAT_MS);
        await write(context, ':\n\n');
      } else await write(context, `id: ${after}\ndata: ${String(answer.body)}\n\n`);
      await confirm(call, waiting);
      performed = await call.ask({ ...call.query, after });
    }
  } catch {
    // A client that comes again is answered why.
  }
  res.end();
  return undefined;
}

/**
 * Performs an operation that can wait: at once, after `wait` seconds at most, or as server-sent
 * events where the client accepts nothing else.
 */
export async function performWaiting(
  call: WaitingCall,
  waiting: Waiting,
): Promise<Performed | undefined> {
  const { req, res } = call.context;
  const isStream = req.method !== 'HEAD' && req.headers.accept?.trim() === EVENT_STREAM;
  if (!isStream && Number(call.query.wait ?? 0) === 0) return call.ask(call.query);
  const listener = await waiting.listen(call.context, call.principal, call.caseUid);
  const wake = (): void => listener.close();
  res.once('close', wake);
  try {
    return await (isStream ? stream : poll)(call, waiting, listener);
  } finally {
    res.off('close', wake);
    waiting.forget(listener);
  }
}
