import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/server/config/config.ts';
import { listenForMetrics, type MetricsListener } from '../../../src/server/metrics/listener.ts';
import { createPrometheus } from '../../../src/server/metrics/prometheus.ts';
import { makeCase, recordCell } from '../../support/evidence.ts';
import { makePlainDatabase, SHARED_POSTGRES } from '../../support/plain-database.ts';
import { rawRequest } from '../../support/raw-http.ts';
import { call, command, makeKey, serve } from '../../support/served.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { unseenOutcome, wireChange } from '../../support/sync-change.ts';

const TOKEN = 't'.repeat(40);
let server: TestServer;
let open: MetricsListener;
let guarded: MetricsListener;
beforeAll(async () => {
  const metrics = createPrometheus();
  server = await bootServer({ deps: { metrics } });
  const options = {
    host: '127.0.0.1',
    port: 0,
    text: metrics.text,
    readiness: server.server.readiness,
  };
  open = await listenForMetrics({ ...options, token: undefined });
  guarded = await listenForMetrics({ ...options, token: TOKEN });
});
afterAll(async () => {
  await Promise.all([open.close(), guarded.close()]);
  await server.close();
});

const read = async (
  path = '/metrics',
  door = open,
  headers = {},
): Promise<{ status: number; text: string }> => {
  const response = await fetch(door.url + path, { headers });
  return { status: response.status, text: await response.text() };
};
/** The value of one line of the page. */
const figure = (text: string, line: string): number | undefined => {
  const found = text.split('\n').find((row) => row.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
};

describe('figures', () => {
  it('count requests by route, status and code, without a name out of the data', async () => {
    await makeCase(server, 'CANARY-case', 'CANARY project');
    await recordCell(server, 'CANARY-case');
    await server.call('GET', '/api/v1/projects');
    await server.call('GET', '/CANARY');
    await server.call('POST', '/api/v1/projects', { body: { name: 1 } });
    await rawRequest(
      server.url,
      `PROPFIND /api/v1/projects HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nAuthorization: Bearer ${server.key}\r\n\r\n`,
    );
    const { status, text } = await read();
    expect(status).toBe(200);
    expect(
      figure(
        text,
        'evidence_studio_http_requests_total{method="GET",route="/api/v1/projects",status="200"}',
      ),
    ).toBe(1);
    expect(
      figure(
        text,
        'evidence_studio_http_requests_total{method="POST",route="/api/v1/projects",status="422"}',
      ),
    ).toBe(1);
    expect(
      figure(
        text,
        'evidence_studio_http_requests_total{method="other",route="/api/v1/projects",status="405"}',
      ),
    ).toBe(1);
    expect(figure(text, 'evidence_studio_http_refusals_total{code="not_found"}')).toBe(1);
    expect(
      figure(
        text,
        'evidence_studio_http_request_duration_seconds_count{method="GET",route="/api/v1/projects"}',
      ),
    ).toBe(1);
    expect(figure(text, 'evidence_studio_connections')).toBeGreaterThan(0);
    expect(figure(text, 'process_resident_memory_bytes')).toBeGreaterThan(1e7);
    expect(text).not.toMatch(/CANARY|acc_|usr_|evs_|prj_/);
  });

  it('say how far behind the sender of a push was, once for what is new', async () => {
    const change = wireChange('CANARY-case', server.deps.store.local.user_id, [
      unseenOutcome(
        {
          profile: 'trio_rare_disease',
          version: '1.1',
          rule: 'parents_genotype_missing',
          item: 'item_1',
        },
        'TRUE',
      ),
    ]);
    for (const _ of [1, 2])
      expect(
        (
          await server.call('POST', '/api/v1/sync/cases/CANARY-case/push', {
            key: server.syncKey,
            body: { protocol: 1, changes: [change] },
          })
        ).status,
      ).toBe(200);
    const { text } = await read();
    expect(figure(text, 'evidence_studio_sync_changes_total')).toBe(1);
    expect(figure(text, 'evidence_studio_sync_lag_seconds_count')).toBe(1);
    expect(figure(text, 'evidence_studio_sync_lag_seconds_bucket{le="60"}')).toBe(1);
  });

  it('count streams of events that are open, and not how long they stay so', async () => {
    const abort = new AbortController();
    const stream = await fetch(`${server.url}/api/v1/sync/events`, {
      headers: { authorization: `Bearer ${server.key}` },
      signal: abort.signal,
    });
    expect(stream.status).toBe(200);
    expect(figure((await read()).text, 'evidence_studio_event_streams')).toBe(1);
    abort.abort();
    await expect
      .poll(async () =>
        figure(
          (await read()).text,
          'evidence_studio_http_requests_total{method="GET",route="/api/v1/sync/events",status="200"}',
        ),
      )
      .toBe(1);
    const { text } = await read();
    expect(figure(text, 'evidence_studio_event_streams')).toBe(0);
    expect(text).not.toContain('duration_seconds_count{method="GET",route="/api/v1/sync/events"}');
  });
});

describe('the door of those who run the server', () => {
  it('is not the public one', async () => {
    expect((await server.call('GET', '/metrics')).status).toBe(404);
  });
  it('says whether the instance is alive and ready, also while it stops', async () => {
    expect(await read('/healthz')).toEqual({ status: 200, text: 'ok' });
    expect(await read('/readyz')).toEqual({ status: 200, text: 'ready' });
    expect((await read('/anything')).status).toBe(404);
    const stopping = await bootServer();
    const door = await listenForMetrics({
      host: '127.0.0.1',
      port: 0,
      token: undefined,
      text: async () => '',
      readiness: stopping.server.readiness,
    });
    await stopping.close();
    expect(await read('/readyz', door)).toEqual({
      status: 503,
      text: 'not ready: The server is stopping.',
    });
    await door.close();
  });
  it('with a token shows figures to its bearer alone', async () => {
    expect((await read('/metrics', guarded)).status).toBe(401);
    expect((await read('/metrics', guarded, { authorization: `Bearer ${TOKEN}x` })).status).toBe(
      401,
    );
    expect((await read('/metrics', guarded, { authorization: `Bearer ${TOKEN}` })).status).toBe(
      200,
    );
    expect((await read('/readyz', guarded)).status).toBe(200);
  });
  it('without one answers to loopback names only', async () => {
    const answer = await rawRequest(
      open.url,
      'GET /metrics HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n',
    );
    expect(answer.status).toBe(403);
  });
  it('opens to a network with a token only', () => {
    expect(() => readConfig({ EVIDENCE_STUDIO_METRICS: '0.0.0.0:9464' })).toThrow(
      'set EVIDENCE_STUDIO_METRICS_TOKEN',
    );
    expect(() => readConfig({ EVIDENCE_STUDIO_METRICS: '9464' })).toThrow(
      /EVIDENCE_STUDIO_METRICS .*address and a port/,
    );
    expect(() =>
      readConfig({
        EVIDENCE_STUDIO_METRICS: '127.0.0.1:9464',
        EVIDENCE_STUDIO_METRICS_TOKEN: 'short',
      }),
    ).toThrow(/32 to 256/);
    expect(
      readConfig({ EVIDENCE_STUDIO_METRICS: '[::1]:9464', EVIDENCE_STUDIO_METRICS_TOKEN: TOKEN })
        .metrics,
    ).toEqual({ host: '::1', port: 9464, token: TOKEN });
  });
});

describe('evidence-studio serve', () => {
  it(
    'opens that door where it is asked to, on PostgreSQL with the pool, and stops with its server',
    { timeout: 60_000 },
    async () => {
      const database = await makePlainDatabase(SHARED_POSTGRES);
      const folder = await mkdtemp(path.join(tmpdir(), 'evidence-metrics-'));
      try {
        const env = { DATABASE_URL: database.url, EVIDENCE_STUDIO_METRICS: '127.0.0.1:0' };
        const key = await makeKey(folder, 'read', env);
        const served = await serve(folder, [], env);
        const url = /figures at (http:\S+)\/metrics/.exec(served.output())![1]!;
        expect((await call(served.url, key, 'GET', '/api/v1/projects')).status).toBe(200);
        const { text } = await read('/metrics', { url, close: async () => {} });
        expect(figure(text, 'evidence_studio_database_connections{state="idle"}')).toBeGreaterThan(
          0,
        );
        expect(figure(text, 'evidence_studio_database_connections{state="waiting"}')).toBe(0);
        const taken = await command(['serve', '--port', '0', '--data', folder], {
          ...env,
          EVIDENCE_STUDIO_METRICS: new URL(url).host,
        });
        expect([taken.code, taken.stderr]).toEqual([
          1,
          expect.stringMatching(/EVIDENCE_STUDIO_METRICS: port \d+ on 127\.0\.0\.1 is in use/),
        ]);
        await served.kill('SIGTERM');
        expect(served.child.exitCode).toBe(0);
        await expect(fetch(`${url}/healthz`)).rejects.toThrow();
      } finally {
        await database.drop();
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
});
