import * as notices from '../../shared/contract/v1/notices.ts';
import type { Subscription } from '../../shared/contract/v1/notices.ts';
import { ApiError } from '../context/errors.ts';
import type { Deps } from '../context/deps.ts';
import { type Route, serviceRoute } from '../http/route.ts';
import { webhookProblem, webhookSecret } from '../notices/webhook.ts';
import type { StoredSubscription } from '../storage/notices/subscriptions.ts';

const shown = ({ user_id: _, ...subscription }: StoredSubscription): Subscription => subscription;

/** Refuses what whoever runs the server has not set up. */
function requireSetUp(
  { home, notices: settings, copies }: Pick<Deps, 'home' | 'notices' | 'copies'>,
  way: Subscription['way'],
): void {
  if (home !== 'hosted')
    throw new ApiError('conflict', { message: 'Only a hosted server sends notices.' });
  const isOn = way === 'mail' ? settings?.mail !== undefined : settings?.webhooks !== 'off';
  if (settings === undefined || !isOn)
    throw new ApiError('conflict', {
      message: 'Whoever runs this server has not set up that it sends such notices.',
    });
  if (copies.keep === 'unknown')
    throw new ApiError('conflict', {
      message: 'The secret of this server cannot be opened, so it signs nothing.',
    });
}

export const noticeRoutes: readonly Route[] = [
  serviceRoute(notices.listSubscriptions, async ({ actor, role, deps }) => {
    const all = await deps.store.read((reader) => reader.notices.subscriptions(), actor.account_id);
    const own = all.filter(({ way, user_id }) =>
      way === 'mail' ? user_id === actor.user_id : role === 'owner',
    );
    const isOn = deps.home === 'hosted' && deps.notices !== undefined;
    return {
      status: 200,
      value: {
        data: own.map(shown),
        next_cursor: null,
        mail: isOn && deps.notices?.mail !== undefined,
        webhooks: isOn && deps.notices?.webhooks !== 'off',
      },
    };
  }),

  serviceRoute(notices.createSubscription, async ({ actor, role, body, deps, transact }) => {
    requireSetUp(deps, body.way);
    if (body.way === 'webhook') {
      if (role !== 'owner') throw new ApiError('insufficient_scope');
      const problem = webhookProblem(body.url, deps.notices?.webhooks ?? 'off');
      if (problem !== undefined)
        throw new ApiError('validation_failed', {
          details: [{ path: '/url', code: 'custom', message: problem }],
        });
    }
    const made = await transact(async (writer) => {
      const subscription = await writer.noticeWrites.subscribe(actor, body);
      const { subscription_id: object, way, url, events } = subscription;
      writer.audit.add({ action: 'subscription.created', object, detail: { way, url, events } });
      return subscription;
    }, actor.account_id);
    return {
      status: 201,
      value: {
        ...shown(made),
        secret:
          made.way === 'webhook' ? webhookSecret(deps.hmacSecret, made.subscription_id) : null,
      },
    };
  }),

  serviceRoute(notices.endSubscription, async ({ actor, role, params, transact }) => {
    await transact(async (writer) => {
      const all = await writer.notices.subscriptions();
      const found = all.find(({ subscription_id }) => subscription_id === params.subscriptionId);
      const isOwn = found?.way === 'mail' ? found.user_id === actor.user_id : role === 'owner';
      if (found === undefined || !isOwn) throw new ApiError('not_found');
      await writer.noticeWrites.end(params.subscriptionId);
      writer.audit.add({
        action: 'subscription.ended',
        object: params.subscriptionId,
        detail: { way: found.way, url: found.url },
      });
    }, actor.account_id);
    return { status: 200, value: { ended: true } };
  }),
];
