import { afterAll, beforeAll, expect, it } from 'vitest';
import { Station } from '../../support/station.ts';
import { type StrictServer, strictServer } from '../uplink/strict-server.ts';
import { eventually, RULE, TRIO } from '../uplink/world.ts';

/**
 * Twice the minute for which a server has to fail before one change is to blame, and what a busy
 * machine needs.
 */
const PATIENCE = 240_000;
let hosted: Station;
let desktop: Station;
let proxy: StrictServer | undefined;
beforeAll(async () => {
  hosted = await Station.begin('hosted');
  desktop = await Station.begin('desktop');
  proxy = await strictServer(hosted.url);
}, 180_000);
afterAll(async () => {
  proxy?.close();
  await desktop?.end();
  await hosted?.end();
}, 60_000);

const record = (station: Station, item_uid: string) =>
  station.send('POST', 'evidence', {
    case_uid: 'case-1',
    profile_uid: TRIO,
    items: [{ item_uid, evidence: [{ rule_uid: RULE, raw_outcome: 'NA' }] }],
  });
const items = async (station: Station): Promise<string[]> =>
  (await station.send('GET', `cases/case-1/evidence?profile_uid=${TRIO}`)).items
    .map((item: { item_uid: string }) => item.item_uid)
    .sort();
const status = async () => (await desktop.asPerson('GET', 'uplink')).body;

// A server has to fail for a real minute before one change is to blame: `uplink/fails.test.ts` plays
// the same in invented time.
it(
  'R12 between two processes: a change on which the hosted server fails is set aside with ' +
    'its reason, everything else goes, and it goes after an upgrade',
  { timeout: 2 * PATIENCE },
  async () => {
    if (proxy === undefined) throw new Error('There is no proxy.');
    const { project_id } = await desktop.send('POST', 'projects', { name: 'Trios' });
    await desktop.send('POST', 'cases', { project_id, case_uid: 'case-1', profile_uid: TRIO });
    proxy.answer = [500, 'internal_error'];
    for (const item of ['a', 'poisoned', 'b']) await record(desktop, item);
    expect(
      (await desktop.asPerson('PUT', 'uplink', { url: proxy.url, key: hosted.studioKey })).status,
    ).toBe(200);
    expect(
      (await desktop.asPerson('PUT', `uplink/projects/${project_id}`, { shared: true })).status,
    ).toBe(200);
    // Whoever looks is somebody who works: tries come every half a minute at the latest.
    await eventually(async () => expect((await status()).kept_changes).toHaveLength(1), PATIENCE);
    await eventually(async () => expect(await items(hosted)).toEqual(['a', 'b']), PATIENCE);
    const said = {
      stream: 'case-1',
      change_id: expect.stringMatching(/^c1_/),
      author: 'test',
      problem: 'The hosted server fails on it: internal_error.',
    };
    expect((await status()).kept_changes).toEqual([
      { ...said, received_at: expect.any(String), since: expect.any(String) },
    ]);

    // It is on the disk: neither a kill nor a start loses it, and work goes on both ways.
    await desktop.startAgain();
    await record(desktop, 'c');
    await record(hosted, 'd');
    await eventually(
      async () =>
        expect([await items(hosted), await items(desktop)]).toEqual([
          ['a', 'b', 'c', 'd'],
          ['a', 'b', 'c', 'd', 'poisoned'],
        ]),
      PATIENCE,
    );
    expect((await status()).kept_changes).toMatchObject([said]);

    proxy.answer = null;
    proxy.version = '9.9.9';
    await hosted.startAgain();
    proxy.target = hosted.url;
    await eventually(
      async () => expect(await items(hosted)).toEqual(['a', 'b', 'c', 'd', 'poisoned']),
      PATIENCE,
    );
    await eventually(
      async () =>
        expect(await status()).toMatchObject({
          kept_changes: [],
          unsent: { changes: 0 },
          totals: { waiting: 0, blocked: 0 },
        }),
      PATIENCE,
    );
    const sets = await Promise.all(
      [hosted, desktop].map(
        async (station) => (await station.send('GET', 'sync/cases/case-1/digest')).buckets,
      ),
    );
    expect(sets[0]).toEqual(sets[1]);
  },
);
