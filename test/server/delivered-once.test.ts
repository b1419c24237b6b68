import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createSetupToken } from '../../src/server/auth/setup-token.ts';
import { TRIO } from '../support/evidence.ts';
import { lengthOf } from '../support/length.ts';
import { startReceiver, type Receiver } from '../support/receivers.ts';
import { bootServer, type TestServer } from '../support/server.ts';
import { type Authority, OPENSSL, startAuthority } from '../support/time-stamps.ts';
import { setUp, type Visitor } from '../support/visitor.ts';

/** What instances on one PostgreSQL send: all of them look for it, and one takes it. */

const NOTICES = lengthOf(12, 200);
const SIGNATURES = lengthOf(3, 40);
let server: TestServer;
let receiver: Receiver;
let authority: Authority | undefined;
let ada: Visitor;
beforeAll(async () => {
  receiver = await startReceiver();
  authority = OPENSSL === undefined ? undefined : await startAuthority();
  server = await bootServer({
    deps: {
      home: 'hosted',
      notices: { webhooks: 'any', mail: undefined },
      ...(authority && {
        timeStamps: {
          authority: { url: authority.url, policy: undefined, mayBePrivate: true },
          trusted: authority.ca,
        },
      }),
    },
  });
  ada = await setUp(server, await createSetupToken(server.deps));
  const { project_id } = (await ada.api('POST', '/projects', { name: 'P' })).body;
  await ada.api('POST', '/cases', { project_id, case_uid: 'told' });
  await ada.api('POST', '/cases/told/evidence', { profile_uid: TRIO, items: [{ item_uid: 'a' }] });
});
afterAll(async () => {
  await server.close();
  await receiver[Symbol.asyncDispose]();
  await authority?.[Symbol.asyncDispose]();
});

it('a notice is accepted once while several instances deliver', async () => {
  const { user_id } = (await ada.api('GET', '/session')).body.user;
  await ada.api('POST', '/subscriptions', {
    way: 'webhook',
    url: receiver.url,
    events: ['assigned'],
  });
  const threads: string[] = [];
  for (let place = 0; place < NOTICES; place += 1) {
    const { body, text } = await ada.api('POST', '/cases/told/threads', {
      place: { on: 'item', item_uid: 'a' },
      kind: 'query',
      text: 'Why?',
      assigned_to: user_id,
    });
    expect(body.thread_id, text).toBeTypeOf('string');
    threads.push(body.thread_id);
  }
  await receiver.until(NOTICES);
  // What comes after them is told when all have looked once more.
  const [last] = threads.splice(0, 1);
  await ada.api('POST', `/cases/told/threads/${last}/entries`, { does: 'assign', to: null });
  await ada.api('POST', `/cases/told/threads/${last}/entries`, { does: 'assign', to: user_id });
  await receiver.until(NOTICES + 1);
  const told = receiver.received.map(({ body }) => JSON.parse(body).data.thread_id as string);
  expect(told.toSorted()).toEqual([...threads, last, last].toSorted());
});

it.skipIf(OPENSSL === undefined)('a time-stamp is asked for once, and stored once', async () => {
  const { body: run } = await ada.api('POST', '/runs', { case_uid: 'told', profile_uid: TRIO });
  const to = `/runs/${run.run_uid}/signatures`;
  for (let place = 0; place < SIGNATURES; place += 1) {
    const { status, text } = await ada.api('POST', to, {
      content_hash: run.content_hash,
      meaning: 'review',
      password: 'seven purple rivers turn',
    });
    expect(status, text).toBe(201);
  }
  await vi.waitFor(async () => {
    const { data } = (await ada.api('GET', to)).body;
    expect(data).toHaveLength(SIGNATURES);
    for (const { checks } of data) expect(checks.time).toBe('confirmed');
  }, 60_000);
  expect(authority!.asked).toHaveLength(SIGNATURES);
});
