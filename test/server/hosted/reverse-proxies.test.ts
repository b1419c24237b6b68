import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { freePort } from '../../support/postgres.ts';
import { IS_LONG } from '../../support/length.ts';
import { CLIENT, Line, ORIGIN } from '../../support/proxy-line.ts';
import {
  findPrograms,
  HOST_NAME,
  type ReverseProxy,
  startCaddy,
  startNginx,
} from '../../support/reverse-proxies.ts';
import { type Served, serve } from '../../support/served.ts';
import type { TestAnswer } from '../../support/server.ts';
import { OWNER, setUp, Visitor } from '../../support/visitor.ts';

const PROFILE = 'general_claim_evidence';
const MIB = 1024 * 1024;
const PROXIES = ['nginx', 'Caddy'] as const;
type Name = (typeof PROXIES)[number];

/** One request over HTTP/1.1. */
function ask(
  request: http.ClientRequest,
): Promise<{ status: number | undefined; headers: http.IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    request
      .once('error', reject)
      .once('response', (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (part: string) => (text += part))
          .once('end', () =>
            resolve({ status: response.statusCode, headers: response.headers, text }),
          );
      })
      .end();
  });
}

/** One of an instance's figures; 0 where it has not been counted yet. */
async function figure(server: Served, pattern: RegExp): Promise<number> {
  const text = await (await fetch(/figures at (\S+)/.exec(server.output())![1]!)).text();
  return Number(pattern.exec(text)?.[1] ?? 0);
}

const programs = findPrograms();

describe.skipIf(programs === undefined)(
  'the proxies of deploy/ before two hosted instances',
  () => {
    let database: PlainDatabase;
    let folder: string;
    let key: string;
    const instances: Served[] = [];
    const proxies = new Map<Name, ReverseProxy>();
    const lines = new Map<Name, Line>();
    const line = (name: Name): Line => lines.get(name)!;

    beforeAll(async () => {
      [database, folder] = [
        await makePlainDatabase(SHARED_POSTGRES),
        await mkdtemp(path.join(tmpdir(), 'evidence-proxies-')),
      ];
      await writeFile(path.join(folder, 'secret'), Buffer.alloc(32, 5).toString('base64'));
      const env = {
        DATABASE_URL: database.url,
        EVIDENCE_STUDIO_SECRET_FILE: path.join(folder, 'secret'),
        EVIDENCE_STUDIO_PUBLIC_URL: ORIGIN,
        EVIDENCE_STUDIO_TRUSTED_PROXIES: '127.0.0.1',
        EVIDENCE_STUDIO_METRICS: '127.0.0.1:0',
        EVIDENCE_STUDIO_RATE_LIMIT: 'off',
        LOG_LEVEL: 'error',
      };
      const ports: [number, number] = [await freePort(), await freePort()];
      const begin = (port: number): Promise<Served> =>
        serve(path.join(folder, String(port)), ['--port', String(port)], env);
      const [nginx, caddy, ...served] = await Promise.all([
        startNginx(programs!, path.join(folder, 'nginx'), ports),
        startCaddy(programs!, path.join(folder, 'caddy'), ports),
        begin(ports[0]),
        begin(ports[1]),
      ]);
      instances.push(...served);
      proxies.set('nginx', nginx).set('Caddy', caddy);
      for (const [name, proxy] of proxies) lines.set(name, new Line(proxy));

      const token = (): string | undefined => /token there: (\S+)\n/.exec(served[0].output())?.[1];
      await vi.waitUntil(token, 60_000);
      const owner = await setUp(line('nginx'), token());
      key = (await owner.api('POST', '/keys', { name: 'agent', scopes: ['read', 'write'] })).body
        .key;
      const project = await send('nginx', 'POST', '/api/v1/projects', { name: 'P' });
      expect(
        (
          await send('Caddy', 'POST', '/api/v1/cases', {
            project_id: project.body.project_id,
            case_uid: 'c',
          })
        ).status,
      ).toBe(201);
    }, 60_000);
    afterAll(async () => {
      for (const { session } of lines.values()) session.destroy();
      await Promise.all([...proxies.values()].map((proxy) => proxy.stop()));
      await Promise.all(instances.map((server) => server.kill('SIGKILL')));
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    });

    const withKey = () => ({ authorization: `Bearer ${key}` });
    /** An agent's request, over the proxy of this name. */
    const send = (
      name: Name,
      method: string,
      target: string,
      body?: unknown,
    ): Promise<TestAnswer> =>
      line(name).call(method, target, {
        headers: withKey(),
        ...(typeof body === 'string' ? { raw: body } : { body }),
      });
    const record = (name: Name, item_uid: string, bytes = 0): Promise<TestAnswer> =>
      send(
        name,
        'POST',
        '/api/v1/cases/c/evidence',
        JSON.stringify({ profile_uid: PROFILE, items: [{ item_uid }], outcomes: [] }).padEnd(bytes),
      );

    it.each(PROXIES)(
      '%s hands on the name that was asked for, and leads from http to https',
      async (name) => {
        const { port, plainPort, ca } = proxies.get(name)!;
        expect([
          (await line(name).call('GET', '/login')).status,
          line(name).session.alpnProtocol,
        ]).toEqual([200, 'h2']);
        const asked = async (host: string): Promise<number | undefined> =>
          (
            await ask(
              https.request({
                host: '127.0.0.1',
                port,
                servername: HOST_NAME,
                ca,
                path: '/login',
                headers: { host },
              }),
            )
          ).status;
        expect([
          await asked(HOST_NAME),
          await asked('evil.example'),
          await asked(`${HOST_NAME}:8443`),
        ]).toEqual([200, 403, 403]);
        const plain = await ask(
          http.request({
            host: '127.0.0.1',
            port: plainPort,
            path: '/studio?x=1',
            headers: { host: HOST_NAME },
          }),
        );
        expect([[301, 308].includes(plain.status ?? 0), plain.headers.location]).toEqual([
          true,
          `${ORIGIN}/studio?x=1`,
        ]);
      },
    );

    it.each(PROXIES)(
      '%s lets people sign in, with cookies for https alone, and from where they are whatever they say of it',
      async (name) => {
        const visitor = new Visitor(line(name));
        const entered = await visitor.submit('/login', {
          email: OWNER.email,
          password: OWNER.password,
        });
        expect([
          entered.status,
          entered.headers.getSetCookie().find((cookie) => cookie.startsWith('__Host-evs_session=')),
        ]).toEqual([303, expect.stringMatching(/; Secure(;|$)/)]);
        const { sessions } = (await visitor.api('GET', '/sessions')).body;
        expect(sessions.find((session: { current: boolean }) => session.current).address).toBe(
          CLIENT,
        );
      },
    );

    it.each(PROXIES)(
      '%s takes bodies as large as the server does, and says of others that they are too large',
      async (name) => {
        const answers = [
          await record(name, `large by ${name}`, 8 * MIB),
          await record(name, 'x', 9_000_000),
          await record(name, 'x', 9 * MIB + 1),
        ];
        expect(answers.map(({ status }) => status)).toEqual([200, 413, 413]);
        expect(answers[1]!.body.error).toBe('payload_too_large');
      },
    );

    it.each(PROXIES)(
      '%s hands on what a stream tells while it is open, and tells the server when nobody listens any more',
      async (name) => {
        const streams = async (): Promise<number> => {
          const open = await Promise.all(
            instances.map((server) => figure(server, /^evidence_studio_event_streams (\d+)$/m)),
          );
          return open.reduce((sum, count) => sum + count, 0);
        };
        const stream = line(name).open('GET', '/api/v1/sync/events', withKey());
        stream.end();
        let heard = '';
        stream.setEncoding('utf8').on('data', (part: string) => (heard += part));
        await expect.poll(() => heard).toContain('retry:');
        expect(await streams()).toBe(1);
        await record(name, `told by ${name}`);
        await expect.poll(() => heard).toContain('data: {"case":"c"');
        expect(stream.closed).toBe(false);
        stream.close(http2.constants.NGHTTP2_CANCEL);
        await expect.poll(streams).toBe(0);
      },
    );

    it.each(PROXIES)(
      '%s lets people sign in and agents write while a client sends hundreds of sign-ins slowly',
      async (name) => {
        const slow = Array.from({ length: 200 }, () => {
          const stream = line(name).open('POST', '/login', {
            'content-type': 'application/x-www-form-urlencoded',
            'content-length': '4000',
          });
          stream.on('error', () => undefined);
          stream.write('email=a');
          return stream;
        });
        // More of a client than a connection may have at once wait in the client.
        const other = new Line(proxies.get(name)!, '127.0.0.4');
        for (let n = 0; n < 2; n += 1) {
          expect(
            (
              await new Visitor(other).submit('/login', {
                email: OWNER.email,
                password: OWNER.password,
              })
            ).status,
          ).toBe(303);
          expect(
            (
              await other.call('POST', '/api/v1/cases/c/evidence', {
                headers: withKey(),
                body: {
                  profile_uid: PROFILE,
                  items: [{ item_uid: `beside ${name} ${n}` }],
                  outcomes: [],
                },
              })
            ).status,
          ).toBe(200);
        }
        other.session.destroy();
        for (const stream of slow) stream.close(http2.constants.NGHTTP2_CANCEL);
      },
    );

    it.runIf(IS_LONG)(
      'go on with the other instance when one is killed, and send no POST twice',
      { timeout: 60_000 },
      async () => {
        const [killed, other] = instances as [Served, Served];
        // Caddy keeps an instance out for its `fail_duration` after requests that a client has
        // broken off.
        const asked = (): Promise<number[]> =>
          Promise.all(
            instances.map((server) =>
              figure(
                server,
                /^evidence_studio_http_requests_total\{method="GET",route="\/api\/v1\/projects",status="200"\} (\d+)$/m,
              ),
            ),
          );
        await expect
          .poll(
            async () => {
              const before = await asked();
              for (let n = 0; n < 2; n += 1) await send('Caddy', 'GET', '/api/v1/projects');
              return (await asked()).map((count, n) => count - before[n]!);
            },
            { timeout: 30_000, interval: 500 },
          )
          .toEqual([1, 1]);
        // It takes connections and requests, and does nothing with them.
        killed.child.kill('SIGSTOP');
        const reads = PROXIES.flatMap((name) =>
          Array.from({ length: 6 }, () => send(name, 'GET', '/api/v1/projects')),
        );
        interface Sent {
          name: Name;
          item: string;
          /** Of its answer; 0 before that. */
          status: number;
          retry: string | null;
        }
        const sent: Sent[] = [];
        const answers: Promise<void>[] = [];
        /** Until either instance has two of them: one is answered at once, the other never. */
        const sendByTurns = async (name: Name): Promise<void> => {
          const mine: Sent[] = [];
          const answered = (): number => mine.filter(({ status }) => status !== 0).length;
          while (answered() < 2 || mine.length - answered() < 2) {
            const one: Sent = { name, item: `${name} ${mine.length}`, status: 0, retry: null };
            mine.push(one);
            const answer = record(name, one.item).then(({ status, headers }) => {
              [one.status, one.retry] = [status, headers.get('retry-after')];
            });
            answers.push(answer);
            await Promise.race([answer, wait(1_000)]);
          }
          sent.push(...mine);
        };
        await Promise.all(PROXIES.map(sendByTurns));
        await killed.kill('SIGKILL');
        await Promise.all(answers);

        expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(
          reads.map(() => 200),
        );
        for (const name of PROXIES)
          expect(
            [
              ...new Set(sent.filter((one) => one.name === name).map(({ status }) => status)),
            ].toSorted(),
            name,
          ).toEqual([200, 502]);
        for (const name of PROXIES)
          for (let n = 0; n < 4; n += 1)
            expect((await record(name, `${name} after ${n}`)).status).toBe(200);
        // Caddy has no words of its own for it.
        for (const { status, retry } of sent.filter((one) => one.name === 'nginx'))
          expect([status, Number(retry) > 0]).toEqual([status, status === 502]);
        // The other one has exactly what it answered for.
        const { items } = (
          await send('nginx', 'GET', `/api/v1/cases/c/evidence?profile_uid=${PROFILE}&limit=100`)
        ).body;
        const there = new Set(items.map((item: { item_uid: string }) => item.item_uid));
        expect(sent.filter(({ item }) => there.has(item))).toEqual(
          sent.filter(({ status }) => status === 200),
        );
        expect(other.child.exitCode).toBe(null);
      },
    );

    it('nginx says when to come again where no instance answers, in the words of the server', async () => {
      await Promise.all(instances.map((server) => server.kill('SIGKILL')));
      const refused = await send('nginx', 'GET', '/api/v1/projects');
      expect([
        refused.status,
        Number(refused.headers.get('retry-after')) > 0,
        refused.body,
      ]).toEqual([
        502,
        true,
        {
          error: 'unavailable',
          message: 'The server does not answer; try again.',
          details: [],
          request_id: null,
        },
      ]);
    });
  },
);
