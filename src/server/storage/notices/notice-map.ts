import type { NoticeEvent } from '../../../shared/contract/v1/notices.ts';
import type { Awaiting } from '../../../sync/layers/discussion.ts';
import type { WriteContext } from '../db/context.ts';
import { sortableId } from '../db/ids.ts';
import type { Stream } from '../log/change-log.ts';
import { listSubscriptions } from './subscriptions.ts';

/** For whom a thread waits, and why. */
export interface ThreadWait {
  thread: string;
  who: string;
  why: Awaiting;
}

const COLUMNS = ['notice_id', 'subscription_id', 'event', 'stream_pk', 'case_uid', 'thread_id'];
const OF_ATTEMPTS = ['who', 'created_at', 'attempts', 'due'];
/**
 * The notice of one thing is delivered once, however often it is written while it waits. Written
 * again it has another name, so that an attempt under way with the old one does not end it.
 */
const ONCE = ['subscription_id', 'event', 'stream_pk', 'thread_id', 'who'];

/**
 * Puts down what has to be told of the discussion, of what is assigned and of the suggestions of a
 * case, in the transaction that writes these: whoever is notified, is notified of what is
 * committed.
 */
export class NoticeMap {
  readonly #ctx: WriteContext;
  readonly #stream: Stream;

  constructor(ctx: WriteContext, stream: Stream) {
    this.#ctx = ctx;
    this.#stream = stream;
  }

  /** Threads that wait now, of which some have waited for the same before. */
  async threads(
    waits: readonly ThreadWait[],
    before: () => Promise<readonly ThreadWait[]>,
  ): Promise<void> {
    if (waits.length === 0 || !(await this.#isAsked())) return;
    const keyOf = ({ thread, who, why }: ThreadWait): string => `${thread} ${who} ${why}`;
    const known = new Set((await before()).map(keyOf));
    await this.#put(
      waits.filter((wait) => !known.has(keyOf(wait))).map((wait) => ({ ...wait, event: wait.why })),
    );
  }

  /**
   * Items or rules of the case were assigned to these, who are told once, however many they are.
   */
  async assigned(to: ReadonlySet<string>): Promise<void> {
    if (to.size === 0 || !(await this.#isAsked())) return;
    await this.#put([...to].map((who) => ({ event: 'assigned', thread: '', who })));
  }

  /** Suggestions were made that wait for a decision. */
  async suggested(): Promise<void> {
    if (!(await this.#isAsked())) return;
    await this.#put([{ event: 'decisions', thread: '', who: '' }]);
  }

  async #isAsked(): Promise<boolean> {
    const { session } = this.#ctx;
    const found = await session.db
      .selectFrom('subscriptions')
      .select('subscription_id')
      .where('account', '=', session.account)
      .limit(1)
      .executeTakeFirst();
    return found !== undefined;
  }

  async #put(
    notices: readonly { event: NoticeEvent; thread: string; who: string }[],
  ): Promise<void> {
    if (notices.length === 0) return;
    const subscriptions = await listSubscriptions(this.#ctx);
    const { ports, now, at, session } = this.#ctx;
    const rows = subscriptions.flatMap(({ subscription_id, way, events, user_id }) =>
      notices
        .filter(({ event, who }) => {
          const isFor = way === 'webhook' || who === '' || who === user_id;
          return isFor && events.includes(event);
        })
        .map(({ event, thread, who }) => [
          sortableId('ntc_', ports),
          subscription_id,
          event,
          this.#stream.pk,
          this.#stream.name,
          thread,
          who,
          at,
          0,
          now,
        ]),
    );
    await session.insert('notices', [...COLUMNS, ...OF_ATTEMPTS], rows, {
      target: ONCE,
      update: ['notice_id', 'created_at'],
    });
  }
}
