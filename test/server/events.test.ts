import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNT_HINT, SyncEvent } from '../../src/shared/contract/sync.ts';
import { alone } from '../support/alone.ts';
import { makeCase, recordCell } from '../support/evidence.ts';
import { bootServer, type TestServer } from '../support/server.ts';
import { unseenOutcome, wireChange } from '../support/sync-change.ts';
import { testHasher } from '../support/hasher.ts';

let server: TestServer;
beforeAll(async () => {
  server = await bootServer();
  await makeCase(server, 'case-1');
});
afterAll(() => server.close());

interface Stream {
  status: number;
  contentType: string | null;
  /** Resolves with the next `data:` line, or undefined where the stream ends. */
  next(): Promise<unknown>;
  close(): void;
}
async function listen(url: string, key: string): Promise<Stream> {
  const abort = new AbortController();
  const response = await fetch(`${url}/api/v1/sync/events`, {
    headers: { authorization: `Bearer ${key}` },
    signal: abort.signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let buffered = '';
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    async next() {
      for (;;) {
        const match = /^data: (.*)\n\n/m.exec(buffered);
        if (match !== null) {
          buffered = buffered.slice(match.index + match[0].length);
          return JSON.parse(match[1]!) as unknown;
        }
        const { done, value } = await reader.read();
        if (done) return undefined;
        buffered += value;
      }
    },
    close: () => abort.abort(),
  };
}

describe('server-sent events', () => {
  it('tell that something of the account has changed, such as a member’s role, and go on', async () => {
    const { store } = server.deps;
    const { account_id } = store.local;
    const member = await store.transact((writer) =>
      writer.userWrites.ensure(account_id, 'Vera', 'viewer'),
    );
    const stream = await listen(server.url, server.readKey);
    await store.transact((writer) =>
      writer.teamWrites.changeRole(account_id, member.user_id, 'member'),
    );
    expect(SyncEvent.parse(await stream.next())).toEqual({ case: ACCOUNT_HINT, seq: 0 });
    stream.close();
  });

  it('hint at each commit that grew a log', async () => {
    const stream = await listen(server.url, server.readKey);
    expect([stream.status, stream.contentType]).toEqual([200, 'text/event-stream; charset=utf-8']);
    await recordCell(server, 'case-1');
    const first = SyncEvent.parse(await stream.next());
    expect(first.case).toBe('case-1');
    const entry = unseenOutcome(
      {
        profile: 'trio_rare_disease',
        version: '1.1',
        rule: 'parents_genotype_missing',
        item: 'item_1',
      },
      'NA',
    );
    await server.call('POST', '/api/v1/sync/cases/case-1/push', {
      key: server.syncKey,
      body: {
        protocol: 1,
        changes: [wireChange('case-1', server.deps.store.local.user_id, [entry])],
      },
    });
    const second = SyncEvent.parse(await stream.next());
    expect(second.seq).toBeGreaterThan(first.seq);
    stream.close();
  });

  alone('ask for credentials, take no parameters, and are bounded', async () => {
    expect((await server.call('GET', '/api/v1/sync/events', { key: null })).status).toBe(401);
    expect(
      (
        await server.call('GET', '/api/v1/sync/events', {
          key: await server.makeKey({ scopes: ['write'] }),
        })
      ).body.error,
    ).toBe('insufficient_scope');
    expect((await server.call('GET', '/api/v1/sync/events?x=1')).body.error).toBe('invalid_query');
    expect((await server.call('POST', '/api/v1/sync/events', { body: {} })).status).toBe(405);
    expect((await server.call('HEAD', '/api/v1/sync/events')).status).toBe(200);
    const streams = await Promise.all(
      Array.from({ length: 16 }, () => listen(server.url, server.key)),
    );
    const refused = await server.call('GET', '/api/v1/sync/events');
    expect([refused.body.error, refused.headers.get('retry-after')]).toEqual([
      'rate_limited',
      '30',
    ]);
    for (const stream of streams) stream.close();
  });

  it('end when the server stops', async () => {
    // What does not end by itself would be waited for until long after this test.
    const other = await bootServer({ server: { limits: { graceTimeout: 600_000 } } });
    const stream = await listen(other.url, other.key);
    const ended = stream.next();
    await other.close();
    expect(await ended).toBeUndefined();
  });
});

describe('the log over HTTP', () => {
  it('is told from any position, with what is needed to check it', async () => {
    const hello = await server.call('GET', '/api/v1/sync/hello');
    expect(hello.body).toMatchObject({
      protocol: { min: 1, max: 1 },
      store: server.deps.store.storeId,
      epoch: server.deps.store.epoch,
    });
    const { body: all } = await server.call('GET', '/api/v1/sync/cases/case-1/changes?after=0');
    expect(all).toMatchObject({ from: 0, n: all.changes.length, more: false });
    const { body: cases } = await server.call('GET', '/api/v1/sync/cases');
    expect(
      cases.cases.find((entry: { case_uid: string }) => entry.case_uid === 'case-1'),
    ).toMatchObject({ seq: all.to, chain: all.chain });
    const { body: first } = await server.call(
      'GET',
      '/api/v1/sync/cases/case-1/changes?after=0&limit=1',
    );
    expect(first).toMatchObject({ n: 1, more: true });
    const witness = `${all.epoch};${all.to};${all.chain}`;
    expect(
      (
        await server.call('GET', `/api/v1/sync/cases/case-1/changes?after=${all.to}`, {
          headers: { 'sync-witness': witness },
        })
      ).body,
    ).toMatchObject({ n: 0, more: false });
    expect(
      (
        await server.call('GET', '/api/v1/sync/cases/case-1/changes?after=0', {
          headers: { 'sync-witness': `${all.epoch};${all.to + 1};${all.chain}` },
        })
      ).body.error,
    ).toBe('diverged');
  });
  it('comes as a snapshot too', async () => {
    const { status, body } = await server.call(
      'GET',
      '/api/v1/sync/cases/case-1/snapshot?profile_uid=trio_rare_disease',
    );
    expect(status).toBe(200);
    expect([body.n, body.sha256]).toEqual([1, testHasher.sha256Hex(body.chunk)]);
    const chunk = JSON.parse(body.chunk);
    expect(chunk.items.map((item: { item_uid: string }) => item.item_uid)).toEqual(['item_1']);
    expect(chunk.raw).toHaveLength(5);
  });
  it('takes a change twice and keeps it once', async () => {
    const changes = [
      wireChange('case-1', server.deps.store.local.user_id, [
        unseenOutcome(
          {
            profile: 'trio_rare_disease',
            version: '1.1',
            rule: 'de_novo_origin_open',
            item: 'item_1',
          },
          'TRUE',
        ),
      ]),
    ];
    const send = () =>
      server.call('POST', '/api/v1/sync/cases/case-1/push', {
        key: server.syncKey,
        body: { protocol: 1, changes },
      });
    const [first, second] = [await send(), await send()];
    expect([first.body.results[0].status, second.body.results[0].status]).toEqual([
      'applied',
      'duplicate',
    ]);
    expect(second.body.seq).toBe(first.body.seq);
  });
});
