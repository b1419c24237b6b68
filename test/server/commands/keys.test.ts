import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, cli, command, serve, type Served } from '../../support/served.ts';

let folder: string;
let server: Served;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'evidence-keys-'));
  server = await serve(folder);
});
afterAll(async () => {
  await server.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

async function create(...options: string[]): Promise<{ key_id: string; key: string }> {
  return JSON.parse(await cli(['key', 'create', '--json', '--data', folder, ...options]));
}
const answerTo = async (
  key: string,
  method = 'GET',
  body?: unknown,
): Promise<[number, string | undefined]> => {
  const { status, body: answer } = await call(server.url, key, method, '/api/v1/projects', body);
  return [status, answer.error];
};

describe('keys, while the server runs', () => {
  it('are made for reading unless asked otherwise, and work at once', async () => {
    const reader = await create('--name', 'reader');
    const writer = await create('--name', 'writer', '--scopes', 'read,write', '--expires', '30');
    expect(Object.keys(reader)).toEqual(['key_id', 'key']);
    expect(reader.key).toMatch(/^evs_[0-9A-Za-z]{10}_[0-9A-Za-z]{38}$/);
    expect(await answerTo(reader.key)).toEqual([200, undefined]);
    expect(await answerTo(reader.key, 'POST', { name: 'P' })).toEqual([403, 'insufficient_scope']);
    expect(await answerTo(writer.key, 'POST', { name: 'P' })).toEqual([201, undefined]);
  });

  it('belong to a user of the account, who is made with the first and has one role', async () => {
    const first = await create(
      '--name',
      'first',
      '--scopes',
      'read,write',
      '--user',
      'Ada Lovelace',
      '--role',
      'viewer',
    );
    expect(first).toMatchObject({ user_id: expect.stringMatching(/^usr_/) });
    expect(await answerTo(first.key, 'POST', { name: 'Q' })).toEqual([403, 'read_only_role']);
    const second = await create(
      '--name',
      'second',
      '--scopes',
      'read,write',
      '--user',
      ' Ada Lovelace',
      '--role',
      'member',
    );
    expect(second).toMatchObject({ user_id: (first as { user_id?: string }).user_id });
    // The role is the user's, whichever key asks.
    for (const { key } of [first, second])
      expect((await answerTo(key, 'POST', { name: 'Q' }))[1]).toBeUndefined();
  });

  it('are listed without the key itself', async () => {
    const { key, key_id } = await create('--name', 'listed', '--expires', '7');
    const words = await cli(['key', 'list', '--data', folder]);
    expect(words).toMatch(
      new RegExp(`^${key_id}  suggest  until \\d{4}-\\d\\d-\\d\\d  never used  listed$`, 'm'),
    );
    const json = await cli(['key', 'list', '--json', '--data', folder]);
    expect(JSON.parse(json).data.map((entry: { key_id: string }) => entry.key_id)).toContain(
      key_id,
    );
    for (const text of [words, json]) expect(text).not.toContain(key.slice(-38));
  });

  it('are refused on the very next request once revoked', async () => {
    const { key, key_id } = await create('--name', 'revoked');
    expect(await answerTo(key)).toEqual([200, undefined]);
    expect(await cli(['key', 'revoke', key_id, '--data', folder])).toBe(
      `The key ${key_id} (revoked) is revoked.\n`,
    );
    expect(await answerTo(key)).toEqual([401, 'key_revoked']);
    expect(await cli(['key', 'list', '--data', folder])).toMatch(
      new RegExp(`^${key_id}  suggest  revoked`, 'm'),
    );
    expect(
      JSON.parse(await cli(['key', 'revoke', key_id, '--json', '--data', folder])),
    ).toMatchObject({ key_id, revoked_at: expect.any(String) });
  });

  it('are refused once their time is over', async () => {
    const { key, key_id } = await create('--name', 'expiring', '--expires', '1');
    expect(await answerTo(key)).toEqual([200, undefined]);
    const database = new DatabaseSync(path.join(folder, 'evidence.sqlite'));
    database.exec('PRAGMA busy_timeout=5000');
    expect(
      database
        .prepare('UPDATE api_keys SET expires_at = ? WHERE key_id = ?')
        .run(new Date(Date.now() - 1_000).toISOString(), key_id).changes,
    ).toBe(1);
    database.close();
    expect(await answerTo(key)).toEqual([401, 'key_expired']);
  });

  it('that do not exist cannot be revoked: one sentence, code 1', async () => {
    const { code, stderr } = await command(['key', 'revoke', 'evs_nothing', '--data', folder]);
    expect(stderr).toBe(
      'evidence-studio: There is no key with this identifier; see evidence-studio key list.\n',
    );
    expect(code).toBe(1);
  });

  it('of another data folder are nobody here', async () => {
    const other = path.join(folder, 'other');
    const { key } = JSON.parse(
      await cli(['key', 'create', '--json', '--name', 'x', '--data', other]),
    ) as { key: string };
    expect(await answerTo(key)).toEqual([401, 'invalid_key']);
  });
});
