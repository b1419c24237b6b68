import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { base62Digits } from '../../../src/server/auth/base62.ts';
import { IS_LONG } from '../../support/length.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { freePort } from '../../support/postgres.ts';
import { Line, ORIGIN } from '../../support/proxy-line.ts';
import {
  findStickyPrograms,
  type ReverseProxy,
  startHaproxy,
  startNginx,
} from '../../support/reverse-proxies.ts';
import { type Served, serve } from '../../support/served.ts';
import type { TestAnswer } from '../../support/server.ts';
import { setUp, Visitor } from '../../support/visitor.ts';

const PROXIES = ['HAProxy', 'nginx'] as const;
type Name = (typeof PROXIES)[number];
/** More than it takes for each proxy to send some of them to each instance. */
const MAX_TEAMS = 40;

interface Team {
  account_id: string;
  key: string;
  studioKey: string;
}
const labelOf = ({ key }: Team): string => key.slice(4, 7);
/** The key as a stranger would change it: with another label, and the checksum put right. */
function withLabel(key: string, label: string): string {
  const body = `evs_${label}${key.slice(7, -6)}`;
  return body + base62Digits(crc32(body), 6);
}

const programs = findStickyPrograms();

describe.skipIf(programs === undefined)('proxies of deploy/ that keep accounts together', () => {
  let database: PlainDatabase;
  let folder: string;
  const ports: number[] = [];
  const instances: Served[] = [];
  const proxies = new Map<Name, ReverseProxy>();
  const lines = new Map<Name, Line>();
  const browsers = new Map<Name, Visitor>();
  const teams: Team[] = [];
  const line = (name: Name): Line => lines.get(name)!;

  const begin = (port: number): Promise<Served> =>
    serve(path.join(folder, String(port)), ['--port', String(port)], {
      DATABASE_URL: database.url,
      EVIDENCE_STUDIO_SECRET_FILE: path.join(folder, 'secret'),
      EVIDENCE_STUDIO_PUBLIC_URL: ORIGIN,
      EVIDENCE_STUDIO_TRUSTED_PROXIES: '127.0.0.1',
      EVIDENCE_STUDIO_STICKY_ACCOUNTS: 'on',
      EVIDENCE_STUDIO_ACCOUNTS: 'anyone',
      EVIDENCE_STUDIO_RATE_LIMIT: 'off',
      LOG_LEVEL: 'info',
    });

  /** The port of the instance that gave this answer: it has logged the request. */
  async function whose(answer: TestAnswer): Promise<number> {
    const id = answer.headers.get('x-request-id') ?? 'none';
    const found = await vi.waitUntil(
      () =>
        instances.findIndex((server) => server.output().includes(id)) < 0
          ? undefined
          : { at: instances.findIndex((server) => server.output().includes(id)) },
      60_000,
    );
    return ports[found.at]!;
  }
  const withKey = (
    name: Name,
    key: string,
    headers: Record<string, string> = {},
  ): Promise<TestAnswer> =>
    line(name).call('GET', '/api/v1/projects', {
      headers: { authorization: `Bearer ${key}`, ...headers },
    });
  /** The answer to the person's browser, once it is in this account. */
  async function inBrowser(name: Name, { account_id }: Team): Promise<TestAnswer> {
    const browser = browsers.get(name)!;
    expect((await browser.api('PUT', '/session', { account_id })).status).toBe(200);
    expect((await browser.api('GET', '/session')).status).toBe(200);
    return browser.api('GET', '/session');
  }
  /** Asks with each credential of a team; answers the instance that answered all of them. */
  async function home(name: Name, team: Team): Promise<number> {
    const answers = [
      await withKey(name, team.key),
      await withKey(name, team.studioKey),
      await inBrowser(name, team),
      await withKey(name, team.key),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const homes = [...new Set(await Promise.all(answers.map(whose)))];
    expect(homes).toHaveLength(1);
    return homes[0]!;
  }
  async function homesOfAll(name: Name): Promise<number[]> {
    const homes = [];
    for (const team of teams) homes.push(await home(name, team));
    return homes;
  }

  async function newTeam(n: number): Promise<Team> {
    const browser = browsers.get('nginx')!;
    const { account_id } = (await browser.api('POST', '/accounts', { name: `Team ${n}` })).body;
    await browser.api('PUT', '/session', { account_id });
    const made = await browser.api('POST', '/keys', { name: 'agent', scopes: ['read', 'write'] });
    const studio = await browser.api('POST', '/studio-keys', { name: 'studio' });
    return { account_id, key: made.body.key, studioKey: studio.body.key };
  }

  beforeAll(async () => {
    [database, folder] = [
      await makePlainDatabase(SHARED_POSTGRES),
      await mkdtemp(path.join(tmpdir(), 'evidence-sticky-')),
    ];
    await writeFile(path.join(folder, 'secret'), Buffer.alloc(32, 5).toString('base64'));
    ports.push(await freePort(), await freePort());
    const targets: [number, number] = [ports[0]!, ports[1]!];
    instances.push(...(await Promise.all(ports.map(begin))));
    proxies.set('HAProxy', await startHaproxy(programs!, path.join(folder, 'haproxy'), targets));
    proxies.set(
      'nginx',
      await startNginx(programs!, path.join(folder, 'nginx'), targets, 'nginx-sticky.conf'),
    );
    for (const [name, proxy] of proxies) lines.set(name, new Line(proxy));
    const token = (): string | undefined =>
      /token there: (\S+)\n/.exec(instances.map((server) => server.output()).join(''))?.[1];
    await vi.waitUntil(token, 60_000);
    const browser = await setUp(line('nginx'), token());
    browsers.set('nginx', browser);
    // The same browser, with the same session, over the other proxy.
    browsers.set('HAProxy', new Visitor(line('HAProxy')));
    for (const cookie of browser.cookies) browsers.get('HAProxy')!.cookies.set(...cookie);
    const used = new Map(PROXIES.map((name) => [name, new Set<number>()]));
    while (teams.length < MAX_TEAMS && [...used.values()].some(({ size }) => size < 2)) {
      const team = await newTeam(teams.length);
      teams.push(team);
      for (const [name, homes] of used) homes.add(await whose(await withKey(name, team.key)));
    }
  }, 60_000);
  afterAll(async () => {
    for (const { session } of lines.values()) session.destroy();
    await Promise.all([...proxies.values()].map((proxy) => proxy.stop()));
    await Promise.all(instances.map((server) => server.kill('SIGKILL')));
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(PROXIES)(
    '%s sends an account’s key, studio key and browser to the same instance, and not all accounts to one',
    async (name) => {
      expect(new Set(await homesOfAll(name)).size).toBe(2);
    },
  );

  it('a forged label chooses an instance and nothing else', async () => {
    const [mine, other] = [teams[0]!, teams.find((team) => labelOf(team) !== labelOf(teams[0]!))!];
    for (const name of PROXIES) {
      await inBrowser(name, mine);
      const browser = browsers.get(name)!;
      browser.cookies.set('__Host-evs_shard', labelOf(other));
      const answer = await browser.api('GET', '/session');
      expect([answer.status, answer.body.account.account_id]).toEqual([200, mine.account_id]);
      // The right label comes with the answer.
      expect(browser.cookie('evs_shard')).toBe(labelOf(mine));
      // What a client says in the proxy's own words is dropped.
      const said = await withKey(name, mine.key, { 'evidence-shard': labelOf(other) });
      expect(await whose(said)).toBe(await home(name, mine));
      // Another label in a key makes it another key, which nobody has.
      const forged = await withKey(name, withLabel(mine.key, labelOf(other)));
      expect([forged.status, forged.body.error]).toEqual([401, 'invalid_key']);
      const stranger = await line(name).call('GET', '/api/v1/session', {
        headers: { cookie: `__Host-evs_shard=${labelOf(other)}` },
      });
      expect([stranger.status, stranger.body.error]).toEqual([401, 'missing_credentials']);
    }
  });

  it.runIf(IS_LONG)(
    'a killed instance’s accounts move to the other one, and come back with it',
    async () => {
      const withKeys = async (name: Name): Promise<number[]> => {
        const homes = [];
        for (const { key } of teams) homes.push(await whose(await withKey(name, key)));
        return homes;
      };
      const before = new Map<Name, number[]>();
      for (const name of PROXIES) before.set(name, await withKeys(name));
      const [killed, left] = ports as [number, number];
      await instances[0]!.kill('SIGKILL');
      for (const name of PROXIES) {
        expect(new Set(await withKeys(name))).toEqual(new Set([left]));
        expect(await home(name, teams[before.get(name)!.indexOf(killed)]!)).toBe(left);
      }
      instances[0] = await begin(killed);
      for (const name of PROXIES)
        await expect
          .poll(() => withKeys(name), { timeout: 30_000, interval: 1_000 })
          .toEqual(before.get(name));
    },
  );
});
