import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDataLayer, type DataLayer } from '../../../src/renderer/data/data-layer.ts';
import type { MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { createSignInLink } from '../../../src/server/auth/sign-in.ts';
import {
  type Fault,
  FAULT_KINDS,
  type FaultProxy,
  seededFaults,
  startProxy,
} from '../../support/fault-proxy.ts';
import { testHasher } from '../../support/hasher.ts';
import { Journal, missing } from '../../support/journal.ts';
import { lengthOf } from '../../support/length.ts';
import { seeded } from '../../support/random.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { asProfile, asCase } from '../../support/ids.ts';

globalThis.IDBKeyRange = IDBKeyRange;
/** Bytes between two cuts. */
const STRIDE = lengthOf(150, 1);
const CUTS = STRIDE === 1 ? 'at every byte' : `every ${STRIDE} bytes`;
/** Between the turns of a link that has nothing to do. */
/** Waits that are no answer to a failure: for the next look, and for telling what has moved. */
const IDLE: readonly number[] = [40, 100, 2_000, 60_000];
const PROFILE = 'crispr_edit_evidence';
let server: TestServer;
let proxy: FaultProxy;
let layer: DataLayer;
let session: MatrixSession;
let journal: Journal;
let folder: string;
/** What the window's loop asked to wait, ms. */
let waits: number[];

beforeEach(async () => {
  server = await bootServer();
  proxy = await startProxy(server.url);
  folder = mkdtempSync(path.join(tmpdir(), 'faults-window-'));
  journal = new Journal(path.join(folder, 'journal'));
  waits = [];
  const project = await server.call('POST', '/api/v1/projects', { body: { name: 'P' } });
  await server.call('POST', '/api/v1/cases', {
    body: { project_id: project.body.project_id, case_uid: 'c', profile_uid: PROFILE },
  });
  await server.call('POST', '/api/v1/cases/c/evidence', {
    body: { profile_uid: PROFILE, items: [{ item_uid: 'i' }], outcomes: [] },
  });
  const signedIn = await fetch(await createSignInLink(server.deps, server.url), {
    redirect: 'manual',
  });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  layer = await createDataLayer({
    fetch: (input, init) =>
      fetch(new URL(input instanceof Request ? input.url : input, proxy.url), {
        ...init,
        headers: { ...Object.fromEntries(new Headers(init?.headers)), cookie, origin: proxy.url },
      }),
    now: () => Date.now(),
    elapsed: () => performance.now(),
    hasher: testHasher,
    indexedDB: new IDBFactory(),
    version: 'test',
    randomBytes: (length) => new Uint8Array(randomBytes(length)),
    after(ms, callback) {
      waits.push(ms);
      const timer = setTimeout(callback, Math.min(ms / 200, 50));
      return () => clearTimeout(timer);
    },
  });
  session = await layer.openMatrix({
    caseUid: asCase('c'),
    profileUid: asProfile(PROFILE),
    profileVersion: '1.0',
  });
});
afterEach(async () => {
  layer.close();
  await new Promise((resolve) => {
    setTimeout(resolve, 50);
  });
  await proxy.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function write(): Promise<string> {
  const token = journal.token();
  await session.write('Set', [{ item: 'i', rule: session.rules[0] ?? '' }], {
    raw_outcome: 'TRUE',
    source_value: token,
  });
  return token;
}
async function saved(): Promise<void> {
  await expect
    .poll(() => session.saveStatus.waiting + session.saveStatus.storing, {
      interval: 2,
    })
    .toBe(0);
}
async function writeAndWait(): Promise<void> {
  const token = await write();
  await saved();
  journal.acknowledged(token);
}
async function log(): Promise<{ change: string }[]> {
  const changes: { change: string }[] = [];
  for (let more = true; more;) {
    const page = await server.call(
      'GET',
      `/api/v1/sync/cases/c/changes?after=${changes.length}&limit=2000`,
    );
    changes.push(...page.body.changes);
    more = page.body.more;
  }
  return changes;
}
/** Spoils the next request to an address, once. */
function spoil(path_: RegExp, fault: Fault): void {
  let spent = false;
  proxy.plan = (request) => {
    if (spent || !path_.test(request.path)) return null;
    spent = true;
    return fault;
  };
}
/** Acknowledged is in the log, once, and on screen is what the log says. */
async function expectNothingLost(writes: number): Promise<void> {
  const changes = await log();
  expect(missing(journal.tokens(), changes)).toEqual([]);
  expect(changes.filter(({ change }) => /"w\d+\."/.test(change))).toHaveLength(writes);
  const page = await server.call('GET', `/api/v1/cases/c/evidence?profile_uid=${PROFILE}`);
  expect(page.body.items[0].evidence[0]).toMatchObject({
    source_value: session.detail(0, 0).source_value,
    contested: false,
  });
}
const shows = async (token: string): Promise<void> => {
  await expect.poll(() => session.detail(0, 0).source_value, { interval: 2 }).toBe(token);
};

describe('a window whose server cannot be relied upon', () => {
  it(
    `R2 I3 the answer to a push cut ${CUTS}: each write is there once`,
    { timeout: 300_000 },
    async () => {
      await writeAndWait();
      const whole = proxy.seen.find((one) => one.path.endsWith('/push'))?.bytes ?? 0;
      expect(whole).toBeGreaterThan(300);
      for (let at = 0; at < whole; at += STRIDE) {
        spoil(/\/push$/, { do: 'cut answer', at });
        await writeAndWait();
      }
      const cuts = proxy.spoiled().get('cut answer') ?? 0;
      expect(cuts).toBe(Math.ceil(whole / STRIDE));
      await expectNothingLost(cuts + 1);
    },
  );

  it(
    `R1 R3 a page of the log cut ${CUTS}: none is taken by half`,
    { timeout: 300_000 },
    async () => {
      const agent = async (token: string): Promise<void> => {
        await server.call('POST', '/api/v1/cases/c/evidence', {
          body: {
            profile_uid: PROFILE,
            items: [],
            outcomes: [
              { item_uid: 'i', rule_uid: session.rules[0], raw_outcome: 'NA', source_value: token },
            ],
          },
        });
        journal.acknowledged(token);
      };
      let tokens = 1;
      await agent(journal.token());
      await shows('w1.');
      const whole = Math.max(
        ...proxy.seen.filter((one) => one.path.includes('/changes')).map((one) => one.bytes),
      );
      expect(whole).toBeGreaterThan(800);
      for (let at = 0; at < whole; at += STRIDE) {
        spoil(/\/changes/, { do: 'cut answer', at });
        const token = journal.token();
        await agent(token);
        await shows(token);
        tokens += 1;
      }
      expect(proxy.spoiled().get('cut answer')).toBe(Math.ceil(whole / STRIDE));
      await expectNothingLost(tokens);
    },
  );

  it.each<[string, Fault]>([
    ['a request that dies on the way', { do: 'cut request', at: 400 }],
    ['a request that never arrives', { do: 'drop' }],
    ['a request delivered twice', { do: 'twice' }],
    ['a request that lands after its retry', { do: 'late', by: 1 }],
    ['a request that lands long after its retry', { do: 'late', by: 5 }],
    ['a sign-in page in the answer’s place', { do: 'html' }],
    ['a redirect to another host', { do: 'redirect', to: 'http://127.0.0.1:9/x' }],
    ['a damaged gzip', { do: 'bad gzip' }],
    ['too many requests', { do: 'refuse', status: 429, retryAfter: '2' }],
    [
      'too many requests until a date',
      { do: 'refuse', status: 429, retryAfter: new Date(Date.now() + 3_000).toUTCString() },
    ],
    ['a server that is not available', { do: 'refuse', status: 503 }],
  ])('I2 I3 %s: nothing is lost and nothing is there twice', async (_, fault) => {
    for (const address of [/\/push$/, /\/changes/]) {
      spoil(address, fault);
      await writeAndWait();
      await writeAndWait();
    }
    await proxy.deliverLate();
    await writeAndWait();
    await expectNothingLost(5);
    await expect
      .poll(() => session.saveStatus)
      .toMatchObject({ waiting: 0, problem: null, connection: 'online' });
  });

  it('I15 a storm of refusals: waits are as long as was asked, and no longer than an hour', async () => {
    for (const [retryAfter, least, most] of [
      ['7', 7_000, 40_000],
      ['99999999', 3_600_000, 3_600_000],
      ['soon', 0, 40_000],
      ['-5', 0, 40_000],
      [new Date(Date.now() + 50_000).toUTCString(), 30_000, 51_000],
    ] as const) {
      waits = [];
      spoil(/\/push$/, { do: 'refuse', status: 503, retryAfter });
      const token = await write();
      await expect
        .poll(() => waits.find((ms) => !IDLE.includes(ms)), { interval: 2 })
        .toBeGreaterThanOrEqual(least);
      expect(
        waits.find((ms) => !IDLE.includes(ms)),
        retryAfter,
      ).toBeLessThanOrEqual(most);
      await saved();
      journal.acknowledged(token);
    }
    await expectNothingLost(5);
  });

  it('of another protocol is told of, and work goes on without it', async () => {
    proxy.plan = (request) =>
      request.path.startsWith('/api/v1/sync/cases') ? { do: 'refuse', status: 426 } : null;
    const token = await write();
    await expect.poll(() => session.saveStatus.problem).not.toBeNull();
    expect([session.saveStatus.waiting, session.detail(0, 0).source_value]).toEqual([1, token]);
    proxy.plan = () => null;
    await saved();
    journal.acknowledged(token);
    await expectNothingLost(1);
  });

  it('is not told that anything is saved while nobody answers', async () => {
    proxy.down = true;
    const token = await write();
    await expect.poll(() => session.saveStatus.connection).toBe('offline');
    expect(session.saveStatus).toMatchObject({ waiting: 1, connection: 'offline' });
    expect(missing([token], await log())).toEqual([token]);
    proxy.down = false;
    await saved();
    journal.acknowledged(token);
    await expectNothingLost(1);
  });

  it.each(lengthOf([1], [1, 2, 3]))(
    'I1 I2 I3 faults in a third of the requests, seed %i',
    { timeout: 60_000 },
    async (seed) => {
      const random = seeded(seed);
      proxy.plan = seededFaults(random, 0.33);
      let writes = 0;
      for (; writes < 30 || !FAULT_KINDS.every((kind) => proxy.spoiled().has(kind)); writes += 1) {
        const token = await write();
        if (random.chance(0.5)) {
          await saved();
          journal.acknowledged(token);
        }
      }
      proxy.plan = () => null;
      await saved();
      await proxy.deliverLate();
      await expectNothingLost(writes);
    },
  );
});
