import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { keyMac, mintKey } from '../../../src/server/auth/keys.ts';
import { nodeHasher } from '../../../src/server/instance/hasher.ts';
import { openStore } from '../../../src/server/storage/open.ts';
import { manyAccounts } from '../../support/many-accounts.ts';
import { makePlainDatabase, type PlainDatabase } from '../../support/plain-database.ts';
import type { RunningPostgres } from '../../support/postgres.ts';
import type { Served } from '../../support/served.ts';
import { PUBLIC_URL, startInstance } from '../hosted/seed.ts';
import { EVERY_ACCOUNT } from '../../../src/server/storage/db/session.ts';

const PROFILE = 'accounts_profile';
export const CASES = 100;
const ITEMS = 50;
const RULES = Array.from({ length: 20 }, (_, n) => `rule_number_${n + 1}`);
export const CELLS = ITEMS * RULES.length;
/** More than a page shows. */
const RUNS = 60;

/** One account with a key, and so many others, on a database of their own. */
export interface Level {
  others: number;
  database: PlainDatabase;
  bytes: number;
  start(): Promise<Served>;
  /** Milliseconds until the answer was read to its end. */
  ask(server: Served, method: string, path: string, body?: unknown): Promise<number>;
}

const agent = new http.Agent({ keepAlive: true });

/** An answer that is not a success is an error. */
function request(
  url: string,
  key: string,
  method: string,
  body?: unknown,
): Promise<{ text: string; ms: number }> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const headers = {
      host: new URL(PUBLIC_URL).host,
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const sent = http.request(url, { method, headers, agent }, (answer) => {
      let text = '';
      answer
        .setEncoding('utf8')
        .on('data', (part: string) => (text += part))
        .once('end', () => {
          if (answer.statusCode === 200 || answer.statusCode === 201)
            resolve({ text, ms: performance.now() - began });
          else
            reject(
              new Error(
                `${method} ${url} was answered ${answer.statusCode}: ${text.slice(0, 500)}`,
              ),
            );
        });
    });
    sent.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** The account's own work, as its clients do it. */
async function ownWork(
  ask: (method: string, path: string, body: unknown) => Promise<string>,
): Promise<void> {
  const words = {
    description: 'A rule.',
    evidenceMeaning: 'Present.',
    problemMeaning: 'Problem.',
    notAvailableMeaning: 'Not available.',
  };
  await ask('POST', '/api/v1/profiles', {
    name: 'Accounts',
    profileUid: PROFILE,
    version: '1.0',
    visibility: 'private',
    domain: 'general',
    standard: 'SGA-QEM-1.0',
    standardVersion: '1.0',
    description: 'Twenty rules.',
    scope: 'Benchmarks.',
    maintainer: 'Evidence Studio',
    rules: RULES.map((ruleUid, n) => ({ ruleOrder: n + 1, ruleUid, name: ruleUid, ...words })),
  });
  const { project_id } = JSON.parse(await ask('POST', '/api/v1/projects', { name: 'Own' })) as {
    project_id: string;
  };
  for (let n = 0; n < CASES; n += 1) {
    await ask('POST', '/api/v1/cases', { project_id, case_uid: `own-${n}` });
    const items = Array.from({ length: ITEMS }, (_, row) => ({
      item_uid: `item-${row}`,
      evidence: RULES.map((rule_uid, column) => ({
        rule_uid,
        raw_outcome: (row + column) % 3 === 0 ? 'FALSE' : 'TRUE',
      })),
    }));
    await ask('POST', '/api/v1/evidence', { case_uid: `own-${n}`, profile_uid: PROFILE, items });
  }
  for (let n = 0; n < RUNS; n += 1)
    await ask('POST', '/api/v1/runs', { case_uid: `own-${n}`, profile_uid: PROFILE });
}

export async function makeLevel(
  postgres: RunningPostgres,
  folder: string,
  others: number,
): Promise<Level> {
  const database = await makePlainDatabase(postgres.url);
  const secret = randomBytes(32);
  const secretFile = path.join(folder, 'secret');
  writeFileSync(secretFile, secret.toString('base64url'));
  const env = {
    DATABASE_URL: database.url,
    EVIDENCE_STUDIO_SECRET_FILE: secretFile,
    EVIDENCE_STUDIO_PUBLIC_URL: PUBLIC_URL,
    EVIDENCE_STUDIO_RATE_LIMIT: 'off',
    LOG_LEVEL: 'error',
  };
  const random = { bytes: (length: number) => new Uint8Array(randomBytes(length)) };
  const store = await openStore(
    { kind: 'postgres', url: database.url },
    { clock: { now: () => Date.now() }, random, hasher: nodeHasher, version: 'bench' },
  );
  const { key, key_id, prefix } = mintKey(random);
  await store.transact(async (writer) => {
    const { account_id, user_id } = store.local;
    await writer.keyWrites.create({
      key_id,
      prefix,
      account_id,
      user_id,
      name: 'bench',
      scopes: ['sync'],
      expires_at: null,
      mac: keyMac(key, secret),
    });
  }, EVERY_ACCOUNT);
  const account = store.local.account_id;
  await store.close();

  const rules = (
    await database.sql(
      `INSERT INTO rules (account, rule_uid)
        SELECT account, rule FROM accounts, unnest($1::text[]) AS rule
        WHERE account_id = $2 RETURNING rule_pk`,
      [RULES, account],
    )
  ).map((row) => Number(row['rule_pk']));
  // Cells are not logged for a crash, which their fill takes twice the time for; reading them is
  // the same.
  await database.sql('ALTER TABLE cells SET UNLOGGED');
  const filling = manyAccounts({
    engine: 'postgres',
    accounts: others,
    cases: CASES,
    items: ITEMS,
    profile: { uid: PROFILE, version: '1.0' },
    rules,
  });
  await database.sql(
    ['SET session_replication_role = replica', 'SET synchronous_commit = off', ...filling].join(
      ';\n',
    ),
  );

  const start = (): Promise<Served> => startInstance({ env }, folder);
  const server = await start();
  await ownWork(
    async (method, pathAndQuery, body) =>
      (await request(server.url + pathAndQuery, key, method, body)).text,
  );
  await server.kill('SIGTERM');
  await database.sql('VACUUM ANALYZE');
  const [size] = await database.sql('SELECT pg_database_size(current_database())::text AS bytes');
  return {
    others,
    database,
    bytes: Number(size?.['bytes']),
    start,
    ask: async ({ url }, method, pathAndQuery, body) =>
      (await request(url + pathAndQuery, key, method, body)).ms,
  };
}

interface Operation {
  what: string;
  /** The n-th time. */
  request(n: number): [method: string, path: string, body?: unknown];
}
const caseOf = (n: number): string => `own-${n % CASES}`;

export const OPERATIONS: readonly Operation[] = [
  { what: 'list of projects', request: () => ['GET', '/api/v1/projects'] },
  { what: 'list of cases', request: () => ['GET', '/api/v1/cases'] },
  {
    what: `opening a case: its evidence, ${CELLS} cells`,
    request: (n) => ['GET', `/api/v1/cases/${caseOf(n)}/evidence?profile_uid=${PROFILE}`],
  },
  {
    what: 'its changes for a desktop',
    request: (n) => ['GET', `/api/v1/sync/cases/${caseOf(n)}/changes?after=0`],
  },
  {
    what: 'making a run of it',
    request: (n) => ['POST', '/api/v1/runs', { case_uid: caseOf(n), profile_uid: PROFILE }],
  },
  { what: 'list of runs', request: () => ['GET', '/api/v1/runs'] },
];
