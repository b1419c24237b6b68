import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../../src/server/auth/sign-in.ts';
import { bystander } from '../../support/bystander.ts';
import { databaseHash } from '../../support/database-hash.ts';
import { makeCase, recordCell, TRIO } from '../../support/evidence.ts';
import { lengthOf } from '../../support/length.ts';
import { otherAccount } from '../../support/other-account.ts';
import { exchange, type RawAnswer } from '../../support/raw-http.ts';
import { makeKey, serve, type Served } from '../../support/served.ts';
import { bootServer, type TestServer } from '../../support/server.ts';

/** Addresses of this computer: a client that lies, and a proxy that is believed. */
const LIAR = '127.0.0.1';
const PROXY = '127.0.0.3';

/** More than there are places, for one client and for all. */
const OF_ONE = lengthOf(1_500, 10_000);
const OF_ALL = lengthOf(4_500, 10_000);

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, LIAR, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

let server: TestServer;
let stranger: string;
beforeAll(async () => {
  server = await bootServer({
    server: {
      trustedProxies: [PROXY],
      limits: { headersTimeout: 900, requestTimeout: 1_500, connectionsCheckingInterval: 100 },
    },
  });
  await makeCase(server, 'case-1');
  await recordCell(server, 'case-1');
  stranger = await otherAccount(server);
});
afterAll(() => server.close());

const host = (): string => new URL(server.url).host;
function ask(lines: string, from = LIAR): Promise<RawAnswer> {
  const socket = net.connect({ port: server.server.port, host: '127.0.0.1', localAddress: from });
  return exchange(socket, `${lines.replace('HTTP/1.1', `HTTP/1.1\r\nHost: ${host()}`)}\r\n\r\n`);
}
const codeOf = (answer: RawAnswer): string => (JSON.parse(answer.body) as { error: string }).error;

/** The attack, and somebody else who is served all the while. */
async function besides(attack: () => Promise<void>): Promise<void> {
  const other = bystander(server.url, stranger);
  try {
    await attack();
  } finally {
    const statuses = await other.stop();
    expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([]);
  }
}

/** [what, the attack with what it must meet] */
const ATTACKS: [string, () => Promise<void>][] = [
  [
    'another X-Forwarded-For with each guess of a key: it is one guesser',
    async () => {
      const codes: string[] = [];
      for (let n = 0; n < 30; n += 1)
        codes.push(
          codeOf(
            await ask(
              `GET /api/v1/projects HTTP/1.1\r\nX-Forwarded-For: 198.51.100.${n}\r\nAuthorization: Bearer evs_guess`,
            ),
          ),
        );
      expect(codes.filter((code) => code === 'invalid_key').length).toBeLessThanOrEqual(21);
      expect(codes.at(-1)).toBe('rate_limited');
    },
  ],
  [
    'the same through a proxy that is believed: what the client wrote before it does not count',
    async () => {
      const guess = async (client: string, n: number) =>
        codeOf(
          await ask(
            `GET /api/v1/projects HTTP/1.1\r\nX-Forwarded-For: 198.51.100.${n}, ${client}\r\nAuthorization: Bearer evs_guess`,
            PROXY,
          ),
        );
      const codes: string[] = [];
      for (let n = 0; n < 30; n += 1) codes.push(await guess('203.0.113.7', n));
      expect(codes.at(-1)).toBe('rate_limited');
      // Whoever else comes over that proxy is another.
      expect(await guess('203.0.113.8', 0)).toBe('invalid_key');
    },
  ],
  [
    'a key in the address, in any spelling: refused, and not in the log',
    async () => {
      for (const target of [
        `/api/v1/projects?api_key=${server.key}`,
        `/${server.key}`,
        `/api/v1/projects?x=${server.key.replace('evs_', '%65vs%5f')}`,
        `/studio/runs/${server.key}`,
      ]) {
        const answer = await ask(`GET ${target} HTTP/1.1`);
        expect([answer.status, codeOf(answer)]).toEqual([400, 'key_in_url']);
        expect(answer.body + answer.head).not.toContain(server.key.slice(14));
      }
      expect(server.log()).not.toContain(server.key.slice(14));
    },
  ],
  [
    "a cookie without proof that one's own page asks: nothing is written",
    async () => {
      const link = await createSignInLink(server.deps, server.url);
      const cookie = (
        await server.call('GET', link.slice(server.url.length), { key: null })
      ).headers
        .get('set-cookie')!
        .split(';')[0]!;
      const before = databaseHash(server.databaseFile);
      const write = async (headers: string): Promise<string> =>
        codeOf(
          await ask(
            `POST /api/v1/projects HTTP/1.1\r\nCookie: ${cookie}\r\n` +
              `${headers}Content-Type: application/json\r\nContent-Length: 16\r\n\r\n` +
              '{"name":"forged"',
          ),
        );
      expect(await write('')).toBe('csrf_failed');
      expect(await write('Sec-Fetch-Site: same-site\r\n')).toBe('origin_not_allowed');
      expect(await write('Sec-Fetch-Site: cross-site\r\n')).toBe('origin_not_allowed');
      expect(await write('Sec-Fetch-Site: none\r\n')).toBe('csrf_failed');
      expect(await write('Origin: http://evil.test\r\n')).toBe('origin_not_allowed');
      expect(await write('Origin: null\r\n')).toBe('origin_not_allowed');
      expect(databaseHash(server.databaseFile)).toBe(before);
    },
  ],
  [
    'lines and headers slipped into what an answer repeats: none comes out',
    async () => {
      const attempts = [
        'GET /studio/runs/x%0d%0aSet-Cookie:%20evs_session=a HTTP/1.1',
        'GET /login?next=%0d%0aSet-Cookie:%20evs_session=a HTTP/1.1',
        'GET /sign-in?token=%0d%0aLocation:%20http://evil.test HTTP/1.1',
        `GET /api/v1/runs/x%0d%0aX-Evil:%20a HTTP/1.1\r\nAuthorization: Bearer ${server.key}`,
        `GET /api/v1/projects HTTP/1.1\r\nAuthorization: Bearer ${server.key}\r\nX-Request-Id: evil\r\nIf-None-Match: "a\tX-Evil: a"`,
        `GET /api/v1/projects HTTP/1.1\r\nAuthorization: Bearer ${server.key}\r\n X-Evil: folded`,
        `GET /api/v1/projects HTTP/1.1\r\nAuthorization: Bearer ${server.key}\r\nX-A: b\nX-Evil: c`,
      ];
      for (const attempt of attempts) {
        const answer = await ask(attempt);
        expect(answer.status, attempt).toBeLessThan(500);
        expect(answer.head, attempt).not.toMatch(/^(x-evil|set-cookie|location: http)|evil/im);
      }
      const name = 'x\r\nX-Evil: a';
      expect(
        (await server.call('POST', '/api/v1/cases', { body: { project_id: name, case_uid: name } }))
          .status,
      ).toBe(422);
      expect(
        (
          await server.call('POST', '/api/v1/projects', {
            body: { name: 'plain' },
            headers: { 'idempotency-key': 'a\tb' },
          })
        ).status,
      ).toBe(400);
    },
  ],
  [
    "headers that other servers obey: a method, a path, a host and an address of the client's choice",
    async () => {
      const before = databaseHash(server.databaseFile);
      const own = `Authorization: Bearer ${server.key}`;
      for (const header of [
        'X-HTTP-Method-Override: DELETE',
        'X-Original-URL: /api/v1/members',
        'X-Rewrite-URL: /setup',
        'X-Forwarded-Host: evil.test',
        'Forwarded: for=10.0.0.1;host=evil.test',
        'X-Forwarded-Proto: https',
      ]) {
        const answer = await ask(`GET /api/v1/projects HTTP/1.1\r\n${own}\r\n${header}`);
        expect([header, answer.status]).toEqual([header, 200]);
        expect(answer.body).not.toContain('evil');
      }
      expect(databaseHash(server.databaseFile)).toBe(before);
    },
  ],
  [
    'requests that never end, 300 of them: each is told so and ended',
    async () => {
      const slow = Array.from({ length: 300 }, (_, n) => {
        const socket = net.connect(server.server.port, '127.0.0.1');
        const beginning =
          n % 2 === 0
            ? 'GET /api/v1/projects HTTP/1.1\r\nX-Slow: '
            : `POST /api/v1/projects HTTP/1.1\r\nHost: ${host()}\r\n` +
              `Authorization: Bearer ${server.key}\r\nContent-Type: application/json\r\n` +
              'Content-Length: 900\r\n\r\n{';
        const dribble = setInterval(() => socket.write('a'), 200);
        socket.once('close', () => clearInterval(dribble));
        return exchange(socket, beginning);
      });
      const answers = await Promise.all(slow);
      // A connection that has asked nothing yet may just be closed to make room; more bodies than
      // there are places are refused at once.
      expect(answers.filter(({ status }) => ![0, 408, 429].includes(status))).toEqual([]);
      expect(answers.filter(({ status }) => status === 408).length).toBeGreaterThanOrEqual(32);
    },
  ],
  [
    'bodies that unpack to four hundred times their size: refused before they are',
    async () => {
      const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
      const send = (target: string) =>
        server.call('POST', target, {
          raw: new Uint8Array(bomb),
          headers: { 'content-encoding': 'gzip' },
        });
      const before = process.memoryUsage().rss;
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => send('/api/v1/sync/cases/case-1/push')),
      );
      expect(answers.map(({ status, body }) => [status, body.error])).toEqual(
        answers.map(() => [413, 'payload_too_large']),
      );
      expect((await send('/api/v1/evidence')).body.error).toBe('unsupported_media_type');
      // All twelve unpacked would be 768 MiB.
      expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
    },
  ],
  [
    "fields that are not the client's to set: refused by name, nothing is written",
    async () => {
      const { user_id } = server.deps.store.local;
      const project = (await server.call('GET', '/api/v1/projects')).body.data[0]
        .project_id as string;
      const before = databaseHash(server.databaseFile);
      const OWNED = {
        account_id: 'acc_other',
        user_id,
        role: 'owner',
        version: 9,
        created_at: '2000-01-01T00:00:00.000Z',
        created_by: 'me',
        updated_by: 'me',
        mac: 'x',
        deleted: true,
        quarantined: [],
        content_hash: 'sha256:0',
        isAdmin: true,
        constructor: {},
        stream_pk: 1,
      };
      const bodies: [string, Record<string, unknown>][] = [
        ['/api/v1/projects', { name: 'x' }],
        ['/api/v1/cases', { project_id: project, case_uid: 'case-1' }],
        [
          '/api/v1/evidence',
          { case_uid: 'case-1', profile_uid: TRIO, items: [{ item_uid: 'item_1' }] },
        ],
        [
          '/api/v1/cases/case-1/evidence',
          {
            profile_uid: TRIO,
            outcomes: [
              { item_uid: 'item_1', rule_uid: 'parents_genotype_missing', raw_outcome: 'NA' },
            ],
          },
        ],
        ['/api/v1/runs', { case_uid: 'case-1', profile_uid: TRIO }],
        [
          '/api/v1/sync/cases/case-1/push',
          { protocol: 1, changes: [{ id: 'c1_x', change: '{}' }] },
        ],
      ];
      for (const [target, body] of bodies) {
        for (const [name, value] of Object.entries(OWNED)) {
          const answer = await server.call('POST', target, { body: { ...body, [name]: value } });
          expect([target, name, answer.status, answer.body.error]).toEqual([
            target,
            name,
            422,
            'validation_failed',
          ]);
        }
      }
      expect(
        (
          await server.call('POST', '/api/v1/projects', {
            raw: `{"name":"x","__proto__":{"role":"owner"}}`,
          })
        ).body.error,
      ).toBe('forbidden_key');
      expect(databaseHash(server.databaseFile)).toBe(before);
    },
  ],
];

describe('attacks, while others are served', () => {
  it.each(ATTACKS)('%s', { timeout: 30_000 }, (_, attack) => besides(attack));

  it('leave no error of ours in the log', () =>
    expect(
      server
        .log()
        .split('\n')
        .filter((line) => line.includes('"level":50')),
    ).toEqual([]));
});

describe.runIf(process.platform === 'linux')(
  'connections that ask nothing, to a hosted server',
  () => {
    let folder: string;
    let served: Served;
    let keys: string[];
    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'evidence-attacks-'));
      keys = [await makeKey(folder), await makeKey(folder)];
      const port = await freePort();
      served = await serve(folder, ['--port', String(port)], {
        EVIDENCE_STUDIO_PUBLIC_URL: `http://127.0.0.1:${port}`,
        EVIDENCE_STUDIO_TRUSTED_PROXIES: PROXY,
        LOG_LEVEL: 'error',
      });
    });
    afterAll(async () => {
      await served.kill('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    });
    const memory = (): number =>
      Number(
        /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${served.child.pid}/status`, 'utf8'))?.[1],
      ) / 1_024;

    async function flood(from: string, connections: number): Promise<net.Socket[]> {
      const sockets: net.Socket[] = [];
      for (let started = 0; started < connections; started += 500) {
        await Promise.all(
          Array.from(
            { length: 500 },
            () =>
              new Promise<void>((resolve) => {
                const socket = net.connect({
                  port: Number(new URL(served.url).port),
                  host: '127.0.0.1',
                  localAddress: from,
                });
                socket.once('connect', resolve);
                socket.on('error', () => resolve());
                sockets.push(socket);
              }),
          ),
        );
      }
      return sockets;
    }

    it.each([
      ['one client: it holds a quarter of the places', LIAR, OF_ONE, 1_024],
      ['a proxy: all places, and the oldest give way', PROXY, OF_ALL, 4_096],
    ])('from %s', { timeout: 60_000 }, async (_, from, connections, most) => {
      const other = bystander(served.url, keys[0]!, 4);
      const before = memory();
      const sockets = await flood(from, connections);
      await expect
        .poll(() => sockets.filter(({ destroyed }) => !destroyed).length)
        .toBeLessThanOrEqual(most);
      const statuses = await other.stop();
      expect(statuses.length).toBeGreaterThanOrEqual(4);
      expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([]);
      expect(memory() - before).toBeLessThan(200);
      for (const socket of sockets) socket.destroy();
    });
  },
);
