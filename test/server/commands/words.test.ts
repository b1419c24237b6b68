import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BIN, command, ROOT, runToEnd } from '../../support/served.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'evidence-words-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const COMMANDS = [
  'serve',
  'sign-in',
  'key create',
  'key list',
  'key revoke',
  'admin create',
  'admin list',
  'admin disable',
  'admin enable',
  'admin owner',
  'admin publish',
  'admin reset-password',
  'verify',
  'verify stored',
  'status',
  'backup',
  'restore',
  'database status',
  'database prepare',
  'database finish',
];
/** One sentence of the program's own: no stack, no second line. */
const SENTENCE = /^evidence-studio: [^\n]+\n$/;

describe('help', () => {
  it('lists every command, for --help, -h and no words at all', async () => {
    for (const words of [[], ['--help'], ['-h']]) {
      const { code, stdout } = await command(words);
      expect(code).toBe(0);
      for (const name of COMMANDS) expect(stdout).toContain(`  ${name}`);
    }
  });

  it(
    'of a command names every option that it takes, and touches no data',
    { timeout: 120_000 },
    async () => {
      const data = path.join(folder, 'never');
      for (const name of COMMANDS) {
        const { code, stdout } = await command([...name.split(' '), '--help', '--data', data]);
        expect(code, name).toBe(0);
        for (const option of ['--data', '--json', '--help']) expect(stdout, name).toContain(option);
        expect(stdout, name).not.toMatch(/undefined|--\S+ VALUE\s*$/m);
      }
      expect(existsSync(data)).toBe(false);
    },
  );
});

describe('a call that cannot be understood', () => {
  const WRONG: readonly [string, RegExp][] = [
    ['nonsense', /There is no such command/],
    ['key', /There is no such command/],
    ['key create', /--name NAME/],
    ['key create --name', /--name/],
    ['key create --name x --scopes admin', /--scopes takes read, suggest, write and delete/],
    ['key create --name x --expires abc', /--expires takes a whole number of days/],
    ['key create --name x --expires 0', /--expires takes a whole number of days/],
    ['key create --name x --role viewer', /--role needs --user NAME/],
    ['key create --name x --user Ada --role admin', /--role takes owner, member or viewer/],
    ['key create --name x --bogus', /Unknown option '--bogus'/],
    ['key revoke', /key revoke KEY_ID/],
    ['status extra', /Expected: evidence-studio status/],
    ['verify', /verify FILE/],
    ['verify a b', /verify FILE/],
    ['restore /nowhere/at-all', /There is no file/],
    ['serve --port abc', /--port takes a number/],
    ['serve --port 65536', /--port takes a number/],
    ['serve --port -1', /--port/],
    ['serve --database-url mysql://x', /--database-url takes a postgres/],
  ];
  it.each(WRONG)('%s: one sentence, code 2, nothing made', async (words, says) => {
    const data = path.join(folder, 'untouched');
    const { code, stdout, stderr } = await command(words.split(' '), {
      EVIDENCE_STUDIO_DATA: data,
    });
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(SENTENCE);
    expect(stdout).toBe('');
    expect(code).toBe(2);
    expect(existsSync(data)).toBe(false);
  });
});

describe('a setting that cannot be used', () => {
  it.each([
    [['serve', '--host', '0.0.0.0'], {}, /would let the network in/],
    [['serve'], { EVIDENCE_STUDIO_PORT: 'x' }, /EVIDENCE_STUDIO_PORT cannot be used/],
    [['key', 'list'], { LOG_LEVEL: 'loud' }, /LOG_LEVEL cannot be used/],
  ] as const)('%s %o', async (words, env, says) => {
    const { code, stderr } = await command(
      [...words, '--data', path.join(folder, 'settings')],
      env,
    );
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(SENTENCE);
    expect(code).toBe(1);
  });
});

describe('an old Node', () => {
  const OLD = '/usr/bin/node';
  it.skipIf(!existsSync(OLD))(
    'gets one sentence and code 1 from the command and from the scripts',
    async () => {
      const { stdout: version } = await runToEnd(OLD, ['--version']);
      if (Number(/^v(\d+)/.exec(version)?.[1]) >= 24) return;
      for (const file of [BIN, path.join(ROOT, 'scripts/check-node.js')]) {
        const { code, stdout, stderr } = await runToEnd(OLD, [file, 'status']);
        expect(stderr).toMatch(/^Evidence Studio needs Node 24\.14 or newer[^\n]+\n$/);
        expect(stderr).toContain(version.trim().slice(1));
        expect(stdout).toBe('');
        expect(code).toBe(1);
      }
    },
  );
});
