import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_PORT } from '../../../src/server/config/environment.ts';
import { BIN, call, cli, command, makeKey, serve, serveWith } from '../../support/served.ts';

let root: string;
let made = 0;
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'evidence-serve-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));
const newFolder = (): string => path.join(root, `data-${(made += 1)}`);

/** Holds a port like another program would. */
async function holdPort(
  port: number,
): Promise<{ port: number; release(): Promise<void> } | undefined> {
  const holder = createServer();
  holder.listen(port, '127.0.0.1');
  const outcome = await Promise.race([
    once(holder, 'listening').then(() => 'held'),
    once(holder, 'error').then(() => 'taken'),
  ]).catch(() => 'taken');
  if (outcome === 'taken') return undefined;
  return {
    port: (holder.address() as AddressInfo).port,
    release: () => new Promise((resolve) => holder.close(() => resolve())),
  };
}

/** A request that the server has begun to read, without its body. */
async function beginRequest(port: number, key: string, length: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `POST /api/v1/projects HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
      `Authorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 100 /);
  return socket;
}
async function expectClosed(url: string): Promise<void> {
  await expect
    .poll(
      () =>
        fetch(`${url}/healthz`).then(
          ({ status }) => status,
          () => 'refused',
        ),
      { timeout: 20_000 },
    )
    .toBe('refused');
}

describe('serve', { timeout: 60_000 }, () => {
  it('answers on the port that it prints, and tells status and server.json', async () => {
    const folder = newFolder();
    expect(await command(['status', '--data', folder])).toEqual({
      code: 1,
      stdout: `No server runs on ${folder}.\n`,
      stderr: '',
    });
    expect(existsSync(folder), 'status makes nothing').toBe(false);
    const server = await serve(folder);
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(server.output()).toMatch(
      new RegExp(`^sign in once, within ten minutes: ${server.url}/sign-in\\?token=\\S+$`, 'm'),
    );

    const file = path.join(folder, 'server.json');
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
    expect(lstatSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder))
      expect(lstatSync(path.join(folder, name)).mode & 0o077, name).toBe(0);
    const told = JSON.parse(await readFile(file, 'utf8'));
    expect(told).toEqual({
      url: server.url,
      pid: server.child.pid,
      instance_id: expect.any(String),
      started_at: expect.any(String),
    });
    expect(JSON.parse(await cli(['status', '--json', '--data', folder]))).toEqual({
      running: true,
      data: folder,
      ...told,
      exchange: expect.objectContaining({ state: 'off', waiting: 0, problem: null }),
    });
    expect(await cli(['status', '--data', folder])).toContain(
      `runs at ${server.url} (process ${server.child.pid}`,
    );

    const link = JSON.parse(await cli(['sign-in', '--json', '--data', folder])).url;
    expect((await fetch(link, { redirect: 'manual' })).status).toBe(303);
    expect((await fetch(link, { redirect: 'manual' })).status).toBe(410);

    await server.kill('SIGTERM');
    expect(server.child.exitCode).toBe(0);
    expect(existsSync(file)).toBe(false);
    // The log is written back into the database.
    expect(
      readdirSync(folder).filter(
        (name) => name.endsWith('-wal') && lstatSync(path.join(folder, name)).size > 0,
      ),
    ).toEqual([]);
  });

  it('prints JSON lines with --json', async () => {
    const folder = newFolder();
    const server = await serveWith(process.execPath, [
      BIN,
      'serve',
      '--port',
      '0',
      '--json',
      '--data',
      folder,
    ]);
    while (server.output().split('\n').length < 3) await delay(20);
    const [first, second] = server
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toEqual({
      url: server.url,
      port: Number(new URL(server.url).port),
      data: folder,
    });
    expect(second).toEqual({ sign_in: expect.stringMatching(`^${server.url}/sign-in\\?token=`) });
    await server.kill('SIGTERM');
  });

  it('lets a request end that came before SIGTERM, refuses later ones, and exits with 0', async () => {
    const folder = newFolder();
    const key = await makeKey(folder);
    const server = await serve(folder);
    const port = Number(new URL(server.url).port);
    const body = JSON.stringify({ name: 'Slow' });
    const slow = await beginRequest(port, key, body.length);
    let answer = '';
    slow.on('data', (chunk) => (answer += chunk));
    const exit = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    await expectClosed(server.url);
    expect(server.child.exitCode).toBeNull();
    slow.write(body);
    expect(await exit).toEqual([0, null]);
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    const again = await serve(folder);
    expect(
      (await call(again.url, key, 'GET', '/api/v1/projects')).body.data.map(
        ({ name }: { name: string }) => name,
      ),
    ).toEqual(['Slow']);
    await again.kill('SIGINT');
    expect(again.child.exitCode).toBe(0);
  });

  it('does not wait for ever for one that never ends, and not at all after a second SIGTERM', async () => {
    const folder = newFolder();
    const key = await makeKey(folder);
    for (const isAsked of ['once', 'twice']) {
      const server = await serve(folder);
      const stuck = await beginRequest(Number(new URL(server.url).port), key, 10);
      const exit = once(server.child, 'exit');
      server.child.kill('SIGTERM');
      await expectClosed(server.url);
      if (isAsked === 'twice') server.child.kill('SIGTERM');
      expect(await exit).toEqual(isAsked === 'once' ? [0, null] : [null, 'SIGTERM']);
      stuck.destroy();
    }
  });
});

describe('a port that is taken', { timeout: 60_000 }, () => {
  it('is moved from and said, where nobody asked for this very one', async () => {
    const holder = await holdPort(DEFAULT_PORT);
    const folder = newFolder();
    const server = await serveWith(process.execPath, [BIN, 'serve', '--data', folder]);
    // Of two streams, what was written first may be read last.
    await expect
      .poll(server.output)
      .toContain(`Port ${DEFAULT_PORT} is taken: using ${new URL(server.url).port}.`);
    expect(server.url).not.toContain(`:${DEFAULT_PORT}`);
    expect(JSON.parse(await readFile(path.join(folder, 'server.json'), 'utf8')).url).toBe(
      server.url,
    );
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await server.kill('SIGTERM');
    await holder?.release();
  });

  it('is one sentence and code 1, where somebody did, and leaves no server.json', async () => {
    const holder = await holdPort(0);
    const folder = newFolder();
    for (const [args, env] of [
      [['--port', String(holder?.port)], {}],
      [[], { EVIDENCE_STUDIO_PORT: String(holder?.port) }],
    ] as const) {
      const { code, stderr, stdout } = await command(['serve', '--data', folder, ...args], env);
      expect(stderr).toBe(
        `evidence-studio: Port ${holder?.port} on 127.0.0.1 is in use by another program.\n`,
      );
      expect(stdout).toBe('');
      expect(code).toBe(1);
    }
    expect(existsSync(path.join(folder, 'server.json'))).toBe(false);
    await holder?.release();
  });
});

describe('a data folder', { timeout: 60_000 }, () => {
  it('has one server: a second one is told where the first is', async () => {
    const folder = newFolder();
    const first = await serve(folder);
    const { code, stderr } = await command(['serve', '--port', '0', '--data', folder]);
    expect(stderr).toBe(
      `evidence-studio: Another Evidence Studio is using this data folder, at ${first.url}. Close it first.\n`,
    );
    expect(code).toBe(1);
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
    expect(JSON.parse(await readFile(path.join(folder, 'server.json'), 'utf8')).url).toBe(
      first.url,
    );
    await first.kill('SIGTERM');
  });

  it('of a server that was killed is free again; its server.json deceives nobody', async () => {
    const folder = newFolder();
    const killed = await serve(folder);
    await killed.kill('SIGKILL');
    const file = path.join(folder, 'server.json');
    expect(existsSync(file)).toBe(true);
    expect((await command(['status', '--data', folder])).code).toBe(1);
    // The process id has been given to another program since.
    const left = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...left, pid: process.pid }));
    const { code, stdout } = await command(['status', '--json', '--data', folder]);
    expect(JSON.parse(stdout)).toEqual({
      running: false,
      data: folder,
      exchange: expect.objectContaining({ state: 'off', waiting: 0, problem: null }),
    });
    expect(code).toBe(1);
    const { code: refused, stderr } = await command(['sign-in', '--data', folder]);
    expect(stderr).toBe(
      `evidence-studio: No server runs on ${folder}; start one with evidence-studio serve.\n`,
    );
    expect(refused).toBe(1);
    const next = await serve(folder);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      url: next.url,
      pid: next.child.pid,
    });
    await next.kill('SIGTERM');
  });

  it('with nonsense in server.json is one where no server runs', async () => {
    const folder = newFolder();
    await makeKey(folder);
    for (const text of [
      '',
      'x',
      '{}',
      '[1]',
      '{"url": "javascript:alert(1)", "pid": 1, "instance_id": "x", "started_at": "2026-01-01T00:00:00.000Z"}',
      '\0'.repeat(10_000),
    ]) {
      await writeFile(path.join(folder, 'server.json'), text);
      expect(await command(['status', '--data', folder]), text).toMatchObject({
        code: 1,
        stderr: '',
      });
    }
  });

  it('follows no link that is planted at server.json or at its temporary file', async () => {
    const folder = newFolder();
    await makeKey(folder);
    const victim = path.join(root, 'victim');
    await writeFile(victim, 'untouched', { mode: 0o644 });
    await symlink(victim, path.join(folder, 'server.json'));
    // The name is guessed for the process ids to come.
    const { pid } = process;
    for (let next = pid; next < pid + 3_000; next += 1)
      await symlink(victim, path.join(folder, `server.json.${next}.tmp`));
    const server = await serve(folder);
    // Numbers of processes begin anew at their highest.
    const next = server.child.pid ?? 0;
    const guessed = next > pid && next < pid + 3_000;
    expect(await readFile(victim, 'utf8')).toBe('untouched');
    expect(lstatSync(victim).mode & 0o777).toBe(0o644);
    const file = path.join(folder, 'server.json');
    expect(lstatSync(file).isFile()).toBe(true);
    expect(JSON.parse(await readFile(file, 'utf8')).url).toBe(server.url);
    if (guessed)
      expect(existsSync(path.join(folder, `server.json.${server.child.pid}.tmp`))).toBe(false);
    await server.kill('SIGTERM');
    expect(await readFile(victim, 'utf8')).toBe('untouched');
    expect(existsSync(file)).toBe(false);
  });

  it('with a link for server.json is not read through it', async () => {
    const folder = newFolder();
    const server = await serve(folder);
    const elsewhere = path.join(root, 'elsewhere.json');
    await writeFile(elsewhere, await readFile(path.join(folder, 'server.json')));
    await rm(path.join(folder, 'server.json'));
    await symlink(elsewhere, path.join(folder, 'server.json'));
    expect((await command(['status', '--data', folder])).code).toBe(1);
    await server.kill('SIGTERM');
    expect(existsSync(elsewhere)).toBe(true);
  });
});
