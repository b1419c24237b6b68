import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSetupToken } from '../../src/server/auth/setup-token.ts';
import {
  isPublicAddress,
  PrivateAddress,
  publicLookup,
} from '../../src/server/notices/addresses.ts';
import { sendWebhook, webhookProblem } from '../../src/server/notices/webhook.ts';
import { TRIO } from '../support/evidence.ts';
import { ENGINES } from '../support/length.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../support/plain-database.ts';
import { startReceiver, startRelay, type Receiver, type Relay } from '../support/receivers.ts';
import { bootServer, type TestServer } from '../support/server.ts';
import { invitation, joinTeam, setUp, type Visitor } from '../support/visitor.ts';

const BOB = { name: 'Bob', email: 'bob@example.org' };
/** In everything that is recorded and said: none of it leaves the server. */
const CANARY = 'CANARY-5d2e';

describe('addresses that webhooks reach', () => {
  it('are those on the internet', () => {
    for (const address of ['8.8.8.8', '93.184.216.34', '2606:2800:220:1::1'])
      expect(isPublicAddress(address), address).toBe(true);
    for (const address of [
      ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '0.0.0.0'],
      ...['100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '::', '::1', 'fe80::1'],
      ...['fc00::1', 'ff02::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '64:ff9b::7f00:1'],
      ...['2002:7f00:1::', '2001::1', '2001:db8::1', 'localhost', ''],
    ])
      expect(isPublicAddress(address), address).toBe(false);
  });

  it('are told by what an address says, whatever form it has', () => {
    for (const url of [
      ...['http://example.org/', 'https://127.0.0.1/', 'https://[::1]/', 'https://2130706433/'],
      ...['https://0x7f.1/', 'https://u:p@example.org/', 'https://example.org/#x'],
      ...['https://[::ffff:10.0.0.1]/', 'https://169.254.169.254/latest'],
    ])
      expect(webhookProblem(url, 'public'), url).toBeTypeOf('string');
    expect(webhookProblem('https://example.org/hook?x=1', 'public')).toBeUndefined();
    expect(webhookProblem('http://127.0.0.1:1/', 'any')).toBeUndefined();
  });

  it('are those that a name leads to', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    publicLookup('localhost', {}, (error) => resolve(error));
    expect(await promise).toBeInstanceOf(PrivateAddress);
    // And none of the others is connected to.
    let connections = 0;
    const neighbour = createServer(() => void (connections += 1)).listen(0, '127.0.0.1');
    await once(neighbour, 'listening');
    const { port } = neighbour.address() as AddressInfo;
    const notice = {
      ...{ notice_id: 'ntc_1', subscription_id: 'sub_1', event: 'assigned' as const },
      ...{ case_uid: 'c', thread_id: 't', who: 'usr_1', attempts: 0 },
      created_at: '2026-11-26T02:00:00.000Z',
    };
    const sending = { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', now: Date.now() };
    for (const host of ['localhost', '127.0.0.1'])
      await expect(
        sendWebhook(notice, { ...sending, url: `https://${host}:${port}/`, reach: 'public' }),
      ).rejects.toBeInstanceOf(PrivateAddress);
    expect(connections).toBe(0);
    neighbour.close();
  });
});

describe.each(ENGINES)('notices on %s', (engine) => {
  let database: PlainDatabase | undefined;
  let server: TestServer;
  let receiver: Receiver;
  let relay: Relay;
  let ada: Visitor;
  let bob: Visitor;
  let bobId: string;
  let secret: string;
  let subscription: string;

  beforeAll(async () => {
    [receiver, relay] = await Promise.all([startReceiver(), startRelay()]);
    database = engine === 'PostgreSQL' ? await makePlainDatabase(SHARED_POSTGRES) : undefined;
    server = await bootServer({
      deps: {
        home: 'hosted',
        notices: { webhooks: 'any', mail: { relay: relay.url, from: 'studio@example.org' } },
      },
      ...(database && { databaseUrl: database.url }),
    });
    ada = await setUp(server, await createSetupToken(server.deps));
    bob = await joinTeam(server, await invitation(ada), BOB);
    bobId = (await bob.api('GET', '/session')).body.user.user_id;
    const { project_id } = (await ada.api('POST', '/projects', { name: CANARY })).body;
    await ada.api('POST', '/cases', { project_id, case_uid: 'told', title: CANARY });
    await ada.api('POST', '/cases/told/evidence', {
      profile_uid: TRIO,
      items: [{ item_uid: 'a', label: CANARY }],
    });
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await database?.drop();
    await receiver[Symbol.asyncDispose]();
    await relay[Symbol.asyncDispose]();
  });

  const ask = async (more: object): Promise<string> => {
    const { status, body, text } = await ada.api('POST', '/cases/told/threads', {
      place: { on: 'item', item_uid: 'a' },
      kind: 'query',
      text: CANARY,
      ...more,
    });
    expect(status, text).toBe(201);
    return body.thread_id;
  };
  /** An agent suggests an outcome. */
  const suggest = async (raw_outcome: string): Promise<void> => {
    const { key } = (await ada.api('POST', '/keys', { name: 'Agent', scopes: ['read', 'suggest'] }))
      .body;
    const suggested = await server.call('POST', '/api/v1/cases/told/suggestions', {
      key,
      body: {
        profile_uid: TRIO,
        suggestions: [
          {
            item_uid: 'a',
            rule_uid: 'parents_genotype_missing',
            raw_outcome,
            quote: CANARY,
          },
        ],
      },
    });
    expect(suggested.status, suggested.text).toBeLessThan(300);
  };
  const lastOf = async (): Promise<{ last: { result: string } | null }> =>
    (await ada.api('GET', '/subscriptions')).body.data.find(
      ({ subscription_id: id }: { subscription_id: string }) => id === subscription,
    );
  const delivered = (): Promise<void> =>
    vi.waitFor(async () => expect((await lastOf()).last?.result).toBe('delivered'), 60_000);

  it('are asked for by owners as webhooks, whose secret is shown once', async () => {
    const asked = {
      way: 'webhook',
      url: `${receiver.url}/hook`,
      events: ['assigned', 'decisions'],
    };
    expect((await bob.api('POST', '/subscriptions', asked)).body.error).toBe('insufficient_scope');
    const { status, body } = await ada.api('POST', '/subscriptions', asked);
    expect([status, body.way, body.last]).toEqual([201, 'webhook', null]);
    ({ secret, subscription_id: subscription } = body);
    expect(secret).toMatch(/^whsec_/);
    const listed = (await ada.api('GET', '/subscriptions')).body;
    expect([listed.data.length, listed.mail, listed.webhooks]).toEqual([1, true, true]);
    expect(JSON.stringify(listed)).not.toContain('whsec_');
    expect((await bob.api('GET', '/subscriptions')).body.data).toEqual([]);
    for (const url of ['ftp://example.org', 'no address'])
      expect((await ada.api('POST', '/subscriptions', { ...asked, url })).status).toBe(422);
  });

  it('are signed, name places alone, and are sent once for each thing', async () => {
    const thread = await ask({ assigned_to: bobId });
    await receiver.until(1);
    await delivered();
    const [{ headers, body }] = receiver.received as [Receiver['received'][number]];
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
      type: 'assigned',
      data: { case_uid: 'told', thread_id: thread, waits_for: bobId },
    });
    expect(() =>
      new Webhook(secret).verify(body.replace('told', 'else'), headers as Record<string, string>),
    ).toThrow();
    expect(body).not.toContain(CANARY);
    // More is said in it, and it waits for the same person as before: that is nothing new.
    await ada.api('POST', `/cases/told/threads/${thread}/entries`, { does: 'comment', text: 'x' });
    await ask({ assigned_to: bobId });
    await receiver.until(2);
    await delivered();
    expect(receiver.received).toHaveLength(2);
  });

  it('are tried again with the same name, later each time; no redirect is followed', async () => {
    receiver.answers.push(503, 302);
    await ask({ assigned_to: bobId });
    await receiver.until(3);
    await vi.waitFor(async () => expect((await lastOf()).last?.result).toBe('answer 503'), 60_000);
    server.advance(5_000);
    await receiver.until(4);
    await vi.waitFor(async () => expect((await lastOf()).last?.result).toBe('answer 302'), 60_000);
    server.advance(300_000);
    await receiver.until(5);
    await delivered();
    const names = receiver.received.slice(2).map(({ headers }) => headers['webhook-id']);
    expect(new Set(names).size).toBe(1);
  });

  it('tell of suggestions that wait for a decision', async () => {
    await suggest('FALSE');
    await receiver.until(6);
    const { body } = receiver.received[5]!;
    expect(JSON.parse(body)).toMatchObject({ type: 'decisions', data: { case_uid: 'told' } });
    expect(body).not.toContain(CANARY);
    await delivered();
  });

  it('tell of what comes while a receiver has not answered, whatever it answers', async () => {
    for (const status of [200, 503]) {
      const answer = Promise.withResolvers<number>();
      receiver.answers.push(answer.promise);
      const before = receiver.received.length;
      await suggest('TRUE');
      await receiver.until(before + 1);
      await suggest('NA');
      answer.resolve(status);
      await vi.waitFor(async () => {
        const { last } = await lastOf();
        expect(last?.result).toBe(status === 200 ? 'delivered' : `answer ${status}`);
      }, 60_000);
      server.advance(20_000);
      await receiver.until(before + 2);
      await delivered();
      const [first, second] = receiver.received.slice(before);
      expect(second?.headers['webhook-id']).not.toBe(first?.headers['webhook-id']);
    }
  });

  it('tell whoever items and rules are assigned to, once, and nobody of what they take themselves', async () => {
    const before = receiver.received.length;
    const rule_uid = 'parents_genotype_missing';
    const { profile_version } = (await ada.api('GET', `/cases/told/evidence?profile_uid=${TRIO}`))
      .body;
    const item = { on: 'item', item_uid: 'a' };
    const rule = { on: 'rule', profile_uid: TRIO, profile_version, rule_uid };
    const assign = async (places: object[], to: string | null, by = ada): Promise<void> => {
      const { status, text } = await by.api('POST', '/cases/told/assignments', { places, to });
      expect(status, text).toBeLessThan(300);
    };
    await assign([item], bobId, bob);
    await assign([item, rule], bobId);
    await receiver.until(before + 1);
    await delivered();
    expect(JSON.parse(receiver.received[before]!.body)).toMatchObject({
      type: 'assigned',
      data: { case_uid: 'told', waits_for: bobId },
    });
    expect(receiver.received[before]!.body).not.toContain('thread_id');
    // As it was already, and taken back: neither is new. What comes next is the thread's.
    await assign([item, rule], bobId);
    await assign([item], null);
    const thread = await ask({ assigned_to: bobId });
    await receiver.until(before + 2);
    await delivered();
    expect(JSON.parse(receiver.received[before + 1]!.body).data.thread_id).toBe(thread);
    expect(receiver.received).toHaveLength(before + 2);
  });

  it('go by mail to those who ask, and quote nothing', async () => {
    const events = ['mentioned', 'assigned', 'answered', 'decisions'];
    expect((await bob.api('POST', '/subscriptions', { way: 'mail', events })).status).toBe(201);
    expect((await bob.api('POST', '/subscriptions', { way: 'mail', events })).status).toBe(409);
    relay.refusals = 1;
    await ask({ assigned_to: bobId });
    await vi.waitFor(
      async () =>
        expect((await bob.api('GET', '/subscriptions')).body.data[0].last?.result).toBe('EMESSAGE'),
      60_000,
    );
    server.advance(5_000);
    await relay.until(1);
    const [{ to, text }] = relay.letters as [Relay['letters'][number]];
    expect(to).toEqual([BOB.email]);
    expect(text).toMatch(/\d+ threads? of discussion/);
    expect(text).toContain('/studio');
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain('told');
    const { profile_version } = (await ada.api('GET', `/cases/told/evidence?profile_uid=${TRIO}`))
      .body;
    const rule_uid = 'parents_genotype_missing';
    const places = [
      { on: 'item', item_uid: 'a' },
      { on: 'rule', profile_uid: TRIO, profile_version, rule_uid },
    ];
    await ada.api('POST', '/cases/told/assignments', { places, to: bobId });
    await relay.until(2);
    expect(relay.letters[1]!.text).toContain('- 2 assigned items and rules');
  });

  it('tell by mail of what an agent suggests after it was refused', async () => {
    const { key } = (await ada.api('POST', '/keys', { name: 'Again', scopes: ['read', 'suggest'] }))
      .body;
    const rule_uid = 'parents_genotype_missing';
    const { project_id } = (await ada.api('GET', '/cases/told')).body;
    expect((await ada.api('POST', '/cases', { project_id, case_uid: 'again' })).status).toBe(201);
    await ada.api('POST', '/cases/again/evidence', {
      profile_uid: TRIO,
      items: [{ item_uid: 'a' }],
    });
    const say = async (raw_outcome: string): Promise<string> => {
      const { body, text } = await server.call('POST', '/api/v1/cases/again/suggestions', {
        key,
        body: { profile_uid: TRIO, suggestions: [{ item_uid: 'a', rule_uid, raw_outcome }] },
      });
      expect(body.written, text).toBe(1);
      return body.suggestions[0].suggestion_id;
    };
    const before = relay.letters.length;
    const letters = (count: number): Promise<void> =>
      vi.waitFor(() => expect(relay.letters).toHaveLength(before + count), 60_000);
    const suggestion_id = await say('TRUE');
    await letters(1);
    const refused = await bob.api('POST', '/cases/again/suggestions/decisions', {
      profile_uid: TRIO,
      decisions: [{ suggestion_id, verdict: 'refuse', reason: 'r' }],
    });
    expect(refused.body.decided, refused.text).toBe(1);
    await say('NA');
    await letters(2);
    expect(relay.letters.at(-1)!.text).toContain('suggestions to be decided in 1 case');
  });

  it('tell nobody by mail of suggestions who records that case without seeing what others say', async () => {
    const adaId = (await ada.api('GET', '/session')).body.user.user_id;
    const opened = await ada.api('POST', '/cases/told/rounds', {
      title: 'Two readings',
      recorders: [bobId, adaId],
      profile_uid: TRIO,
    });
    expect(opened.status, opened.text).toBe(201);
    const letters = relay.letters.length;
    await suggest('TRUE');
    await vi.waitFor(
      async () =>
        expect((await bob.api('GET', '/subscriptions')).body.data[0].last?.result).toBe(
          'nothing waits any more',
        ),
      60_000,
    );
    expect(relay.letters).toHaveLength(letters);
  });

  it('end with what was not delivered', async () => {
    const [{ subscription_id: mail }] = (await bob.api('GET', '/subscriptions')).body.data;
    expect((await ada.api('DELETE', `/subscriptions/${mail}`)).status).toBe(404);
    expect((await bob.api('DELETE', `/subscriptions/${subscription}`)).status).toBe(404);
    expect((await bob.api('DELETE', `/subscriptions/${mail}`)).status).toBe(200);
    expect((await ada.api('DELETE', `/subscriptions/${subscription}`)).status).toBe(200);
    expect((await ada.api('GET', '/subscriptions')).body.data).toEqual([]);
    const trail = JSON.stringify((await ada.api('GET', '/audit')).body);
    expect(trail).toContain('subscription.ended');
    expect(trail).not.toContain('whsec_');
  });
});
