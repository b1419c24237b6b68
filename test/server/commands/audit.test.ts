import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lengthOf } from '../../support/length.ts';
import { cli, command, serve } from '../../support/served.ts';

let root: string;
let data: string;
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'evidence-audit-'));
  data = path.join(root, 'data');
});
afterAll(() => rm(root, { recursive: true, force: true }));

function rows(): { action: string; object: string | null; kind: string }[] {
  const db = new DatabaseSync(path.join(data, 'evidence.sqlite'), { readOnly: true });
  try {
    return db
      .prepare('SELECT action, object, kind FROM audit_events ORDER BY account_id, seq')
      .all() as { action: string; object: string | null; kind: string }[];
  } finally {
    db.close();
  }
}
const run = (...args: string[]): Promise<string> => cli([...args, '--data', data]);

describe('commands', { timeout: 60_000 }, () => {
  it('tell the audit trail of keys, users, backups and restores', async () => {
    const { key_id } = JSON.parse(
      await run('key', 'create', '--name', 'CI', '--user', 'Ada', '--role', 'viewer', '--json'),
    );
    await run('key', 'create', '--name', 'CI', '--user', 'Ada', '--role', 'member');
    await run('key', 'revoke', key_id);
    const file = path.join(root, 'b.sqlite');
    await run('backup', file);
    expect(rows().map(({ action }) => action)).toEqual([
      'user.created',
      'key.created',
      'member.role_changed',
      'key.created',
      'key.revoked',
      'backup.created',
    ]);
    expect(new Set(rows().map(({ kind }) => kind))).toEqual(new Set(['operator']));
    await run('restore', file);
    await run('key', 'list');
    await run('key', 'list');
    expect(rows().slice(5)).toEqual([
      { action: 'backup.restored', object: 'b.sqlite', kind: 'operator' },
    ]);
  });

  it('audit prints a trail for a spreadsheet or a program, and says which there are', async () => {
    const csv = (await run('audit')).split('\r\n');
    expect(csv[0]).toMatch(/^seq,at,action,/);
    expect(csv).toHaveLength(8);
    const { account_id, events } = JSON.parse(await run('audit', '--json'));
    expect(events.at(-1)).toMatchObject({
      action: 'audit.exported',
      detail: { format: 'csv' },
      by: { kind: 'operator' },
    });
    expect(JSON.parse(await run('audit', '--account', 'server', '--json'))).toMatchObject({
      account_id: '',
      events: [],
    });
    const none = await command(['audit', '--account', 'acc_none', '--data', data]);
    expect([none.code, none.stderr]).toEqual([
      1,
      `evidence-studio: There is no account acc_none. There is ${account_id}, server.\n`,
    ]);
  });

  it('verify-audit says whole, and finds what somebody changed or what an earlier check saw and is gone', async () => {
    const whole = await command(['verify-audit', '--data', data]);
    expect([whole.code, whole.stdout]).toEqual([
      0,
      expect.stringMatching(/^9 audit events and 0 changes in 2 chains: all whole\n/),
    ]);
    const earlier = path.join(root, 'earlier.json');
    await writeFile(earlier, await run('verify-audit', '--json'));
    expect((await command(['verify-audit', '--earlier', earlier, '--data', data])).code).toBe(0);

    const db = new DatabaseSync(path.join(data, 'evidence.sqlite'));
    db.exec(
      `DROP TRIGGER audit_events_no_delete; DELETE FROM audit_events WHERE account_id <> ''
        AND seq > 5; UPDATE audit_heads SET seq = 5, hash = (SELECT hash FROM audit_events
        WHERE account_id <> '' AND seq = 5) WHERE account_id <> ''`,
    );
    expect((await command(['verify-audit', '--data', data])).code).toBe(0);
    const cut = await command(['verify-audit', '--earlier', earlier, '--data', data]);
    expect([cut.code, cut.stdout]).toEqual([
      1,
      expect.stringMatching(
        /1 NOT WHOLE\n {2}audit trail of acc_\w+: number 5 is the last: at the earlier check there was more\n$/,
      ),
    ]);
    db.exec(
      `DROP TRIGGER audit_events_no_update; UPDATE audit_events SET object = 'x' WHERE account_id <> '' AND seq = 2`,
    );
    db.close();
    const changed = await command(['verify-audit', '--data', data]);
    expect([changed.code, changed.stdout]).toEqual([
      1,
      expect.stringContaining('number 2 is not what was hashed'),
    ]);

    const other = await command([
      'verify-audit',
      '--earlier',
      path.join(root, 'none.json'),
      '--data',
      data,
    ]);
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining('is not what evidence-studio verify-audit --json printed'),
    ]);
  });
});

describe('a server killed while keys are made', { timeout: 120_000 }, () => {
  it('has an event for each key and a key for each event, and a whole trail', async () => {
    const folder = path.join(root, 'killed');
    for (let round = 0; round < lengthOf(1, 4); round += 1) {
      const server = await serve(folder);
      const link = (await cli(['sign-in', '--data', folder])).trim();
      const cookie =
        (await fetch(link, { redirect: 'manual' })).headers.get('set-cookie')?.split(';')[0] ?? '';
      const make = (nth: number): Promise<boolean> =>
        fetch(`${server.url}/api/v1/keys`, {
          method: 'POST',
          headers: { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
          body: JSON.stringify({ name: `key ${round} ${nth}`, scopes: ['read'] }),
        }).then(
          (answer) => answer.status === 201,
          () => false,
        );
      let made = 0;
      const makers = Array.from({ length: 4 }, async (_, maker) => {
        for (let nth = 0; await make(maker * 1_000 + nth); nth += 1) {
          made += 1;
          if (made === 12 + round * 7) await server.kill('SIGKILL');
        }
      });
      await Promise.all(makers);
      const db = new DatabaseSync(path.join(folder, 'evidence.sqlite'));
      const ids = (query: string): string[] =>
        (db.prepare(query).all() as { id: string }[]).map(({ id }) => id);
      const keys = ids('SELECT key_id AS id FROM api_keys ORDER BY key_id');
      expect(
        ids(`SELECT object AS id FROM audit_events WHERE action = 'key.created' ORDER BY object`),
      ).toEqual(keys);
      expect(keys.length).toBeGreaterThanOrEqual(12);
      db.close();
    }
    const checked = await command(['verify-audit', '--data', folder]);
    expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('all whole')]);
  });
});
