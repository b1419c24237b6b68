import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, realCommand } from '../../support/served.ts';

/**
 * Every command once as a person starts it, a process of its own: that it says what it says, ends
 * by itself and with its code. What it does is asked where one loaded process runs many
 * (`test/support/commands.ts`).
 */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'evidence-binary-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (words: string, env: NodeJS.ProcessEnv = {}, input = ''): Promise<Ended> =>
  realCommand([...words.split(' '), '--data', path.join(folder, 'data')], env, input);
const said = (text: string): Ended => ({
  code: 0,
  stdout: expect.stringContaining(text),
  stderr: '',
});
const refused = (text: string): Ended => ({
  code: 1,
  stdout: '',
  stderr: expect.stringMatching(new RegExp(`^evidence-studio: [^\n]*${text}[^\n]*\n$`)),
});

describe('each command as a process', { timeout: 120_000 }, () => {
  it('of keys', async () => {
    expect(await run('key create --name one --user Ada')).toEqual(said('Copy it now'));
    const made = JSON.parse((await run('key create --name two --json')).stdout);
    expect(await run('key list')).toEqual(said('two'));
    expect(await run(`key revoke ${made.key_id}`)).toEqual(said(made.key_id));
    expect(await run('key new-secret')).toEqual(said('Keys are made under this secret'));
  });

  it('of copies and proofs', async () => {
    const copy = path.join(folder, 'copy.sqlite');
    expect(await run(`backup ${copy}`)).toEqual(said(copy));
    expect(await run(`restore ${copy}`)).toEqual(said('set-aside'));
    const file = path.join(folder, 'no-run.json');
    await writeFile(file, '{}');
    expect(await run(`verify ${file}`)).toMatchObject({ code: 1 });
    expect(await run('verify stored nothing')).toMatchObject({ code: 1 });
    expect(await run('audit')).toEqual(said('key.created'));
    expect(await run('verify-audit')).toMatchObject({ code: 0, stderr: '' });
  });

  it('of a server and its exchange', async () => {
    expect(await run('status')).toMatchObject({ code: 1 });
    expect(await run('sign-in')).toMatchObject({ code: 1 });
    expect(await run('connect http://example.org', {}, 'key')).toEqual(refused('https'));
    expect(await run('disconnect')).toMatchObject({ code: 0, stderr: '' });
    expect(await run('share Nothing')).toMatchObject({ code: 1 });
    expect(await run('database status')).toEqual(refused('DATABASE_URL is not set'));
  });

  it('of the people of a hosted server', async () => {
    const env = { EVIDENCE_STUDIO_PUBLIC_URL: 'http://127.0.0.1:9' };
    const hosted = (words: string): Promise<Ended> => run(`admin ${words}`, env);
    expect(await hosted('create --email eva@example.org --name Eva --team Team')).toEqual(
      said('/join#'),
    );
    expect(await hosted('list')).toEqual(said('eva@example.org'));
    expect(await hosted('reset-password --email eva@example.org')).toEqual(said('/join#'));
    expect(await hosted('disable --email eva@example.org')).toEqual(said('has no access any more'));
    expect(await hosted('enable --email eva@example.org')).toEqual(said('has access again'));
    expect(await hosted('owner --account acc_a --email eva@example.org')).toEqual(
      refused('There is no account'),
    );
    expect(
      await hosted('publish --account acc_a --profile of_nobody --profile-version 1.0'),
    ).toEqual(refused('no such profile'));
  });
});
