import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../src/server/auth/sign-in.ts';
import { outcomeWords } from '../../src/shared/domain/outcome.ts';
import { makeCase, readRawMatrix, TRIO } from '../support/evidence.ts';
import type { Json } from '../support/json.ts';
import { lengthOf, seedOf } from '../support/length.ts';
import { makePlainDatabase, SHARED_POSTGRES } from '../support/plain-database.ts';
import { type Random, seeded } from '../support/random.ts';
import { bootServer, type TestAnswer, type TestServer } from '../support/server.ts';

/** Each takes so many steps at least, and plays so long, ms; `EVIDENCE_TEST_MINUTES` by time. */
const STEPS = 12;
const { EVIDENCE_TEST_MINUTES } = process.env;
const PLAY_MS =
  EVIDENCE_TEST_MINUTES === undefined
    ? lengthOf(0, 600_000)
    : Number(EVIDENCE_TEST_MINUTES) * 60_000;
const CASE = 'shared';
const ITEMS = ['a'];
const RULES = readRawMatrix('m12x5').rules.slice(0, 2);
const OUTCOMES = ['TRUE', 'FALSE', 'NA'] as const;

/** One write that was acknowledged: what its author had read before, and what it says. */
interface Written {
  cell: string;
  revision: number;
  saw: string | null;
  token: string;
}

describe.each(lengthOf(['SQLite'], ['SQLite', 'PostgreSQL']))(
  'two agents and a person on one case, on %s',
  (engine) => {
    let server: TestServer;
    let drop = async (): Promise<void> => {};
    let person: Record<string, string>;
    beforeAll(async () => {
      if (engine === 'PostgreSQL') {
        const made = await makePlainDatabase(SHARED_POSTGRES);
        ({ drop } = made);
        server = await bootServer({ databaseUrl: made.url });
      } else server = await bootServer();
      const link = await createSignInLink(server.deps, server.url);
      const { headers } = await server.call('GET', link.slice(server.url.length), { key: null });
      person = { cookie: headers.get('set-cookie')!.split(';')[0]!, origin: server.url };
      await makeCase(server, CASE);
      const body = { profile_uid: TRIO, items: ITEMS.map((item_uid) => ({ item_uid })) };
      await server.call('POST', `/api/v1/cases/${CASE}/evidence`, { body });
    });
    afterAll(async () => {
      await server.close();
      await drop();
    });

    type Ask = (method: string, path: string, body?: unknown) => Promise<TestAnswer>;
    const path = `/api/v1/cases/${CASE}`;
    const seen: Written[] = [];
    const counts = { written: 0, refused: 0, skipped: 0 };

    /** Reads a cell, and writes it as it was read: refused or skipped where somebody was faster. */
    async function step(name: string, ask: Ask, dice: Random, n: number): Promise<void> {
      const item_uid = dice.pick(ITEMS);
      const rule_uid = dice.pick(RULES);
      const cell = `${path}/items/${item_uid}/outcomes/${rule_uid}?profile_uid=${TRIO}`;
      const { body: read } = await ask('GET', cell);
      const token = `${name}-${n}`;
      const skips = dice.chance(0.5);
      const raw_outcome = dice.pick(OUTCOMES);
      const { status, body } = await ask('POST', `${path}/evidence`, {
        profile_uid: TRIO,
        outcomes: [
          { item_uid, rule_uid, raw_outcome, source_value: token, if_revision: read.revision },
        ],
        on_conflict: skips ? 'skip' : 'refuse',
      });
      if (status === 412) {
        counts.refused += 1;
        expect(skips).toBe(false);
        const [, revision, words] =
          /^The cell is at revision (\d+): (.+)\.$/.exec(body.details[0].message) ?? [];
        expect(Number(revision)).toBeGreaterThan(read.revision);
        expect(OUTCOMES.map(outcomeWords)).toContain(words);
        return;
      }
      expect(status, JSON.stringify(body)).toBe(200);
      const [told] = body.outcomes;
      if (told.status === 'skipped') {
        counts.skipped += 1;
        expect(told.revision).toBeGreaterThan(read.revision);
        expect(told.present.source_value).not.toBe(read.source_value);
        return;
      }
      counts.written += 1;
      expect([told.status, told.revision]).toEqual(['written', read.revision + 1]);
      seen.push({
        cell: `${item_uid} ${rule_uid}`,
        revision: told.revision,
        saw: read.source_value,
        token,
      });
    }

    /** Every writing of every cell, oldest first: what it says, and what its author saw. */
    async function writings(): Promise<Map<string, [saw: string | null, token: string][]>> {
      const { body } = await server.call('GET', `${path}/audit?format=json`);
      const outcomes: Json[] = body.steps.filter((step: Json) => step.rule_uid !== null);
      return new Map(
        [...Map.groupBy(outcomes, (step) => `${step.item_uid} ${step.rule_uid}`)].map(
          ([cell, steps]) => [
            cell,
            steps.map((step) => [step.old?.source_value ?? null, step.new.source_value]),
          ],
        ),
      );
    }

    it(
      'lose no write, write over none unseen, and are told what stands where they were late',
      async () => {
        const end = performance.now() + PLAY_MS;
        const keys = [
          await server.makeKey({ name: 'first' }),
          await server.makeKey({ name: 'second' }),
        ];
        const askers: Ask[] = [
          ...keys.map(
            (key): Ask =>
              (method, at, body) =>
                server.call(method, at, { key, body }),
          ),
          (method, at, body) => server.call(method, at, { key: null, headers: person, body }),
        ];
        await Promise.all(
          askers.map(async (ask, at) => {
            const dice = seeded(seedOf() + at);
            for (let n = 0; n < STEPS || performance.now() < end; n += 1)
              await step(`w${at}`, ask, dice, n);
          }),
        );
        expect(counts.written).toBeGreaterThan(STEPS / 2);
        expect(counts.refused + counts.skipped).toBeGreaterThan(0);
        const made = await writings();
        expect([...made.values()].flat()).toHaveLength(counts.written);
        for (const [cell, steps] of made)
          expect(steps).toEqual(
            seen
              .filter((one) => one.cell === cell)
              .toSorted((a, b) => a.revision - b.revision)
              .map(({ saw, token }) => [saw, token]),
          );
      },
      PLAY_MS + 120_000,
    );
  },
);
