import { cpSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededFaults } from '../../support/fault-proxy.ts';
import { type KillPoint, rigged } from '../../support/killing.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { type Random, seeded } from '../../support/random.ts';
import type { Station } from '../../support/station.ts';
import { CASE, PROFILE, Studios } from '../../support/studios.ts';
import { wireChange } from '../../support/sync-change.ts';
import { profile } from '../../contract/world.ts';
import { Judging } from './judging.ts';
import type { Entry } from '../../../src/sync/change.ts';

/**
 * Two desktops and a hosted server on PostgreSQL, and every kind of write: at the end all hold the
 * same and nothing waits. `CHAOS_MINUTES=30 CHAOS_SEED=7` plays one seed for longer; otherwise so
 * many steps of one seed.
 */
const { CHAOS_MINUTES, CHAOS_SEED = '11' } = process.env;
const STEPS = 45;
const RAWS = ['TRUE', 'FALSE', 'NA'] as const;
const ITEMS = ['a', 'b', 'c', 'd', '\ue000', '😀'];
/** Cases that are taken away and brought back, beside the one of which everything is compared. */
const CASES = ['other-1', 'other-2'];

let studios: Studios;
let database: PlainDatabase;
let judging: Judging;
const users = new Map<Station, string>();
beforeAll(async () => {
  database = await makePlainDatabase(SHARED_POSTGRES);
  studios = await Studios.begin(2, { DATABASE_URL: database.url });
}, 120_000);
afterAll(async () => {
  await studios?.end();
  await database?.drop();
}, 60_000);

/**
 * Whose changes the signed-in person of a studio pushes. It becomes another one when the studio is
 * connected.
 */
async function userOf(station: Station): Promise<string> {
  const known = users.get(station);
  if (known !== undefined) return known;
  const { user } = (await station.asPerson('GET', 'session')).body;
  users.set(station, user.user_id);
  return user.user_id;
}

/** As a window does it: several changes in one batch, by the person who is signed in. */
async function push(station: Station, caseUid: string, changes: Entry[][]): Promise<void> {
  const user = await userOf(station);
  const { status, body } = await station.asPerson('POST', `sync/cases/${caseUid}/push`, {
    protocol: 1,
    changes: changes.map((entries) => wireChange(caseUid, user, entries)),
  });
  expect(status, JSON.stringify(body)).toBeLessThan(500);
}

interface Shown {
  item_uid: string;
  deleted?: boolean;
  heads: Record<string, string>;
}
async function shownRows(station: Station): Promise<Shown[]> {
  return JSON.parse(
    (await station.send('GET', `sync/cases/${CASE}/snapshot?profile_uid=${PROFILE}`)).chunk,
  ).items;
}

/**
 * Deletes rows, or brings them back: some by people who see what is there, some by people who do
 * not; many at once.
 */
async function existence(random: Random, station: Station): Promise<void> {
  const deleted = random.chance(0.5);
  const rows = (await shownRows(station)).filter(() => random.chance(0.6));
  const entryOf = ({ item_uid, heads }: Shown): Entry => ({
    op: 'set',
    parents: heads['x'] === undefined || random.chance(0.2) ? [] : [heads['x']],
    reg: `item/x/${item_uid}`,
    value: { deleted, ...(deleted ? { covers: [] } : {}) },
  });
  const half = random.int(rows.length + 1);
  await push(
    station,
    CASE,
    [rows.slice(0, half), rows.slice(half)]
      .filter((part) => part.length > 0)
      .map((part) => part.map(entryOf)),
  );
}

/** Some rows with many outcomes each, as an agent writes them. */
async function block(random: Random, station: Station, caseUid: string): Promise<void> {
  const items = ITEMS.filter(() => random.chance(0.6)).map((item_uid) => ({
    item_uid,
    position: random.int(2),
  }));
  const outcomes = items.flatMap(({ item_uid }) =>
    studios.rules
      .filter(() => random.chance(0.4))
      .map((rule_uid) => ({ item_uid, rule_uid, raw_outcome: random.pick(RAWS) })),
  );
  await station.call('POST', `cases/${caseUid}/evidence`, {
    profile_uid: PROFILE,
    items,
    outcomes,
  });
}

/** Settles what is contested, with a reason. */
async function settle(station: Station): Promise<void> {
  const { data } = (await station.call('GET', `cases/${CASE}/contested?profile_uid=${PROFILE}`))
    .body;
  const user = await userOf(station);
  for (const { item_uid, rule_uid, field, heads } of (data ?? []).slice(0, 3)) {
    if (field !== 'outcome') continue;
    const { id, change } = wireChange(CASE, user, [
      {
        op: 'resolve',
        parents: heads.map(({ entry }: { entry: string }) => entry).sort(),
        reg: `a/${PROFILE}@1.0/${rule_uid}/${item_uid}`,
        value: heads[0].value,
      },
    ]);
    expect(
      (
        await station.asPerson('POST', `sync/cases/${CASE}/push`, {
          protocol: 1,
          changes: [{ id, change }],
        })
      ).status,
    ).toBeLessThan(500);
  }
}

/** A case comes, goes and comes back, with its title written by whoever. */
async function wholeCase(random: Random, station: Station): Promise<void> {
  const caseUid = random.pick(CASES);
  await station.call('POST', 'cases', {
    project_id: studios.project,
    case_uid: caseUid,
    profile_uid: PROFILE,
    title: `Title ${random.int(5)}`,
  });
  await block(random, station, caseUid);
  if (random.chance(0.5))
    await push(station, caseUid, [
      [{ op: 'set', parents: [], reg: 'case/x', value: { deleted: true } }],
    ]);
}

/** Two studios publish other rules under one version, and each uses its own. */
async function collide(random: Random): Promise<void> {
  const version = `${1 + random.int(3)}.${random.int(3)}`;
  for (const hub of studios.hubs) hub.proxy.down = true;
  await Promise.all(
    studios.hubs.map(async ({ station }, at) => {
      await station.call(
        'POST',
        'profiles',
        profile('own_profile', version, [`rule_${at}`, 'rule_shared']),
      );
      await station.call('POST', 'cases', {
        project_id: studios.project,
        case_uid: `own-${version}-${at}`,
        profile_uid: 'own_profile',
        profile_version: version,
      });
      await station.call('POST', `cases/own-${version}-${at}/evidence`, {
        profile_uid: 'own_profile',
        profile_version: version,
        items: [{ item_uid: 'i' }],
        outcomes: [{ item_uid: 'i', rule_uid: `rule_${at}`, raw_outcome: 'TRUE' }],
      });
    }),
  );
  for (const hub of studios.hubs) hub.proxy.down = false;
}

async function killed(random: Random, station: Station): Promise<string> {
  const kill: KillPoint = {
    at: random.pick(['statement', 'commit', 'committed']),
    table: random.pick(['changes', 'links', 'streams', 'items']),
    nth: 1 + random.int(3),
  };
  await station.startAgain(rigged({ kill })).catch(() => undefined);
  for (let n = 0; n < 3; n += 1)
    await studios.write(
      random.pick([station, ...studios.stations]),
      random.pick(ITEMS),
      n,
      random.pick(RAWS),
    );
  await station.startAgain();
  return `killed at ${kill.at}`;
}

/** All rounds are released, and all has been exchanged. */
async function rest(): Promise<void> {
  for (const station of studios.stations) await judging.releaseAll(station);
  await studios.quiet();
}

/** What only the restored one has seen dies with it; so all have read before it is put back. */
async function putBack(random: Random, station: Station): Promise<string> {
  const isHosted = station === studios.hosted;
  await rest();
  await station.kill('SIGTERM');
  const copy = studios.copyOf(station);
  if (isHosted) await database.keep();
  await station.startAgain();
  for (const hub of studios.hubs)
    await studios.write(hub.station, random.pick(ITEMS), random.int(4), random.pick(RAWS));
  await existence(random, random.pick(studios.hubs).station);
  await freeze(random.pick(studios.hubs).station);
  await rest();
  await station.kill();
  if (isHosted) await database.putBack();
  rmSync(station.data, { recursive: true });
  cpSync(copy, station.data, { recursive: true });
  await station.startAgain();
  return isHosted ? 'hosted server put back' : 'desktop put back';
}

async function freeze(station: Station): Promise<void> {
  const { status, body } = await station.call('POST', 'runs', {
    case_uid: CASE,
    profile_uid: PROFILE,
    accept_contested: true,
    reason: 'As it stands.',
  });
  expect(status, JSON.stringify(body)).toBeLessThan(500);
}

async function act(random: Random): Promise<string> {
  const station = random.pick(studios.stations);
  const kind = random.int(100);
  if (kind < 22) {
    await studios.write(station, random.pick(ITEMS), random.int(4), random.pick(RAWS));
    return 'write';
  }
  if (kind < 32) return block(random, station, CASE).then(() => 'block');
  if (kind < 42) return existence(random, station).then(() => 'rows deleted or restored');
  if (kind < 47) return wholeCase(random, station).then(() => 'case');
  if (kind < 52) return settle(station).then(() => 'settle');
  if (kind < 56) return freeze(station).then(() => 'run');
  if (kind < 59) return collide(random).then(() => 'profiles collide');
  if (kind < 67) return judging.suggest(station, ITEMS).then(() => 'suggest');
  if (kind < 73) return judging.decide(station).then(() => 'decide');
  if (kind < 85) return judging.record(station, ITEMS).then(() => 'record in a round');
  if (kind < 89) return judging.move(station).then(() => 'stage');
  if (kind < 94) {
    const hub = random.pick(studios.hubs);
    hub.proxy.down = random.chance(0.3);
    hub.proxy.plan = random.chance(0.5) ? seededFaults(random, 0.3) : () => null;
    return 'wire';
  }
  if (kind < 98) return killed(random, station);
  return putBack(random, station);
}

/** Of every case its set of changes, and every run with its content. */
async function held(station: Station): Promise<unknown> {
  const cases = (await station.send('GET', 'sync/cases')).cases
    .map(({ case_uid }: { case_uid: string }) => case_uid)
    .filter((name: string) => !name.startsWith('@') && name !== 'sample')
    .sort();
  const logs: [string, string][] = [];
  for (const name of cases) {
    const { count, sum } = await station.send('GET', `sync/cases/${name}/changes?after=0&limit=1`);
    logs.push([name, `${count} ${sum}`]);
  }
  const runs: { run_uid: string; content_hash: string }[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { data: typeof runs; next_cursor: string | null } = await station.send(
      'GET',
      `runs?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    runs.push(...page.data);
    cursor = page.next_cursor;
  }
  for (const { run_uid } of runs) await station.send('GET', `runs/${run_uid}`);
  return {
    logs,
    runs: runs.map(({ run_uid, content_hash }) => `${run_uid} ${content_hash}`).sort(),
  };
}

async function expectAllEqual(): Promise<void> {
  await rest();
  await studios.expectNothingLost();
  const [first, ...others] = await Promise.all(
    studios.stations.map(async (station) => [await held(station), await judging.shown(station)]),
  );
  for (const other of others) expect(other).toEqual(first);
  await judging.expectLayersKept(studios.hosted);
  for (const { station } of studios.hubs) {
    const { totals, problem } = (await station.asPerson('GET', 'uplink')).body;
    expect([problem, totals.waiting, totals.blocked]).toEqual([null, 0, 0]);
  }
}

const minutes = Number(CHAOS_MINUTES ?? '0');
it(
  `I1 I2 I4 Y8 ${minutes > 0 ? `for ${minutes} minutes` : `${STEPS} steps`} from seed ${CHAOS_SEED}: nothing is stuck, and all are equal`,
  { timeout: (minutes + 8) * 60_000 },
  async () => {
    const random = seeded(Number(CHAOS_SEED));
    judging = new Judging(studios, random);
    const happened = new Map<string, number>();
    const end = performance.now() + minutes * 60_000;
    for (let n = 1; minutes > 0 ? performance.now() < end : n <= STEPS; n += 1) {
      const what = await act(random);
      happened.set(what, (happened.get(what) ?? 0) + 1);
      if (n % 50 === 0) await expectAllEqual();
    }
    if (minutes === 0) {
      // A short play may draw none of these.
      await collide(random);
      await putBack(random, studios.hosted);
      await putBack(random, studios.hubs[0]!.station);
    }
    await expectAllEqual();
    console.log(
      `seed ${CHAOS_SEED}: ${JSON.stringify([...happened, ...judging.carriedOut])}, ${studios.journal.tokens().length} acknowledged`,
    );
  },
);
