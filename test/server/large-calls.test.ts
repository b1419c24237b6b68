import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverOrigin } from '../../src/server/audit/entries.ts';
import { keyMac, mintKey } from '../../src/server/auth/keys.ts';
import { composeServer, type Composed } from '../../src/server/compose.ts';
import { readConfig } from '../../src/server/config/config.ts';
import { createEvidenceServer, type EvidenceServer } from '../../src/server/server.ts';
import { SHIPPED_PROFILES } from '../../src/server/instance/shipped-profiles.ts';
import { shareConnections } from '../../src/server/thread/large-calls.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../support/plain-database.ts';
import type { Commit } from '../../src/server/storage/log/change-log.ts';

const PROFILE = SHIPPED_PROFILES[0]!;
const RULES = PROFILE.rules.map(({ ruleUid }) => ruleUid);
const CASE = 'large_calls';

interface Answered {
  status: number;
  headers: Headers;
  body: any;
}

/** `rows` items with an outcome for each rule: 100 are a large call, one is a short one. */
const recording = (rows: number, raw_outcome: string, rule = RULES): Record<string, unknown> => ({
  case_uid: CASE,
  profile_uid: PROFILE.profileUid,
  items: Array.from({ length: rows }, (_, i) => ({
    item_uid: `item_${i}`,
    evidence: rule.map((rule_uid) => ({ rule_uid, raw_outcome, source_value: `page ${i} é` })),
  })),
});

describe('a server on PostgreSQL, whose large calls are carried out on a thread', () => {
  let database: PlainDatabase;
  let folder: string;
  let composed: Composed;
  let server: EvidenceServer;
  let key: string;
  const heard: Commit[] = [];

  const ask = async (
    method: string,
    where: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answered> => {
    const sent = {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: JSON.stringify(body),
    };
    const answer = await fetch(`${server.url}/api/v1/${where}`, sent);
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };

  beforeAll(async () => {
    database = await makePlainDatabase(SHARED_POSTGRES);
    folder = mkdtempSync(path.join(tmpdir(), 'evidence-large-'));
    const config = readConfig({ DATABASE_URL: database.url });
    composed = await composeServer({
      dataDir: folder,
      home: 'local',
      rendererRoot: undefined,
      config,
      log: { write: () => undefined },
    });
    composed.store.onCommit((event) => heard.push(event));
    server = await createEvidenceServer(composed.deps, { port: 0, validateAnswers: true });
    const minted = mintKey(composed.deps.random);
    key = minted.key;
    const { account_id, user_id } = composed.store.local;
    await composed.store.transact(async (writer) => {
      writer.audit.by(serverOrigin(account_id));
      const { key_id, prefix } = minted;
      await writer.keyWrites.create({
        key_id,
        account_id,
        user_id,
        name: 'test',
        prefix,
        scopes: ['read', 'write'],
        expires_at: null,
        mac: keyMac(key, composed.deps.hmacSecret),
      });
    }, account_id);
    const project = await ask('POST', 'projects', { name: 'Project' });
    expect(
      await ask('POST', 'cases', { project_id: project.body.project_id, case_uid: CASE }),
    ).toMatchObject({ status: 201 });
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await composed.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('takes large and short calls by turns, and each reads what the other wrote', async () => {
    expect(await ask('POST', 'evidence', recording(100, 'TRUE'))).toMatchObject({
      status: 200,
      body: { outcomes_written: 100 * RULES.length },
    });
    expect(await ask('POST', 'evidence', recording(1, 'FALSE'))).toMatchObject({ status: 200 });
    const page = `cases/${CASE}/evidence?profile_uid=${PROFILE.profileUid}&limit=200`;
    const { body: read } = await ask('GET', page);
    expect(read.items).toHaveLength(100);
    expect(JSON.stringify(read)).toContain('page 99 é');
    expect(await ask('POST', 'evidence', recording(100, 'NA'))).toMatchObject({ status: 200 });
    const { body: run, status } = await ask('POST', 'runs', {
      case_uid: CASE,
      profile_uid: PROFILE.profileUid,
    });
    expect(status).toBe(201);
    expect(await ask('GET', `runs/${run.run_uid}`)).toMatchObject({ status: 200, body: run });
  });

  it('answers a large write only after whoever watches the log has heard of it', async () => {
    for (const [rows, raw_outcome] of [
      [100, 'FALSE'],
      [1, 'TRUE'],
      [101, 'NA'],
    ] as const) {
      const before = heard.length;
      expect(await ask('POST', 'evidence', recording(rows, raw_outcome))).toMatchObject({
        status: 200,
      });
      expect(heard.slice(before).map(({ case_uid }) => case_uid)).toEqual([CASE]);
    }
  });

  it('refuses a large call with the code and place of a short one, and changes nothing', async () => {
    for (const rows of [1, 100]) {
      const sent = recording(rows, 'TRUE', ['no_such_rule']);
      const before = heard.length;
      expect(await ask('POST', 'evidence', sent)).toMatchObject({
        status: 422,
        body: {
          error: 'validation_failed',
          details: expect.arrayContaining([
            expect.objectContaining({ path: '/items/0/evidence/0/rule_uid' }),
          ]),
        },
      });
      expect(await ask('POST', 'evidence', { ...sent, case_uid: 'no_such_case' })).toMatchObject({
        status: 404,
        body: { error: 'not_found' },
      });
      expect(heard).toHaveLength(before);
    }
  });

  it('carries out one of many equal requests, and refuses another under its key, whichever of the two is large', async () => {
    const equal = await Promise.all(
      Array.from({ length: 8 }, () =>
        ask('POST', 'evidence', recording(102, 'TRUE'), { 'idempotency-key': 'one' }),
      ),
    );
    const answered = equal.filter(({ status }) => status === 200);
    expect(answered.length).toBeGreaterThan(0);
    for (const { body } of answered) expect(body).toEqual(answered[0]?.body);
    for (const { status } of equal) expect([200, 409]).toContain(status);
    expect(
      await ask('POST', 'evidence', recording(1, 'TRUE'), { 'idempotency-key': 'one' }),
    ).toMatchObject({ status: 422 });
    expect(
      await ask('POST', 'evidence', recording(1, 'NA'), { 'idempotency-key': 'two' }),
    ).toMatchObject({ status: 200 });
    expect(
      await ask('POST', 'evidence', recording(100, 'NA'), { 'idempotency-key': 'two' }),
    ).toMatchObject({ status: 422 });
  });

  it.runIf(process.platform === 'linux')(
    'gives the thread of large calls a lower priority than the others',
    () => {
      const nice = readdirSync('/proc/self/task').map((thread) =>
        Number(
          readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1]?.split(' ')[16],
        ),
      );
      const own = getPriority();
      expect(nice.filter((of) => of === own + 5)).toHaveLength(1);
      expect(nice.filter((of) => of === own).length).toBeGreaterThan(1);
    },
  );

  it('holds no more connections than it may, however many calls there are', async () => {
    const { own, large } = shareConnections();
    expect(own + large).toBe(10);
    const held = (): number => {
      const { busy, idle } = composed.store.pool!() as { busy: number; idle: number };
      return busy + idle;
    };
    let seen = 0;
    const calls = Array.from({ length: 40 }, async (_, i) => {
      expect(await ask('POST', 'evidence', recording(i % 2 === 0 ? 100 : 1, 'TRUE'))).toMatchObject(
        { status: 200 },
      );
      seen = Math.max(seen, held());
    });
    await Promise.all(calls);
    expect(seen).toBeLessThanOrEqual(10);
  });
});

it.each([
  [2, 1, 1],
  [3, 2, 1],
  [10, 6, 4],
  [50, 30, 20],
])('of %i connections, %i are for short calls and %i for large ones', (all, own, large) => {
  expect(shareConnections(all)).toEqual({ own, large });
});
