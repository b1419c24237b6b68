import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Station } from '../../support/station.ts';

const KILLS = 8;
const CASES = 80;
const PROFILE = 'crispr_edit_evidence';
const names = Array.from({ length: CASES }, (_, at) => `case-${at}`);

/** Count and sum of each case's set, or the code of a refusal. */
async function digests(station: Station): Promise<string[]> {
  const all: string[] = [];
  for (let first = 0; first < names.length; first += 50) {
    const { parts } = await station.asStudio('POST', 'sync/batch', {
      parts: names
        .slice(first, first + 50)
        .map((stream) => ({ operation: 'missing', stream, body: { ids: [] } })),
    });
    all.push(
      ...parts.map(
        ({ body }: { body: { count: number; sum: string } }) => `${body.count} ${body.sum}`,
      ),
    );
  }
  return all;
}

/** Asks until it is so. */
async function until(what: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await what())) {
    if (performance.now() > end) throw new Error('It did not come to be.');
    await delay(20);
  }
}

test(
  'I1 I3 a side that is killed while many cases are sent has each change once in the end',
  { timeout: 300_000 },
  async () => {
    const hosted = await Station.begin('hosted', { EVIDENCE_STUDIO_RATE_LIMIT: 'off' });
    const studio = await Station.begin('studio');
    try {
      const proxy = await hosted.proxy();
      const { project_id } = await studio.send('POST', 'projects', { name: 'Many' });
      for (const case_uid of names)
        await studio.send('POST', 'cases', { project_id, case_uid, profile_uid: PROFILE });
      await studio.asPerson('PUT', 'uplink', { url: proxy.url, key: hosted.studioKey });
      await studio.asPerson('PUT', `uplink/projects/${project_id}`, { shared: true });
      for (let kill = 0; kill < KILLS; kill += 1) {
        // None goes before all are recorded.
        proxy.down = true;
        for (const case_uid of names)
          await studio.send('POST', `cases/${case_uid}/evidence`, {
            profile_uid: PROFILE,
            items: [{ item_uid: `item-${kill}` }],
            outcomes: [],
          });
        proxy.down = false;
        const before = proxy.seen.length;
        await studio.asPerson('POST', 'uplink/sync', {});
        await until(async () =>
          proxy.seen.slice(before).some(({ path }) => path.endsWith('/sync/batch')),
        );
        await (kill % 2 === 0 ? hosted : studio).startAgain();
      }
      const here = await digests(studio);
      await until(async () => {
        await studio.asPerson('POST', 'uplink/sync', {});
        const there = await digests(hosted);
        return there.every((digest, at) => digest === here[at]);
      });
      expect(new Set(here.map((digest) => digest.split(' ')[0]))).toEqual(
        new Set([String(1 + KILLS)]),
      );
      await until(async () => {
        const { totals } = (await studio.asPerson('GET', 'uplink')).body;
        return totals.waiting === 0 && totals.blocked === 0;
      });
    } finally {
      await studio.end();
      await hosted.end();
    }
  },
);
