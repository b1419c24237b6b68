import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../support/postgres.ts';
import { BIN, command, type Served, serveWith } from '../../support/served.ts';
import { browserAt, OWNER, Visitor } from '../../support/visitor.ts';

let folder: string;
let url: string;
let env: NodeJS.ProcessEnv;
let server: Served;
const start = (): Promise<Served> =>
  serveWith(process.execPath, [BIN, 'serve', '--port', new URL(url).port, '--data', folder], env);
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'evidence-admin-'));
  url = `http://127.0.0.1:${await freePort()}`;
  env = { EVIDENCE_STUDIO_PUBLIC_URL: url, LOG_LEVEL: 'info', NODE_ENV: 'test' };
  server = await start();
});
afterAll(async () => {
  await server.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

const browser = (): Visitor => new Visitor(browserAt(url));
const admin = (...args: string[]) => command(['admin', ...args, '--data', folder], env);
const linkIn = (text: string): string => /\/join#[\w-]{43}/.exec(text)![0];
const tokenIn = (output: string): string | undefined =>
  /give this token there: ([\w-]{43})\n/.exec(output)?.[1];

describe('a hosted server of one’s own', () => {
  it('prints a token at its first start, which sets it up, and none at a later one', async () => {
    const token = await vi.waitFor(
      () => tokenIn(server.output()) ?? Promise.reject(new Error(server.output())),
      60_000,
    );
    expect(server.output()).toContain(`Open ${url}/setup within an hour`);
    const ada = browser();
    expect((await ada.send('GET', '/login')).headers.get('location')).toBe('/setup');
    expect((await ada.submit('/setup', { token, ...OWNER })).status).toBe(303);
    // On a computer's own address there is no https to ask for.
    expect([...ada.cookies.keys()]).toEqual(['evs_form', 'evs_session', 'evs_known']);
    expect((await ada.api('GET', '/session')).body).toMatchObject({
      user: { email: OWNER.email, role: 'owner' },
      server: { url },
    });
    await server.kill('SIGTERM');
    server = await start();
    expect(tokenIn(server.output())).toBeUndefined();
    expect((await ada.api('GET', '/session')).status).toBe(200);
    expect(server.output()).not.toContain(token);
  });

  it('takes a password away for whoever runs it, and gives a link to choose another', async () => {
    const ada = browser();
    expect(
      (await ada.submit('/login', { email: OWNER.email, password: OWNER.password })).status,
    ).toBe(303);
    const { code, stdout } = await admin('reset-password', '--email', 'Ada@example.org');
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${url}/join#`)]);
    expect((await ada.api('GET', '/session')).status).toBe(401);
    expect(
      (await browser().submit('/login', { email: OWNER.email, password: OWNER.password })).status,
    ).toBe(403);
    const next = 'twenty small windows shine';
    expect((await ada.send('GET', linkIn(stdout))).text).toContain('Choose a password');
    expect((await ada.submit(linkIn(stdout), { password: next })).status).toBe(303);
    expect((await ada.api('GET', '/session')).body.user.role).toBe('owner');
    expect((await browser().send('GET', linkIn(stdout))).status).toBe(410);
    expect((await browser().submit('/login', { email: OWNER.email, password: next })).status).toBe(
      303,
    );
    // Setting up is over for good, whatever became of the first password.
    expect((await browser().send('GET', '/setup')).status).toBe(404);
  });

  it('gets a further owner, of the first team or of a new one, whose password nobody else has seen', async () => {
    for (const [email, options, team] of [
      ['eva@example.org', [], OWNER.team],
      ['kim@example.org', ['--team', 'Second']],
    ] as const) {
      const { code, stdout } = await admin('create', '--email', email, '--name', 'Kim', ...options);
      expect(code).toBe(0);
      const visitor = browser();
      expect(
        (await visitor.submit(linkIn(stdout), { password: 'thirty loud engines sleep' })).status,
      ).toBe(303);
      expect((await visitor.api('GET', '/session')).body).toMatchObject({
        account: { name: team ?? 'Second' },
        user: { email, role: 'owner' },
      });
    }
    const again = await admin('create', '--email', 'eva@example.org', '--name', 'Kim');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already')]);
  });

  it('is told in a sentence what a command cannot do', async () => {
    const nobody = await admin('reset-password', '--email', 'nobody@example.org');
    expect([nobody.code, nobody.stderr]).toEqual([
      1,
      'evidence-studio: Nobody in a team of this server signs in with this e-mail address.\n',
    ]);
    expect(await admin('create', '--name', 'X')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^evidence-studio: --email cannot be used: [^\n]+\n$/),
    });
    const local = await command([
      'admin',
      'create',
      '--email',
      'a@b.c',
      '--name',
      'X',
      '--data',
      path.join(folder, 'local'),
    ]);
    expect([local.code, local.stderr]).toEqual([
      1,
      expect.stringContaining('EVIDENCE_STUDIO_PUBLIC_URL'),
    ]);
  });

  it('keeps none of it in its log', () => {
    for (const secret of [OWNER.password, 'twenty small windows shine', '/join#', OWNER.email])
      expect(
        server
          .output()
          .split('\n')
          .filter((line) => line.startsWith('{'))
          .join('\n'),
      ).not.toContain(secret);
  });
});
