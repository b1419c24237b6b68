import { ofOwnAccount } from '../support/own-account.ts';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/server/storage/db/schema/migrations.ts';
import { POSTGRES_WORDS } from '../../src/server/storage/db/schema/sql-words.ts';
import { openStore } from '../../src/server/storage/open.ts';
import { addToSum, EMPTY_CHAIN, nextChain } from '../../src/sync/log.ts';
import { SHARED_POSTGRES } from '../support/plain-database.ts';
import { testHasher } from '../support/hasher.ts';
import { entryName } from '../../src/sync/change.ts';
import { cellReg, FIRST_PAGE, foreignChange, set, SHIPPED, testPorts, wire } from './world.ts';
import type { StorePorts } from '../../src/server/storage/db/context.ts';
import type { Store } from '../../src/server/storage/store.ts';
import { asCase, asRun, asStream } from '../support/ids.ts';

/**
 * A store as the first migration alone made it: forty items under three rules, one cell contested,
 * entries in quarantine, a run, a key.
 */
const OLD = withSession(
  gunzipSync(readFileSync(path.resolve(import.meta.dirname, '../fixtures/stores/first.sqlite.gz'))),
);

/** With a browser that was signed in. */
function withSession(bytes: Uint8Array): Uint8Array {
  const folder = mkdtempSync(path.join(tmpdir(), 'evidence-old-'));
  const file = path.join(folder, 'old.sqlite');
  writeFileSync(file, bytes);
  const db = new DatabaseSync(file);
  db.exec(`INSERT INTO sessions (hash, account_id, user_id, user_name, expires_at)
    SELECT '${'ab'.repeat(32)}', account_id, user_id, 'Local user', '2026-01-08T00:00:00.000Z' FROM members`);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  const made = readFileSync(file);
  rmSync(folder, { recursive: true, force: true });
  return made;
}

interface Old {
  open(ports: StorePorts): Promise<Store>;
  dispose(): Promise<void>;
}

function onSqlite(): Old {
  const folder = mkdtempSync(path.join(tmpdir(), 'evidence-old-'));
  const file = path.join(folder, 'evidence.sqlite');
  writeFileSync(file, OLD, { mode: 0o600 });
  return {
    open: async (ports) =>
      ofOwnAccount(await openStore({ kind: 'sqlite', file, shippedProfiles: [SHIPPED] }, ports)),
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The same rows in tables that the first migration made on PostgreSQL. */
async function onPostgres(): Promise<Old> {
  const server = SHARED_POSTGRES;
  const name = `old_${randomBytes(6).toString('hex')}`;
  const connect = async (url: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client;
  };
  const admin = await connect(server);
  await admin.query(`CREATE DATABASE ${name}`);
  const address = new URL(server);
  address.pathname = `/${name}`;
  const client = await connect(address.href);
  for (const statement of MIGRATIONS[0]?.(POSTGRES_WORDS) ?? []) await client.query(statement);
  await client.query('CREATE TABLE schema_version (version BIGINT NOT NULL)');
  await client.query('INSERT INTO schema_version (version) VALUES (1)');
  await client.query('SET session_replication_role = replica');
  const folder = mkdtempSync(path.join(tmpdir(), 'evidence-old-'));
  writeFileSync(path.join(folder, 'old.sqlite'), OLD);
  const old = new DatabaseSync(path.join(folder, 'old.sqlite'), { readOnly: true });
  const { rows: tables } = await client.query<{ table_name: string }>(
    `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_name <> 'schema_version'`,
  );
  for (const { table_name: table } of tables) {
    for (const row of old.prepare(`SELECT * FROM ${table}`).all()) {
      const columns = Object.keys(row);
      await client.query(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
        Object.values(row),
      );
    }
    const {
      rows: [serial],
    } = await client.query<{ column_name: string }>(
      `SELECT column_name FROM information_schema.columns WHERE table_name = $1 AND is_identity = 'YES'`,
      [table],
    );
    if (serial !== undefined)
      await client.query(
        `SELECT setval(pg_get_serial_sequence('${table}', '${serial.column_name}'),
          (SELECT coalesce(max(${serial.column_name}), 0) + 1 FROM ${table}))`,
      );
  }
  old.close();
  rmSync(folder, { recursive: true, force: true });
  await client.end();
  return {
    open: async (ports) =>
      ofOwnAccount(
        await openStore(
          { kind: 'postgres', url: address.href, shippedProfiles: [SHIPPED], connections: 3 },
          ports,
        ),
      ),
    async dispose() {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

describe.each([
  ['SQLite', async () => onSqlite()],
  ['PostgreSQL', onPostgres],
] as const)('a store of the first format on %s', (_, make) => {
  let old: Old;
  beforeAll(async () => {
    old = await make();
  });
  afterAll(() => old.dispose());

  const QUERY = {
    case_uid: asCase('old_case'),
    profile_uid: SHIPPED.profileUid,
    profile_version: undefined,
  };

  test('opens with everything in it, and takes writes', async () => {
    await using closing = {
      store: await old.open({ ...testPorts(), schema: 1 }),
      [Symbol.asyncDispose]: () => closing.store.close(),
    };
    const { store } = closing;
    const account = store.local.account_id;
    const { position, changes } = await store.read((r) =>
      r.log.changes(account, asStream('old_case'), 0, 1_000, undefined),
    );
    let [chain, sum] = [EMPTY_CHAIN, EMPTY_CHAIN];
    for (const { id } of changes)
      [chain, sum] = [nextChain(chain, id, testHasher), addToSum(sum, id)];
    expect(position).toMatchObject({ seq: changes.length, chain, sum });
    expect(
      changes.map((change) => change.quarantined).filter((indexes) => indexes.length > 0),
    ).toEqual([[0, 1], [0]]);
    const page = (await store.read((r) => r.evidence.page(account, QUERY, FIRST_PAGE))).value();
    expect(page.summary).toMatchObject({ items: 40, recorded: 120 });
    expect(
      page.items.flatMap((item) => item.evidence).filter((cell) => cell.contested),
    ).toHaveLength(1);
    expect((await store.read((r) => r.runs.get(account, asRun('old_run'))))?.record.run_uid).toBe(
      'old_run',
    );
    expect((await store.read((r) => r.keys.list(account))).map((key) => key.name)).toEqual([
      'Old key',
    ]);
    expect(await store.read((r) => r.sessions.byHash('ab'.repeat(32)))).toMatchObject({
      session_id: `ses_${'ab'.repeat(12)}`,
      method: 'link',
      created_at: '2026-01-01T00:00:00.000Z',
      expires_at: '2026-01-08T00:00:00.000Z',
      user_name: store.local.user_name,
      role: 'owner',
    });
    expect(await store.read((r) => r.team.members(account))).toMatchObject([
      {
        role: 'owner',
        email: null,
        joined_at: expect.stringMatching(/^\d{4}-.*Z$/),
        last_seen_at: null,
      },
    ]);
    const actor = {
      account_id: account,
      user_id: store.local.user_id,
      user_name: store.local.user_name,
      kind: 'human' as const,
      key_id: null,
      key_name: null,
    };
    await store.transact((w) =>
      w.evidenceWrites.record(
        actor,
        {
          ...QUERY,
          reason: undefined,
          items: [{ item_uid: 'fresh' }],
          outcomes: [{ item_uid: 'fresh', rule_uid: 'rule_a', raw_outcome: 'NA' }],
          itemPath: String,
          outcomePath: String,
        },
        undefined,
      ),
    );
    expect(
      (await store.read((r) => r.evidence.page(account, QUERY, FIRST_PAGE))).value().summary,
    ).toMatchObject({ items: 41, recorded: 121 });
    // Two changes whose child came first, which only the next version understands.
    const reg = cellReg('fresh', 'rule_b');
    const parent = foreignChange('old_case', [set(reg, { raw_outcome: 'TRUE' })], {
      schema: 2,
      hlc: '019b76daa800-0009',
    });
    const child = foreignChange(
      'old_case',
      [set(reg, { raw_outcome: 'FALSE' }, [entryName(parent.id, 0)])],
      { schema: 2, hlc: '019b76daa800-0001' },
    );
    const { results } = await store.transact((w) =>
      w.log.push(actor, asStream('old_case'), [child, parent].map(wire), undefined),
    );
    expect(results.map(({ status }) => status)).toEqual(['quarantined', 'quarantined']);
  });

  test('S6 I16 quarantined entries are applied by a version that understands them: heads, rows and counts; the log stays', async () => {
    const bytes = async (store: Store): Promise<string[]> =>
      (
        await store.read((r) =>
          r.log.changes(store.local.account_id, asStream('old_case'), 0, 1_000, undefined),
        )
      ).changes.map(({ id, change }) => id + change);
    const before = await old.open({ ...testPorts(), schema: 1 });
    const log = await bytes(before);
    await before.close();
    await using closing = {
      store: await old.open({ ...testPorts(), schema: 2 }),
      [Symbol.asyncDispose]: () => closing.store.close(),
    };
    const { store } = closing;
    const account = store.local.account_id;
    expect(await bytes(store)).toEqual(log);
    const { changes } = await store.read((r) =>
      r.log.changes(account, asStream('old_case'), 0, 1_000, undefined),
    );
    // The register that no version knows stays where it is.
    expect(
      changes.map((change) => change.quarantined).filter((indexes) => indexes.length > 0),
    ).toEqual([[0]]);
    const { items, summary } = (
      await store.read((r) => r.evidence.page(account, QUERY, FIRST_PAGE))
    ).value();
    expect(summary).toMatchObject({
      items: 42,
      recorded: 123,
      evidence_present: 121,
      not_available: 2,
    });
    const cells = new Map(
      items.flatMap((item) =>
        item.evidence.map((cell) => [`${item.item_uid}/${cell.rule_uid}`, cell]),
      ),
    );
    expect(cells.get('new/rule_a')).toMatchObject({ raw_outcome: 'NA' });
    expect(cells.get('fresh/rule_b')).toMatchObject({ raw_outcome: 'FALSE', contested: false });
    expect(cells.get('i1/rule_a')).toMatchObject({ raw_outcome: 'FALSE', contested: true });
    const history = await store.read((r) =>
      r.evidence.history(account, { ...QUERY, item_uid: 'i1', rule_uid: 'rule_a' }, FIRST_PAGE),
    );
    expect(history.data.map((step) => [step.new, step.current])).toEqual([
      [{ raw_outcome: 'NA' }, true],
      [{ raw_outcome: 'TRUE' }, false],
      [expect.objectContaining({ raw_outcome: 'FALSE' }), true],
    ]);
  });
});
