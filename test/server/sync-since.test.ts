import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCase, recordCell } from '../support/evidence.ts';
import { lengthOf, seedOf } from '../support/length.ts';
import { wireChange } from '../support/sync-change.ts';
import { bootServer, INSTANCES, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await bootServer();
});
afterAll(() => server.close());

interface Position {
  case_uid: string;
}
interface Told {
  tag: string;
  since: string | undefined;
  bytes: number;
  cases: Position[];
}

async function ask(since?: string, key = server.syncKey): Promise<Told> {
  const { status, headers, text, body } = await server.call(
    'GET',
    `/api/v1/sync/cases${since === undefined ? '' : `?since=${encodeURIComponent(since)}`}`,
    { key },
  );
  expect(status, text).toBe(200);
  expect(body.next).toBeNull();
  return { tag: headers.get('etag')!, since: body.since, bytes: text.length, cases: body.cases };
}

it('tells what has moved since an answer: with what was known it is what all of it says', async () => {
  const known = new Map<string, Position>();
  let tag = (await ask()).tag;
  for (const one of (await ask()).cases) known.set(one.case_uid, one);
  let cases = 0;
  let told = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('make', 'record', 'record', 'run', 'member', 'ask'), {
        minLength: 1,
        maxLength: 6,
      }),
      async (steps) => {
        for (const [at, step] of steps.entries()) {
          const name = `case-${Math.max(1, cases - (at % 7))}`;
          if (step === 'make' || cases === 0) await makeCase(server, `case-${(cases += 1)}`);
          else if (step === 'record') await recordCell(server, name);
          else if (step === 'run')
            await server.call('POST', '/api/v1/runs', {
              body: { case_uid: name, profile_uid: 'trio_rare_disease' },
            });
          else if (step === 'member')
            await server.makeKey({ user: { name: `Vera ${Math.random()}`, role: 'viewer' } });
        }
        const moved = await ask(tag);
        if (moved.since === undefined) known.clear();
        else {
          expect(moved.since).toBe(tag);
          told += 1;
        }
        for (const one of moved.cases) known.set(one.case_uid, one);
        tag = moved.tag;
        const all = await ask();
        expect([...known.values()].sort((a, b) => (a.case_uid < b.case_uid ? -1 : 1))).toEqual(
          all.cases.toSorted((a, b) => (a.case_uid < b.case_uid ? -1 : 1)),
        );
      },
    ),
    { numRuns: lengthOf(12, 150), seed: seedOf() },
  );
  // Another instance knows of what it has stored itself alone.
  if (INSTANCES === 1) expect(told).toBeGreaterThan(3);
});

it('tells everything to whoever was told by another, as another, or never', async () => {
  const first = await ask();
  await makeCase(server, 'one-more');
  const viewer = await server.makeKey({ user: { name: 'Vera', role: 'viewer' } });
  for (const [since, key] of [
    [first.tag, viewer],
    [first.tag.replace(/-[^-]*-owner/, `-${'A'.repeat(22)}-owner`), server.syncKey],
    ['"x"', server.syncKey],
    ['', server.syncKey],
  ] as const) {
    const all = await ask(since, key);
    expect([all.since, all.cases.length]).toEqual([undefined, first.cases.length + 1]);
  }
});

it('is as short beside many cases as beside few', async () => {
  const { syncKey } = server;
  const { user_id } = (await server.call('GET', '/api/v1/sync/hello', { key: syncKey })).body.user;
  /** A push of one change to each of these. */
  const push = async (streams: readonly string[]): Promise<void> => {
    const parts = streams.map((stream) => {
      const entry = { op: 'set', parents: [], reg: 'case/title', value: 'Many' } as never;
      const changes = [wireChange(stream, user_id, [entry])];
      return { operation: 'push', stream, body: { protocol: 1, changes } };
    });
    const sent = await server.call('POST', '/api/v1/sync/batch', { key: syncKey, body: { parts } });
    expect(sent.body.parts.map(({ status }: { status: number }) => status)).toEqual(
      streams.map(() => 200),
    );
  };
  const move = async (): Promise<number> => {
    const { tag } = await ask();
    await push(['steady']);
    const moved = await ask(tag);
    if (INSTANCES === 1) expect(moved.cases.map(({ case_uid }) => case_uid)).toEqual(['steady']);
    return moved.bytes;
  };
  await makeCase(server, 'steady');
  await move();
  const before = await move();
  for (let n = 0; n < 3; n += 1)
    await push(Array.from({ length: 64 }, (_, at) => `many-${n}-${at}`));
  expect((await ask()).cases.length).toBeGreaterThan(190);
  if (INSTANCES === 1) expect(await move()).toBeLessThan(before + 20);
});
