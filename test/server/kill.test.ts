import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lengthOf } from '../support/length.ts';
import { call, makeKey, serve } from '../support/served.ts';

const KILLS = lengthOf(3, 100);
const PROFILE = 'general_claim_evidence';
const STATES = ['TRUE', 'FALSE', 'NA'] as const;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'evidence-kill-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function evidenceOf(url: string, key: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  let cursor = '';
  do {
    const page = await call(
      url,
      key,
      'GET',
      `/api/v1/cases/kill/evidence?profile_uid=${PROFILE}&limit=200${cursor}`,
    );
    expect(page.status).toBe(200);
    for (const item of page.body.items)
      for (const cell of item.evidence)
        found.set(`${item.item_uid} ${cell.rule_uid}`, cell.raw_outcome);
    cursor = page.body.next_cursor === null ? '' : `&cursor=${page.body.next_cursor}`;
  } while (cursor !== '');
  return found;
}

describe('a server killed while it takes writes', () => {
  it(
    `loses no acknowledged cell in ${KILLS} SIGKILLs, and its database stays whole`,
    { timeout: 900_000 },
    async () => {
      const key = await makeKey(folder);
      /**
       * An external journal: what each cell may hold. One value once its write is acknowledged; an
       * unanswered request adds its own.
       */
      const possible = new Map<string, Set<string | undefined>>();
      /**
       * The request that the last kill cut off: what its cells may have held before, and what it
       * says.
       */
      let cutOff:
        | { before: Map<string, Set<string | undefined>>; cells: Map<string, string> }
        | undefined;
      let acknowledged = 0;
      let unanswered = 0;
      /**
       * Holds the store against the journal. What was found is settled: it may not change again by
       * itself.
       */
      const compare = async (url: string, kills: number): Promise<void> => {
        const found = await evidenceOf(url, key);
        if (cutOff !== undefined) {
          const { before, cells } = cutOff;
          const applied = [...cells].every(([cell, state]) => found.get(cell) === state);
          const absent = [...before].every(([cell, values]) => values.has(found.get(cell)));
          expect(applied || absent, `whole or not at all, after ${kills} kills`).toBe(true);
        }
        for (const [cell, values] of possible) {
          expect([...values], `${cell} after ${kills} kills`).toContain(found.get(cell));
          possible.set(cell, new Set([found.get(cell)]));
        }
        for (const cell of found.keys())
          expect(possible.has(cell), `${cell} was never sent`).toBe(true);
      };
      let rules: string[] = [];
      for (let round = 0; round < KILLS; round++) {
        const server = await serve(folder);
        if (round === 0) {
          const project = await call(server.url, key, 'POST', '/api/v1/projects', { name: 'Kill' });
          expect(
            (
              await call(server.url, key, 'POST', '/api/v1/cases', {
                project_id: project.body.project_id,
                case_uid: 'kill',
              })
            ).status,
          ).toBe(201);
          const profile = await call(server.url, key, 'GET', `/api/v1/profiles/${PROFILE}`);
          rules = profile.body.rules.map((rule: { ruleUid: string }) => rule.ruleUid);
        } else if (round % 5 === 0) await compare(server.url, round);
        let answered = 0;
        let isUnderWay = (): void => {};
        const underWay = new Promise<void>((resolve) => (isUnderWay = resolve));
        const writer = (async () => {
          for (let batch = 0; ; batch++) {
            const cells = new Map<string, string>();
            const items = Array.from({ length: 5 }, (_, i) => ({
              item_uid: `item-${(round * 7 + batch * 5 + i) % 400}`,
              evidence: rules.map((rule_uid, column) => ({
                rule_uid,
                raw_outcome: STATES[(round + batch + column + i) % 3]!,
              })),
            }));
            for (const item of items)
              for (const cell of item.evidence)
                cells.set(`${item.item_uid} ${cell.rule_uid}`, cell.raw_outcome);
            const before = new Map(
              [...cells.keys()].map((cell) => [cell, possible.get(cell) ?? new Set([undefined])]),
            );
            cutOff = { before, cells };
            for (const [cell, state] of cells)
              possible.set(cell, new Set([...(before.get(cell) ?? []), state]));
            unanswered += 1;
            const answer = await call(server.url, key, 'POST', '/api/v1/evidence', {
              case_uid: 'kill',
              profile_uid: PROFILE,
              items,
            });
            if (answer.status !== 200) throw new Error(`refused: ${JSON.stringify(answer.body)}`);
            for (const [cell, state] of cells) possible.set(cell, new Set([state]));
            cutOff = undefined;
            unanswered -= 1;
            acknowledged += cells.size;
            answered += 1;
            if (answered > round % 4) isUnderWay();
          }
        })().catch((error: unknown) => error);
        await Promise.race([underWay, writer]);
        await delay((round * 37) % 60);
        await server.kill('SIGKILL');
        const ended = await writer;
        expect(String(ended)).not.toContain('refused');
      }
      const server = await serve(folder);
      await compare(server.url, KILLS);
      await server.kill('SIGTERM');
      // The load was real, and the kills met it.
      expect(acknowledged).toBeGreaterThan(10 * KILLS);
      expect(possible.size).toBeGreaterThan(10 * KILLS);
      expect(unanswered).toBe(KILLS);
      const file = (await readdir(folder)).find((name) => name.endsWith('.sqlite'));
      const database = new DatabaseSync(path.join(folder, file ?? ''), { readOnly: true });
      expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
      expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
      database.close();
    },
  );
});
