import { cpSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededFaults } from '../../support/fault-proxy.ts';
import { type KillPoint, rigged } from '../../support/killing.ts';
import { seedOf } from '../../support/length.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { type Random, seeded } from '../../support/random.ts';
import { CASE, Studios } from '../../support/studios.ts';

/**
 * `FAULT_MINUTES=10 EVIDENCE_TEST_SEED=7` runs one seed for longer; `FAULT_DATABASE=postgres` with
 * the hosted server on PostgreSQL.
 */
const MINUTES = Number(process.env.FAULT_MINUTES ?? '0');
const STEPS = 150;
const SEED = seedOf(1);
const ON_POSTGRES = process.env.FAULT_DATABASE === 'postgres';
const RAWS = ['TRUE', 'FALSE', 'NA'] as const;
const DAY = 86_400_000;

let studios: Studios;
let database: PlainDatabase | undefined;
beforeAll(async () => {
  if (ON_POSTGRES) database = await makePlainDatabase(SHARED_POSTGRES);
  studios = await Studios.begin(2, database === undefined ? {} : { DATABASE_URL: database.url });
}, 90_000);
afterAll(async () => {
  await studios.end();
  await database?.drop();
}, 60_000);

async function act(random: Random): Promise<string> {
  const station = random.pick(studios.stations);
  const kind = random.int(100);
  if (kind < 70) {
    await studios.write(
      station,
      random.pick(['a', 'b', 'c', 'd']),
      random.int(4),
      random.pick(RAWS),
    );
    if (random.chance(0.3))
      for (const hub of studios.hubs)
        await hub.station.asPerson('POST', 'uplink/sync', {}).catch(() => undefined);
    return 'write';
  }
  if (kind < 80) {
    const hub = random.pick(studios.hubs);
    const how = random.int(3);
    hub.proxy.down = how === 0;
    hub.proxy.plan = how === 1 ? seededFaults(random, 0.4) : () => null;
    return ['cut off', 'spoiled', 'whole'][how] ?? '';
  }
  if (kind < 92) {
    const kill: KillPoint = {
      at: random.pick(['statement', 'commit', 'committed']),
      table: random.pick(['changes', 'changes', 'links', 'streams']),
      nth: 1 + random.int(3),
    };
    await station.startAgain(rigged({ kill })).catch(() => undefined);
    for (let n = 0; n < 4; n += 1)
      await studios.write(random.pick([station, ...studios.stations]), 'a', n, random.pick(RAWS));
    await station.startAgain();
    return `killed at ${kill.at} ${kill.table}`;
  }
  if (kind < 96) {
    await station.startAgain(rigged({ shift: random.pick([-DAY, 3_600_000, 3_650 * DAY]) }));
    await studios.write(station, 'b', random.int(4), random.pick(RAWS));
    await station.startAgain();
    return 'another clock';
  }
  if (ON_POSTGRES) return 'nothing';
  // What only the hosted server has seen dies with it; so all have read before it is put back.
  await studios.quiet();
  await studios.hosted.kill('SIGTERM');
  const copy = studios.copyOf(studios.hosted);
  await studios.hosted.startAgain();
  for (const hub of studios.hubs)
    await studios.write(hub.station, 'c', random.int(4), random.pick(RAWS));
  await studios.quiet();
  await studios.hosted.kill();
  rmSync(studios.hosted.data, { recursive: true });
  cpSync(copy, studios.hosted.data, { recursive: true });
  await studios.hosted.startAgain();
  return 'put back';
}

it(
  'I1 I2 I3 I4 I13 whatever happens ' +
    `${MINUTES > 0 ? `for ${MINUTES} minutes` : `in ${STEPS} steps`} from seed ${SEED}, ` +
    'nothing acknowledged is lost',
  { timeout: (MINUTES + 20) * 60_000 },
  async () => {
    const random = seeded(SEED);
    const end = performance.now() + MINUTES * 60_000;
    const happened = new Map<string, number>();
    for (let n = 1; MINUTES > 0 ? performance.now() < end : n <= STEPS; n += 1) {
      const what = await act(random);
      happened.set(what, (happened.get(what) ?? 0) + 1);
      if (n % 60 === 0) await studios.expectNothingLost();
    }
    await studios.expectNothingLost();
    console.log(
      `seed ${SEED}: ${JSON.stringify([...happened])}, ${studios.journal.tokens().length} ` +
        `acknowledged, ${(await studios.log(studios.hosted)).length} changes of ${CASE}`,
    );
    expect(studios.journal.tokens().length).toBeGreaterThan(0);
  },
);
