import fc from 'fast-check';
import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { createSetupToken } from '../../../src/server/auth/setup-token.ts';
import { subjectOf } from '../../../src/server/auth/address.ts';
import { keyMac, mintKey } from '../../../src/server/auth/keys.ts';
import { otherAccount } from '../../support/other-account.ts';
import { exchange } from '../../support/raw-http.ts';
import { bootServer, type BootOptions, type TestServer } from '../../support/server.ts';
import { OWNER, setUp, Visitor } from '../../support/visitor.ts';
import { EVERY_ACCOUNT } from '../../../src/server/storage/db/session.ts';

const MIB = 1024 * 1024;
/** A trusted proxy at another address of this machine. */
const PROXY = '127.0.0.3';
const sockets = new Set<net.Socket>();
function hangUp(): void {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
}

function connect(server: TestServer, localAddress: string): net.Socket {
  const socket = net.connect({ port: server.server.port, host: '127.0.0.1', localAddress });
  sockets.add(socket);
  socket.on('error', () => undefined);
  return socket;
}
const head = (server: TestServer, path: string, length: number, lines: readonly string[]): string =>
  [
    `POST ${path} HTTP/1.1`,
    `Host: ${new URL(server.url).host}`,
    `Content-Length: ${length}`,
    ...lines,
  ].join('\r\n') + '\r\n\r\n';

/** Sends a sign-in of which all but a little never comes. Resolves when the server reads it. */
async function slowSignIn(
  server: TestServer,
  from: string,
  forwarded?: string,
): Promise<net.Socket> {
  const socket = connect(server, from);
  server.server.httpServer.setMaxListeners(0);
  const begun = new Promise<void>((resolve) => {
    const listen = (req: { headers: { 'x-client'?: string } }): void => {
      if (req.headers['x-client'] !== `${from} ${forwarded}`) return;
      server.server.httpServer.off('request', listen);
      resolve();
    };
    server.server.httpServer.on('request', listen);
  });
  socket.write(
    head(server, '/login', 4_000, [
      'Content-Type: application/x-www-form-urlencoded',
      `X-Client: ${from} ${forwarded}`,
      ...(forwarded === undefined ? [] : [`X-Forwarded-For: ${forwarded}`]),
    ]) + 'email=a',
  );
  await begun;
  return socket;
}
async function boot(options: BootOptions['server'] = {}): Promise<TestServer> {
  const server = await bootServer({
    deps: { home: 'hosted' },
    server: { trustedProxies: [PROXY], ...options },
  });
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      // It would give each of them its time.
      hangUp();
      await server.close();
    },
  };
}

/** Somebody signs in, and agents read and write. */
async function isServed(server: TestServer, stranger: string): Promise<void> {
  const entered = await new Visitor(server).submit('/login', {
    email: OWNER.email,
    password: OWNER.password,
  });
  expect(entered.status).toBe(303);
  for (const key of [server.key, stranger]) {
    expect(
      (await server.call('POST', '/api/v1/projects', { key, body: { name: 'x' } })).status,
    ).toBeLessThan(300);
    expect((await server.call('GET', '/api/v1/projects', { key })).status).toBe(200);
  }
}

describe('sign-ins that come slowly', () => {
  it.each<[string, (n: number) => [from: string, forwarded?: string]]>([
    ['many addresses', (n) => [`127.0.1.${n + 1}`]],
    ['one address', () => ['127.0.1.1']],
    ['one IPv6 network behind a proxy', (n) => [PROXY, `2001:db8:1:2::${n.toString(16)}`]],
    ['many IPv6 networks behind a proxy', (n) => [PROXY, `2001:db8:1:${n.toString(16)}::1`]],
  ])('from %s keep nobody from signing in, reading and writing', async (_, from) => {
    await using server = await boot();
    await setUp(server, await createSetupToken(server.deps));
    const stranger = await otherAccount(server);
    const slow = await Promise.all(
      Array.from({ length: 100 }, (_unused, n) => slowSignIn(server, ...from(n))),
    );
    await isServed(server, stranger);
    expect(slow.filter((socket) => socket.destroyed)).toEqual([]);
  });

  it('hold no connection that somebody else needs: the client with the most of them loses its oldest', async () => {
    await using server = await boot({ connections: 24 });
    await setUp(server, await createSetupToken(server.deps));
    const patient = await slowSignIn(server, PROXY, '2001:db8:9::1');
    const slow: net.Socket[] = [];
    for (let n = 0; n < 40; n += 1)
      slow.push(await slowSignIn(server, PROXY, `2001:db8:1:2::${n.toString(16)}`));
    await isServed(server, await otherAccount(server));
    expect(patient.destroyed).toBe(false);
    await expect.poll(() => slow[0]!.destroyed).toBe(true);
    expect(slow.at(-1)!.destroyed).toBe(false);
  });
});

describe('large bodies that stop coming', () => {
  it('are given up where their memory is needed, those of the account with the most first, and slow short ones never', async () => {
    await using server = await boot({ limits: { bodyBytes: 8 * MIB } });
    const stranger = await otherAccount(server);
    const begin = (key: string, bytes: number) =>
      exchange(
        connect(server, '127.0.0.1'),
        head(server, '/api/v1/projects', bytes + 1, [
          `Authorization: Bearer ${key}`,
          'Content-Type: application/json',
        ]) + ' '.repeat(bytes),
      );
    const short = begin(stranger, 10);
    const greedy = Array.from({ length: 12 }, () => begin(server.key, MIB - 1));
    const ended = await Promise.race(greedy);
    expect([ended.status, JSON.parse(ended.body).error]).toEqual([408, 'request_timeout']);
    // A whole one of somebody else gets through, as often as it is sent.
    for (let n = 0; n < 3; n += 1)
      expect(
        (
          await server.call('POST', '/api/v1/projects', {
            key: stranger,
            raw: JSON.stringify({ name: 'y' }).padEnd(MIB - 1),
          })
        ).status,
      ).toBeLessThan(300);
    expect(
      await Promise.race([
        short.then(({ status }) => status),
        new Promise((resolve) => setImmediate(resolve, 'still coming')),
      ]),
    ).toBe('still coming');
  });
});

describe('streams of events', () => {
  it('are so many of one person, whatever keys and accounts they have', async () => {
    await using server = await boot({ connections: 64 });
    const { deps } = server;
    const viewer = await deps.store.transact(
      (writer) => writer.userWrites.ensure(deps.store.local.account_id, 'Viewer', 'viewer'),
      EVERY_ACCOUNT,
    );
    const keys: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { key, key_id, prefix } = mintKey(deps.random);
      await deps.store.transact(async (writer) => {
        const { account_id } = await writer.teamWrites.createAccount(`Team ${n}`, viewer.user_id);
        await writer.keyWrites.create({
          key_id,
          prefix,
          account_id,
          user_id: viewer.user_id,
          name: 'k',
          scopes: ['read'],
          expires_at: null,
          mac: keyMac(key, deps.hmacSecret),
        });
      }, EVERY_ACCOUNT);
      keys.push(key);
    }
    const abort = new AbortController();
    // An answer that nobody holds would be given up as garbage.
    const held: Response[] = [];
    const open = async (key: string, { signal }: AbortController = abort): Promise<number> =>
      held[
        held.push(
          await fetch(`${server.url}/api/v1/sync/events`, {
            headers: { authorization: `Bearer ${key}` },
            signal,
          }),
        ) - 1
      ]!.status;
    const statuses: number[] = [];
    for (const key of keys) for (let n = 0; n < 8; n += 1) statuses.push(await open(key));
    expect(statuses.filter((status) => status !== 429)).toEqual([200, 200]);
    expect(await open(server.key)).toBe(200);
    abort.abort();
    // What has ended gives its place back.
    const later = new AbortController();
    await expect.poll(() => open(keys[4]!, later)).toBe(200);
    later.abort();
  });
});

describe('the subject of an address', () => {
  const group = fc.integer({ min: 0, max: 0xffff });
  const written = (groups: readonly number[]): string[] => {
    const long = groups.map((one) => one.toString(16));
    const padded = long.map((one) => one.padStart(4, '0').toUpperCase());
    // The forms in which a run of zeros is left out.
    const short = groups.flatMap((_, start) =>
      groups
        .slice(start)
        .flatMap((_unused, size) =>
          groups.slice(start, start + size + 1).every((one) => one === 0)
            ? [`${long.slice(0, start).join(':')}::${long.slice(start + size + 1).join(':')}`]
            : [],
        ),
    );
    return [long.join(':'), padded.join(':'), ...short, `${long.join(':')}%eth0`];
  };
  it('is one for all addresses of an IPv6 network however they are written, and another for each network and each address of IPv4', () => {
    const sparse = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, group);
    const four = fc.tuple(sparse, sparse, sparse, sparse);
    fc.assert(
      fc.property(four, four, four, (network, hosts, others) => {
        fc.pre(network.some((one) => one !== 0) && hosts[0] !== 0xffff);
        const subjects = new Set(
          [...written([...network, ...hosts]), ...written([...network, ...others])].map(subjectOf),
        );
        expect([...subjects]).toHaveLength(1);
        const neighbour = [...network.slice(0, 3), network[3] ^ 1, ...hosts];
        expect(subjects.has(subjectOf(written(neighbour)[0]!))).toBe(false);
      }),
      { seed: 1, numRuns: 300 },
    );
    expect([subjectOf('10.0.0.1'), subjectOf('::ffff:10.0.0.1'), subjectOf('10.0.0.2')]).toEqual([
      '10.0.0.1',
      '10.0.0.1',
      '10.0.0.2',
    ]);
  });
});
