import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { freePort } from '../../support/postgres.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { startReceiver, startRelay, type Receiver, type Relay } from '../../support/receivers.ts';
import { serve, type Served } from '../../support/served.ts';
import { OPENSSL, startAuthority, type Authority } from '../../support/time-stamps.ts';
import { browserAt, setUp, type Visitor } from '../../support/visitor.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'evidence-notices-'));
let database: PlainDatabase;
let receiver: Receiver;
let relay: Relay;
let authority: Authority | undefined;
let ada: Visitor;
let served: Served;
let port: number;

/** A hosted server as a process of its own, on the same address and database each time. */
async function start(): Promise<void> {
  served = await serve(path.join(folder, 'data'), ['--port', String(port)], {
    DATABASE_URL: database.url,
    EVIDENCE_STUDIO_SECRET_FILE: path.join(folder, 'secret'),
    EVIDENCE_STUDIO_PUBLIC_URL: `http://127.0.0.1:${port}`,
    EVIDENCE_STUDIO_WEBHOOKS: 'any',
    EVIDENCE_STUDIO_MAIL: relay.url,
    EVIDENCE_STUDIO_MAIL_FROM: 'studio@example.org',
    ...(authority && {
      EVIDENCE_STUDIO_TIME_STAMP_URL: authority.url,
      EVIDENCE_STUDIO_TIME_STAMP_CA: authority.caFile,
      EVIDENCE_STUDIO_TIME_STAMP_PRIVATE: '1',
    }),
    LOG_LEVEL: 'error',
  });
}

beforeAll(async () => {
  [receiver, relay] = await Promise.all([startReceiver(), startRelay()]);
  if (OPENSSL !== undefined) authority = await startAuthority();
  database = await makePlainDatabase(SHARED_POSTGRES);
  port = await freePort();
  writeFileSync(path.join(folder, 'secret'), Buffer.alloc(32, 7).toString('base64'), {
    mode: 0o600,
  });
  await start();
});
afterAll(async () => {
  await served.kill('SIGKILL');
  await database.drop();
  await receiver[Symbol.asyncDispose]();
  await relay[Symbol.asyncDispose]();
  await authority?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

it('a notice outlives kill -9 while its receiver has not answered, and between two attempts', async () => {
  const token = /token there: (\S+)\n/;
  await vi.waitFor(() => expect(served.output()).toMatch(token), 60_000);
  ada = await setUp(browserAt(served.url), token.exec(served.output())?.[1]);
  const user = (await ada.api('GET', '/session')).body.user.user_id;
  const { project_id } = (await ada.api('POST', '/projects', { name: 'P' })).body;
  await ada.api('POST', '/cases', { project_id, case_uid: 'told' });
  await ada.api('POST', '/cases/told/evidence', {
    profile_uid: 'general_claim_evidence',
    items: [{ item_uid: 'a' }],
  });
  const events = ['assigned'];
  const hook = await ada.api('POST', '/subscriptions', {
    way: 'webhook',
    url: receiver.url,
    events,
  });
  expect((await ada.api('POST', '/subscriptions', { way: 'mail', events })).status).toBe(201);
  receiver.answers.push('silent', 503);
  relay.refusals = 1;
  const asked = await ada.api('POST', '/cases/told/threads', {
    place: { on: 'item', item_uid: 'a' },
    kind: 'query',
    text: 'Why?',
    assigned_to: user,
  });
  expect(asked.status, asked.text).toBe(201);
  await receiver.until(1);
  await served.kill('SIGKILL');
  await start();
  await receiver.until(2);
  await served.kill('SIGKILL');
  await start();
  await Promise.all([receiver.until(3), relay.until(1)]);
  const names = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(names).size).toBe(1);
  for (const { headers, body } of receiver.received)
    expect(
      new Webhook(hook.body.secret).verify(body, headers as Record<string, string>),
    ).toMatchObject({ type: 'assigned', data: { waits_for: user } });
  await vi.waitFor(async () => {
    const { data } = (await ada.api('GET', '/subscriptions')).body;
    expect(data.map(({ last }: { last: { result: string } | null }) => last?.result)).toEqual([
      'delivered',
      'delivered',
    ]);
  }, 60_000);
  // Where a kill comes between a delivery and its note, it is repeated under the same name.
  const letters = relay.letters.map(({ text }) => /^Message-ID: (.+)$/im.exec(text)?.[1]);
  expect([...new Set(letters)]).toEqual([expect.any(String)]);
}, 240_000);

it.runIf(OPENSSL !== undefined)(
  'a time-stamp that is to be asked for outlives kill -9, and is asked for until it is there',
  async () => {
    const { asked, next } = authority as Authority;
    const { body: run } = await ada.api('POST', '/runs', {
      case_uid: 'told',
      profile_uid: 'general_claim_evidence',
    });
    next.push('silent', { status: 503 });
    const to = `/runs/${run.run_uid}/signatures`;
    const signed = await ada.api('POST', to, {
      content_hash: run.content_hash,
      meaning: 'review',
      password: 'seven purple rivers turn',
    });
    expect(signed.status, signed.text).toBe(201);
    for (const attempts of [1, 2]) {
      await vi.waitFor(() => expect(asked).toHaveLength(attempts), 60_000);
      await served.kill('SIGKILL');
      await start();
    }
    await vi.waitFor(async () => {
      const [{ checks }] = (await ada.api('GET', to)).body.data;
      expect(checks).toMatchObject({ signature: 'valid', time: 'confirmed' });
    }, 60_000);
    expect(asked).toHaveLength(3);
  },
  240_000,
);
