import { z } from 'zod';
import { list, None, Timestamp } from '../common.ts';
import { BODY_LIMIT, endpoint } from '../endpoint.ts';
import { SubscriptionId } from '../ids.ts';

/**
 * What somebody is notified of. `mentioned`, `assigned`, `answered`: a thread that waits for a
 * person; `assigned` also items and rules that they are to record. `decisions`: suggestions in a
 * case that wait for a decision.
 */
export const NOTICE_EVENTS = ['mentioned', 'assigned', 'answered', 'decisions'] as const;
export const NoticeEvent = z.enum(NOTICE_EVENTS);
export type NoticeEvent = z.infer<typeof NoticeEvent>;

/** At most so many in one account. */
export const MAX_SUBSCRIPTIONS = 1_000;

const Events = z
  .array(NoticeEvent.describe('What is told of.'))
  .min(1)
  .max(NOTICE_EVENTS.length)
  .refine((events) => new Set(events).size === events.length, 'Each event once.');

/** Where notices go: to a person by mail, or to a program as webhooks. */
export const Subscription = z.strictObject({
  subscription_id: z.string().describe('The subscription, as the server named it.'),
  way: z.enum(['mail', 'webhook']).describe('`mail`: to its person. `webhook`: to a program.'),
  url: z.string().nullable().describe('Where a webhook is sent; null by mail.'),
  events: z.array(NoticeEvent).describe('What is told of.'),
  created_at: Timestamp,
  created_by: z.string().describe('Who asked for it.'),
  last: z
    .strictObject({
      at: Timestamp.describe('When it was.'),
      result: z.string().describe('`delivered`, or why not.'),
    })
    .nullable()
    .describe('The last attempt to deliver a notice; null before the first.'),
});
export type Subscription = z.infer<typeof Subscription>;

export const listSubscriptions = endpoint({
  id: 'listSubscriptions',
  summary: 'Where notices go: one’s own by mail, and, for owners, webhooks',
  tag: 'Notices',
  method: 'GET',
  path: '/api/v1/subscriptions',
  access: 'session',
  params: None,
  query: None,
  response: list(Subscription).extend({
    mail: z.boolean().describe('Whether this server sends mail.'),
    webhooks: z.boolean().describe('Whether this server sends webhooks.'),
  }),
  success: [200],
  errors: [],
});

export const SubscriptionInput = z.discriminatedUnion('way', [
  z.strictObject({ way: z.literal('mail').describe('To the caller, by mail.'), events: Events }),
  z.strictObject({
    way: z.literal('webhook').describe('To a program.'),
    url: z
      .string()
      .regex(/^https?:\/\/\S+$/i, 'Must be an address such as https://chat.example.org/hook.')
      .max(2_000)
      .describe('Where notices are sent: an https address on the internet.'),
    events: Events,
  }),
]);

/** `secret` is shown this once: by it the receiver checks the signatures (Standard Webhooks). */
export const createSubscription = endpoint({
  id: 'createSubscription',
  summary: 'Be notified by mail, or, for owners, have notices sent to a program as signed webhooks',
  tag: 'Notices',
  method: 'POST',
  path: '/api/v1/subscriptions',
  access: 'session',
  role: 'viewer',
  params: None,
  query: None,
  body: SubscriptionInput,
  bodyLimit: BODY_LIMIT,
  response: Subscription.extend({
    secret: z.string().nullable().describe('Of a webhook: shown this once.'),
  }),
  success: [201],
  errors: ['conflict', 'insufficient_scope'],
});

export const endSubscription = endpoint({
  id: 'endSubscription',
  summary: 'End a subscription; what it has not delivered is dropped',
  tag: 'Notices',
  method: 'DELETE',
  path: '/api/v1/subscriptions/{subscriptionId}',
  access: 'session',
  role: 'viewer',
  params: z.strictObject({ subscriptionId: SubscriptionId }),
  query: None,
  response: z.strictObject({ ended: z.boolean().describe('True: it has ended.') }),
  success: [200],
  errors: ['not_found'],
});
