import type { AccountId, CaseUid } from '../../shared/contract/ids.ts';
import type { Principal } from '../context/principal.ts';
import { ApiError } from '../context/errors.ts';
import type { RequestContext } from '../context/request.ts';

const MAX_STREAMS_A_USER = 16;
/** A listener that does not read is disconnected rather than buffered for. Bytes. */
const MAX_BUFFERED = 64 * 1024;

/** Most streams at one time: in all, of one account, and of one person in all accounts. */
export interface StreamLimits {
  all: number;
  account: number;
  person: number;
}

export interface EventStream {
  context: RequestContext;
  principal: Principal;
  /** When it was last sent something. */
  sentAt: number;
  /** What is to be sent next: each log that has grown, with its length. */
  news: Map<string, number>;
  /** The cases that its reader has open. */
  open: ReadonlySet<CaseUid>;
  /** What it was last told of who else has them open. */
  told: Map<CaseUid, string>;
}

const RETRY = { 'Retry-After': '30' };

const tooMany = (whose: 'account' | 'person'): ApiError =>
  new ApiError('rate_limited', {
    message: `Too many event streams of this ${whose} are open.`,
    headers: RETRY,
  });

/** How many of these streams have the same key, or the same person without one. */
function countOwn(streams: Iterable<EventStream>, { key_id, user_id }: Principal['actor']): number {
  return [...streams].filter(
    ({ principal: { actor } }) => (actor.key_id ?? actor.user_id) === (key_id ?? user_id),
  ).length;
}

function changeCount(counts: Map<string, number>, name: string, by: 1 | -1): void {
  const left = (counts.get(name) ?? 0) + by;
  if (left === 0) counts.delete(name);
  else counts.set(name, left);
}

/**
 * The streams that are open, by account, and no more of them than the limits say. `onMoved`: called
 * with one that has come or gone.
 */
export function createEventStreams(limits: StreamLimits, onMoved: (stream: EventStream) => void) {
  const accounts = new Map<AccountId, Set<EventStream>>();
  /** Streams of each person. */
  const people = new Map<string, number>();
  let count = 0;
  let isClosed = false;

  const ofAccount = (account: AccountId): ReadonlySet<EventStream> =>
    accounts.get(account) ?? new Set();

  function forget(stream: EventStream): void {
    const { account_id, user_id } = stream.principal.actor;
    const same = accounts.get(account_id);
    if (same?.delete(stream) !== true) return;
    changeCount(people, user_id, -1);
    if (same.size === 0) accounts.delete(account_id);
    count -= 1;
    onMoved(stream);
  }

  function end(stream: EventStream): void {
    forget(stream);
    stream.context.res.end();
  }
  const all = (): EventStream[] => [...accounts.values()].flatMap((same) => [...same]);

  return {
    ofAccount,
    forget,
    all,
    /** Ends a stream whose reader may not listen any longer. */
    end,
    count: () => count,
    hasAccount: (account: AccountId) => accounts.has(account),
    isOpen: (stream: EventStream) => ofAccount(stream.principal.actor.account_id).has(stream),
    add(stream: EventStream): void {
      const { account_id, user_id } = stream.principal.actor;
      changeCount(people, user_id, 1);
      accounts.set(account_id, (accounts.get(account_id) ?? new Set()).add(stream));
      count += 1;
      onMoved(stream);
    },
    write(stream: EventStream, text: string): void {
      if (stream.context.res.writableLength > MAX_BUFFERED) {
        forget(stream);
        stream.context.res.destroy();
      } else stream.context.res.write(text);
    },
    /** Throws where one stream more of these credentials would be too many. */
    requireRoom(actor: Principal['actor']): void {
      if (isClosed || count >= limits.all)
        throw new ApiError('unavailable', {
          message: 'Too many event streams are open.',
          headers: RETRY,
        });
      const same = ofAccount(actor.account_id);
      if (same.size >= limits.account || countOwn(same, actor) >= MAX_STREAMS_A_USER)
        throw tooMany('account');
      if ((people.get(actor.user_id) ?? 0) >= limits.person) throw tooMany('person');
    },
    close(): void {
      isClosed = true;
      for (const stream of all()) end(stream);
    },
  };
}
export type EventStreams = ReturnType<typeof createEventStreams>;
