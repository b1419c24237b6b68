import type { AccountId, CaseUid } from '../../shared/contract/ids.ts';
import type { Credential } from '../../shared/contract/rights.ts';
import type { Deps, NoticeSettings } from '../context/deps.ts';
import { describeError } from '../instance/logger.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';
import type { DueNotice } from '../storage/notices/due.ts';
import type { StoredSubscription } from '../storage/notices/subscriptions.ts';
import { sendDigest } from './mail.ts';
import { PrivateAddress } from './addresses.ts';
import { LEASE_MS, startLooking } from './looking.ts';
import { sendWebhook, webhookSecret } from './webhook.ts';

/** After each failed attempt, ms; after the last one the notice is dropped. */
const AGAIN_MS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map(
  (seconds) => seconds * 1_000,
);

type DeliveryDeps = Pick<Deps, 'store' | 'clock' | 'logger' | 'hmacSecret' | 'copies'> & {
  url: string;
};

/** What became of an attempt. `isFinal`: another one would end alike. */
interface Outcome {
  result: string;
  isDone: boolean;
  isFinal?: boolean;
}
const DELIVERED: Outcome = { result: 'delivered', isDone: true };

class Delivery {
  readonly #deps: DeliveryDeps;
  readonly #settings: NoticeSettings;

  constructor(deps: DeliveryDeps, settings: NoticeSettings) {
    this.#deps = deps;
    this.#settings = settings;
  }

  /** Accounts with notices; none without the secret, without which nothing can be signed. */
  async accounts(): Promise<readonly AccountId[]> {
    const { store, copies } = this.#deps;
    return copies.keep === 'unknown'
      ? []
      : store.read((reader) => reader.notices.accounts(), EVERY_ACCOUNT);
  }

  /** What is to be attempted now: a letter tells of all at once, a webhook of one thing. */
  async take(account: AccountId): Promise<(() => Promise<void>)[]> {
    const { store } = this.#deps;
    const { due, subscriptions } = await store.transact(
      async (writer) => ({
        due: await writer.noticeWrites.take(LEASE_MS),
        subscriptions: await writer.notices.subscriptions(),
      }),
      account,
    );
    const of = Map.groupBy(due, ({ subscription_id }) => subscription_id);
    return subscriptions.flatMap((subscription) => {
      const notices = of.get(subscription.subscription_id) ?? [];
      const parts = subscription.way === 'mail' ? [notices] : notices.map((one) => [one]);
      return parts
        .filter((part) => part.length > 0)
        .map((part) => () => this.#attempt(account, subscription, part));
    });
  }

  /** Each notice has its own number of attempts, also where one letter tells of several. */
  async #attempt(
    account: AccountId,
    subscription: StoredSubscription,
    notices: readonly DueNotice[],
  ): Promise<void> {
    const { store, clock, logger } = this.#deps;
    const outcome = await (
      subscription.way === 'mail'
        ? this.#mail(account, subscription, notices)
        : this.#post(subscription, notices)
    ).catch((error: unknown): Outcome => {
      const { code } = describeError(error);
      return {
        result: typeof code === 'string' ? code : 'no answer',
        isDone: false,
        isFinal: error instanceof PrivateAddress,
      };
    });
    const ended = [...Map.groupBy(notices, ({ attempts }) => attempts)].map(([failed, of]) => {
      const wait = outcome.isDone || outcome.isFinal === true ? undefined : AGAIN_MS[failed];
      return { failed, names: of.map(({ notice_id }) => notice_id), wait };
    });
    for (const { failed, wait } of outcome.isDone ? [] : ended)
      logger.warn(
        {
          subscription: subscription.subscription_id,
          result: outcome.result,
          attempts: failed + 1,
        },
        wait === undefined
          ? 'a notice was dropped'
          : 'a notice was not delivered and is tried again',
      );
    await store.transact(async (writer) => {
      for (const { names, wait } of ended)
        await writer.noticeWrites.noteAttempt(subscription.subscription_id, names, {
          result: outcome.result,
          again: wait === undefined ? undefined : clock.now() + wait,
        });
    }, account);
  }

  async #post(
    { subscription_id, url }: StoredSubscription,
    [notice]: readonly DueNotice[],
  ): Promise<Outcome> {
    const { clock, hmacSecret } = this.#deps;
    if (notice === undefined || url === null || this.#settings.webhooks === 'off')
      return { result: 'webhooks are off', isDone: false, isFinal: true };
    const status = await sendWebhook(notice, {
      url,
      secret: webhookSecret(hmacSecret, subscription_id),
      now: clock.now(),
      reach: this.#settings.webhooks,
    });
    if (status >= 200 && status < 300) return DELIVERED;
    return { result: `answer ${status}`, isDone: false, isFinal: status === 410 };
  }

  /**
   * As the person would be shown it now: what waits no longer, or is hidden from them, is not told.
   */
  async #mail(
    account: AccountId,
    { user_id }: StoredSubscription,
    notices: readonly DueNotice[],
  ): Promise<Outcome> {
    const { store, url } = this.#deps;
    const { mail } = this.#settings;
    if (mail === undefined) return { result: 'mail is off', isDone: false, isFinal: true };
    const found = await store.read(
      async (reader) => ({
        member: await reader.team.member(account, user_id),
        person: await reader.team.person(user_id),
      }),
      account,
    );
    const { member, person } = found;
    const to = person?.email ?? null;
    if (member === undefined || to === null || person?.disabled_at !== null)
      return { result: 'nobody to write to', isDone: false, isFinal: true };
    const credential: Credential = {
      authMethod: 'session',
      actor: { user_id, user_name: member.name, key_id: null, key_name: null },
      role: member.role,
      scopes: [],
      projects: null,
    };
    const ofCases = notices.filter(({ event }) => event === 'decisions');
    const waiting = await store.read(
      (reader) =>
        reader.notices.waitingOf(
          account,
          ofCases.map(({ case_uid }) => case_uid as CaseUid),
        ),
      account,
      credential,
    );
    const isOfThreads = notices.some(({ thread_id: thread }) => thread !== '');
    const isOfPlaces = notices.some(
      ({ event, thread_id: thread }) => event === 'assigned' && thread === '',
    );
    const threads = isOfThreads ? waiting.threads : 0;
    const places = isOfPlaces ? waiting.places : 0;
    if (threads + places + waiting.cases === 0)
      return { result: 'nothing waits any more', isDone: true };
    const [first] = notices;
    await sendDigest(
      { to, url, threads, places, cases: waiting.cases, id: first?.notice_id ?? '' },
      mail,
    );
    return DELIVERED;
  }
}

/**
 * Delivers notices until it is closed; nothing where whoever runs the server has set nothing up.
 */
export function startDelivery(
  deps: DeliveryDeps,
  settings: NoticeSettings | undefined,
): { close(): void } {
  if (settings === undefined || (settings.webhooks === 'off' && settings.mail === undefined))
    return { close: () => undefined };
  const delivery = new Delivery(deps, settings);
  return startLooking(deps, {
    what: 'notices',
    accounts: () => delivery.accounts(),
    take: (account) => delivery.take(account),
  });
}
