import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { converge, eventually, RULE, Studio, TRIO } from './world.ts';

let hosted: Studio;
let one: Studio;
let project: string;
let backup: string;

/**
 * Ada was invited after the backup that the hosted server is restored from, and has one change that
 * nobody else has.
 */
beforeEach(async () => {
  [hosted, one] = await Promise.all([Studio.hosted(), Studio.open('one')]);
  project = await one.makeProject('Trios');
  await one.makeCase(project, 'case-1');
  await one.record('case-1', 'i1', 'TRUE');
  backup = await hosted.backUp();
  await one.connect(hosted.server.url, (await hosted.makeKey('Ada', 'member')).key);
  await one.share(project);
  await converge(['case-1'], hosted, one);
  await hosted.restore(backup);
  await one.record('case-1', 'mine', 'NA');
  await one.ok('POST', '/api/v1/uplink/sync', {});
  await eventually(async () => expect((await one.status()).state).toBe('stopped'));
});
afterEach(async () => {
  await Promise.all([one, hosted].map((studio) => studio[Symbol.asyncDispose]()));
});

const connect = async (user: string, unsent?: string) =>
  one.call('PUT', '/api/v1/uplink', {
    url: hosted.server.url,
    key: (await hosted.makeKey(user, 'member')).key,
    ...(unsent !== undefined && { unsent }),
  });
const connected = async (user: string, unsent: string): Promise<void> => {
  const answer = await connect(user, unsent);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
};
const authorAt = async (studio: Studio, item: string): Promise<string[]> =>
  (
    await studio.ok(
      'GET',
      `/api/v1/cases/case-1/history?profile_uid=${TRIO}&item_uid=${item}&rule_uid=${RULE}`,
    )
  ).data.map((step: { by: string }) => step.by);

describe('a hosted server that no longer knows who recorded the unsent work (U4, U7, U8)', () => {
  test('is said in every state, and nothing is connected in silence', async () => {
    expect((await one.status()).unsent.changes).toBeGreaterThan(0);
    const { changes } = (await one.status()).unsent;
    const refused = await connect('Ada again');
    expect(refused).toMatchObject({
      status: 409,
      body: {
        error: 'other_user',
        details: [
          { path: '/unsent', code: 'other_user', message: expect.stringMatching(/^\d+ of Ada/) },
        ],
      },
    });
    expect((await one.status()).unsent).toMatchObject({ changes });
    await one.ok('DELETE', '/api/v1/uplink');
    expect(await one.status()).toMatchObject({
      state: 'off',
      connection: null,
      unsent: { changes, oldest: expect.stringMatching(/Z$/) },
      previous: { url: hosted.server.url, name: 'Ada' },
    });
    await one.restart();
    expect((await one.status()).unsent.changes).toBe(changes);
    expect(await connect('Ada again')).toMatchObject({ status: 409 });
    const { changes: exported } = await one.ok('GET', '/api/v1/uplink/unsent');
    expect(exported).toHaveLength(changes);
    expect(exported.some(({ change }: { change: string }) => change.includes('/mine'))).toBe(true);
  });

  test('“that was me”: it goes as it is, under the name that it was recorded under', async () => {
    await connected('Ada again', 'mine');
    await converge(['case-1'], hosted, one);
    expect(await hosted.cells('case-1')).toContain(`mine/${RULE}=NA`);
    expect(await authorAt(hosted, 'mine')).toEqual(['Ada']);
    await one.record('case-1', 'later', 'TRUE');
    await converge(['case-1'], hosted, one);
    expect(await authorAt(hosted, 'later')).toEqual(['Ada again']);
    expect((await one.status()).unsent).toEqual({ changes: 0, oldest: null });
    const { data } = await one.ok('GET', '/api/v1/audit?limit=50');
    expect(
      data.find(
        ({ action, detail }: { action: string; detail: { unsent?: string } }) =>
          action === 'uplink.connected' && detail.unsent !== undefined,
      )?.detail,
    ).toMatchObject({ unsent: 'mine' });
  });

  test('under the new name: it is recorded once more, tells the former name, and is contested nowhere', async () => {
    await connected('Grace', 'rename');
    await eventually(async () => expect(await hosted.cells('case-1')).toContain(`mine/${RULE}=NA`));
    expect(await authorAt(hosted, 'mine')).toEqual(['Grace']);
    expect((await one.cells('case-1')).filter((cell) => cell.startsWith('mine/'))).toEqual([
      `mine/${RULE}=NA`,
    ]);
    // A later edit supersedes it on both sides.
    await one.record('case-1', 'mine', 'TRUE');
    await eventually(async () =>
      expect((await hosted.cells('case-1')).filter((cell) => cell.startsWith('mine/'))).toEqual([
        `mine/${RULE}=TRUE`,
      ]),
    );
    expect((await one.cells('case-1')).filter((cell) => cell.startsWith('mine/'))).toEqual([
      `mine/${RULE}=TRUE`,
    ]);
  });

  test('set aside: it stays here, is counted, and goes if its author’s key is used again', async () => {
    await connected('Grace', 'set_aside');
    await one.record('case-1', 'hers', 'TRUE');
    await eventually(async () =>
      expect(await hosted.cells('case-1')).toContain(`hers/${RULE}=TRUE`),
    );
    expect(await hosted.cells('case-1')).not.toContain(`mine/${RULE}=NA`);
    expect(await one.status()).toMatchObject({ totals: { blocked: expect.any(Number) } });
    expect((await one.status()).unsent.changes).toBeGreaterThan(0);
    expect((await one.status()).links.find(({ stream }) => stream === 'case-1')?.state).not.toBe(
      'equal',
    );
  });
});

test('another server at the same address takes over with consent; unsent work is counted until its project is shared', async () => {
  await using second = await Studio.open('second');
  const { key } = await second.makeKey('Ada of the second');
  expect(await one.call('PUT', '/api/v1/uplink', { url: second.server.url, key })).toMatchObject({
    status: 409,
    body: { error: 'other_user' },
  });
  const { changes } = (await one.status()).unsent;
  await one.ok('PUT', '/api/v1/uplink', { url: second.server.url, key, unsent: 'mine' });
  expect((await one.status()).unsent.changes).toBe(changes);
  await one.share(project);
  await converge(['case-1', `@project/${project}`], second, one);
  expect(await second.cells('case-1')).toEqual(
    expect.arrayContaining([`i1/${RULE}=TRUE`, `mine/${RULE}=NA`]),
  );
  expect((await one.status()).unsent.changes).toBe(0);
});
