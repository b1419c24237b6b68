import type { AccountId, ProjectId } from '../../src/shared/contract/ids.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { openStore } from '../../src/server/storage/open.ts';
import { PipelineBatch } from '../../src/server/storage/db/postgres/pipeline-batch.ts';
import { accountNumber } from '../../src/server/storage/db/postgres/account-number.ts';
import type { Actor } from '../../src/server/storage/db/actor.ts';
import {
  ACCOUNT_SETTING,
  NUMBER_SETTING,
} from '../../src/server/storage/db/schema/row-security.ts';
import { lengthOf } from '../support/length.ts';
import { namesAccount } from '../support/names-account.ts';
import { manyAccounts } from '../support/many-accounts.ts';
import { makePlainDatabase, SHARED_POSTGRES } from '../support/plain-database.ts';
import { astray, OF_ALL, OF_NO_ACCOUNT, type Plan, repeated } from '../support/plans.ts';
import type { Page } from '../../src/server/storage/db/cursor.ts';
import type { Reader, Writer } from '../../src/server/storage/repositories.ts';
import { item, outcome, profile, testPorts } from './world.ts';
import type { Store } from '../../src/server/storage/store.ts';
import { asCase, asRun, asKey, asStream } from '../support/ids.ts';

const RULES = ['rule_1', 'rule_2', 'rule_3', 'rule_4', 'rule_5'];
const USED = profile('used_by_all', '1.0', RULES, { visibility: 'community' });
const MANY = {
  accounts: 1_000,
  // Enough that no plan reads all of them because they are few.
  cases: lengthOf(20, 100),
  items: 1,
  profile: { uid: USED.profileUid, version: USED.version },
};
const ITEMS = 200;
const OWN_KEY = 'own-key';
const FIRST = { limit: 50, cursor: undefined };
const NO_FILTER = { case_uid: undefined, project_id: undefined, profile_uid: undefined };
const asked = { profile_uid: USED.profileUid, profile_version: undefined };
/**
 * A search of SQLite's for one account, for what belongs to one, or for one row by its key. One
 * that begins at a bound of an order walks over whatever comes after it.
 */
const OF_ONE = /\((?:account|account_id|case_pk|stream_pk|rowid|key_id|user_id)=\?/;

const actorOf = ({ local }: Store): Actor => ({
  ...local,
  kind: 'human',
  key_id: null,
  key_name: null,
});

/** Suggests for a cell of an item, and accepts it. */
async function suggestAndDecide(w: Writer, actor: Actor, item_uid: string): Promise<void> {
  const profile_uid = USED.profileUid;
  const { suggestions } = await w.suggestionWrites.suggest(actor, asCase('own'), {
    profile_uid,
    suggestions: [{ item_uid, rule_uid: 'rule_1', raw_outcome: 'NA' }],
  });
  await w.suggestionWrites.decide(actor, asCase('own'), {
    profile_uid,
    decisions: suggestions.flatMap(({ suggestion_id }) =>
      suggestion_id === null ? [] : [{ suggestion_id, verdict: 'accept' as const }],
    ),
  });
}

/** A case of a thousand cells, as the account's own work. */
async function ownWork(store: Store): Promise<void> {
  const actor = actorOf(store);
  await store.transact(async (w) => {
    const { record } = await w.projectWrites.upsert(actor, { name: 'Own' }, undefined);
    for (const case_uid of ['own', 'second'])
      await w.caseWrites.upsert(
        actor,
        { project_id: record.project_id, case_uid: asCase(case_uid) },
        undefined,
      );
    const items = Array.from({ length: ITEMS }, (_, index) => `own-${index}`);
    const write = {
      case_uid: asCase('own'),
      ...asked,
      reason: undefined,
      itemPath: String,
      outcomePath: String,
    };
    await w.evidenceWrites.record(
      actor,
      {
        ...write,
        items: items.map((uid) => item(uid)),
        outcomes: items.flatMap((uid) => RULES.map((rule) => outcome(uid, rule, 'TRUE'))),
      },
      undefined,
    );
    await suggestAndDecide(w, actor, 'own-2');
    const run = await w.runWrites.create(actor, {
      case_uid: asCase('own'),
      profile_uid: USED.profileUid,
      run_uid: asRun('own-run'),
    });
    await w.runWrites.noteWhole(actor.account_id, run.record.content_hash, false);
    await w.uplinkWrites.share(actor.account_id, record.project_id, true);
    await w.keyWrites.create({
      key_id: asKey(OWN_KEY),
      prefix: 'p',
      account_id: actor.account_id,
      user_id: actor.user_id,
      name: 'own',
      scopes: [],
      expires_at: null,
      mac: new Uint8Array(32),
    });
  }, actor.account_id);
}

/** Pages of lists in every order that is asked for, the first and one after it. */
async function sortedLists(
  r: Reader,
  account: AccountId,
  project_id: ProjectId | undefined,
): Promise<void> {
  const both = async (
    list: (page: Page) => Promise<{ next_cursor: string | null }>,
  ): Promise<void> => {
    const { next_cursor } = await list({ limit: 1, cursor: undefined });
    if (next_cursor !== null) await list({ limit: 50, cursor: next_cursor });
  };
  for (const order of ['asc', 'desc'] as const) {
    for (const sort of ['created', 'title', 'changed', 'active'] as const)
      for (const project of [undefined, project_id])
        await both((page) => r.cases.list(account, { project_id: project, sort, order }, page));
    for (const sort of ['created', 'name', 'changed'] as const)
      await both((page) => r.projects.list(account, page, { sort, order }));
    await both((page) => r.runs.list(account, { ...NO_FILTER, order }, page));
    await both((page) => r.runs.list(account, { ...NO_FILTER, project_id, order }, page));
  }
  await both((page) =>
    r.cases.list(
      account,
      {
        project_id: undefined,
        profile_uid: USED.profileUid,
        profile_version: USED.version,
        sort: 'changed',
      },
      page,
    ),
  );
  for (const project of [undefined, project_id])
    await r.cases.listWithProgress(
      account,
      { project_id: project, sort: 'active', order: 'desc' },
      FIRST,
    );
  await r.cases.search(account, 'own');
  await r.cases.activity(account, '2020-01-01T00:00:00.000Z', 'agent');
  await r.cases.contested(account, { project_id, cases: [asCase('own'), asCase('second')] }, FIRST);
}

/**
 * What the state of sync reads, a connected studio's: on SQLite. A hosted server has the runs
 * alone.
 */
async function syncStatus(r: Reader, account: AccountId, engine: Store['engine']): Promise<void> {
  if (engine === 'sqlite') {
    const shared = await r.uplink.shared(account);
    expect(shared).toHaveLength(1);
    const streams = await r.uplink.streams(account, shared);
    await r.uplink.kept(
      account,
      streams.map(({ stream }) => stream),
      10,
    );
    await r.uplink.projects(account);
    await r.uplink.pendingUploads(account);
  }
  await r.runs.damaged(account, 10);
  expect(await r.runs.counts(account, [asCase('own'), asCase('second')])).toMatchObject([
    { case_uid: 'own', lacking: 1 },
  ]);
  await r.runs.states(account, asCase('own'));
}

/** Statements that list in an order and sort the rows for it, instead of reading them in it. */
const sorting = (db: DatabaseSync, statements: readonly string[]): string[] =>
  statements.filter(
    (statement) =>
      /from "(cases|projects|runs)" (where|left join)/.test(statement) &&
      statement.includes('order by') &&
      !/"(name_key|run_uid)" = /.test(statement) &&
      db
        .prepare(`EXPLAIN QUERY PLAN ${statement}`)
        .all()
        .some((row) => String(row['detail']).includes('TEMP B-TREE')),
  );

/**
 * Statements that go through all that an account has of what there may be many of. A page reads no
 * more of it than it shows, and the largest number is the last.
 */
const throughAccount = (db: DatabaseSync, statements: readonly string[]): string[] =>
  statements.flatMap((statement) =>
    / limit \?$|coalesce\(max\(/.test(statement)
      ? []
      : db
          .prepare(`EXPLAIN QUERY PLAN ${statement}`)
          .all()
          .map((row) => String(row['detail']))
          .filter((detail) =>
            /^SEARCH (cells|changes|items|registers|runs|suggestions) .*\(account=\?\)/.test(
              detail,
            ),
          )
          .map((detail) => `${detail}  <-  ${statement}`),
  );

/**
 * Statements that name items, and go through all of a case or all cells of a matrix for them. A page
 * reads its items in their order.
 */
const throughMatrix = (db: DatabaseSync, statements: readonly string[]): string[] =>
  statements.flatMap((statement) =>
    /"?item_(uid|pk)"? (in|=) (\(|\?)/i.test(statement)
      ? db
          .prepare(`EXPLAIN QUERY PLAN ${statement}`)
          .all()
          .map((row) => String(row['detail']))
          .filter(
            (detail) =>
              !(detail.includes('items_in_order') && statement.includes('order by "position"')) &&
              /^SEARCH (cells|items) .*\(account=\? AND (matrix|case)_pk=\?\)/.test(detail),
          )
          .map((detail) => `${detail}  <-  ${statement}`)
      : [],
  );

/** What an agent and a window ask for all day: list, open, record, run. */
async function everyDay(store: Store): Promise<void> {
  const actor = actorOf(store);
  const account = actor.account_id;
  await store.ask((r) => r.keys.byId(asKey(OWN_KEY)));
  await store.read(async (r) => {
    const own = { case_uid: asCase('own'), ...asked };
    const [project] = (await r.projects.list(account, FIRST)).data;
    for (const project_id of [undefined, project?.project_id]) {
      const first = await r.cases.list(account, { project_id }, { limit: 1, cursor: undefined });
      expect(
        (
          await r.cases.list(
            account,
            { project_id },
            { limit: 50, cursor: first.next_cursor ?? undefined },
          )
        ).data,
      ).toHaveLength(1);
    }
    await sortedLists(r, account, project?.project_id);
    await syncStatus(r, account, store.engine);
    await r.profiles.list(account, FIRST);
    await r.profiles.list(account, FIRST, { profile_uid: USED.profileUid });
    await r.cases.get(account, asCase('own'));
    const page = await r.evidence.page(account, own, FIRST);
    await r.evidence.page(account, { ...own, since: '2020-01-01T00:00:00.000Z' }, FIRST);
    await r.evidence.page(account, own, {
      limit: 50,
      cursor: page.value().next_cursor ?? undefined,
    });
    await r.evidence.page(
      account,
      { ...own, recorded_by: { kind: 'human', name: 'Local user' } },
      FIRST,
    );
    await r.suggestions.list(account, { ...own, filter: {}, state: undefined }, FIRST);
    // What is open is counted item by item on purpose: a page ends with the first that are found.
    for (const asked of [{ outcome: 'NA' }, { item_uid: 'own-1' }] as const)
      await r.evidence.cells(account, { ...own, ...asked, since: undefined }, FIRST);
    await r.evidence.history(account, { ...own, item_uid: 'own-1', rule_uid: 'rule_1' }, FIRST);
    await r.evidence.contested(account, own, FIRST);
    await r.cases.contested(account, { project_id: undefined }, FIRST);
    await r.runs.list(account, NO_FILTER, FIRST);
    await r.runs.list(account, { ...NO_FILTER, case_uid: asCase('own') }, FIRST);
    await r.runs.get(account, asRun('own-run'));
    await r.runs.recorders(account, asRun('own-run'));
    await r.log.changeToken(account);
    await r.log.positions(account, undefined);
    await r.log.changes(account, asStream('own'), 0, 100, undefined);
    await r.log.snapshot(account, { ...own, after: undefined });
    await r.usage.summary(account);
    await r.auditTrail.list(account, FIRST);
  }, account);
  await store.transact(async (w) => {
    const answered = await w.idempotency.find(account, 'k');
    await w.evidenceWrites.record(
      actor,
      {
        case_uid: asCase('own'),
        ...asked,
        items: [item('own-1', { label: 'again' })],
        outcomes: [outcome('own-1', 'rule_1', 'FALSE')],
        reason: undefined,
        itemPath: String,
        outcomePath: String,
      },
      undefined,
    );
    await suggestAndDecide(w, actor, 'own-3');
    await w.runWrites.create(actor, { case_uid: asCase('own'), profile_uid: USED.profileUid });
    if (answered === undefined)
      await w.idempotency.save(account, 'k', {
        body_digest: 'd',
        status: 200,
        headers: {},
        body: '',
      });
  }, account);
}

describe('with 1,000 accounts beside it, an account’s day on SQLite', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'evidence-plans-'));
  const file = path.join(folder, 'evidence.sqlite');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test(
    'searches by index alone: no table is read from end to end',
    { timeout: 120_000 },
    async () => {
      const open = () => openStore({ kind: 'sqlite', file, shippedProfiles: [USED] }, testPorts());
      const first = await open();
      await ownWork(first);
      await first.close();
      using db = new DatabaseSync(file);
      db.exec('PRAGMA synchronous = OFF');
      const rules = db
        .prepare('SELECT rule_pk FROM rules ORDER BY rule_pk')
        .all()
        .map((row) => row['rule_pk'] as number);
      db.exec('BEGIN');
      for (const statement of manyAccounts({ ...MANY, engine: 'sqlite', rules }))
        db.exec(statement);
      db.exec('COMMIT');

      const store = await open();
      const prepared = vi.spyOn(DatabaseSync.prototype, 'prepare');
      await everyDay(store);
      const statements = [...new Set(prepared.mock.calls.map(([sql]) => sql))].filter((sql) =>
        /^\s*(select|insert|update|delete|with)/i.test(sql),
      );
      prepared.mockRestore();
      await store.close();
      expect(statements.length).toBeGreaterThan(40);
      expect(statements.filter((statement) => !namesAccount(statement))).toEqual([]);
      const tables = new Set(
        db
          .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
          .all()
          .map((row) => String(row['name'])),
      );
      const whole = statements.flatMap((sql) =>
        db
          .prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .all()
          .map((row) => String(row['detail']))
          .flatMap((detail) => {
            const [, verb, table = ''] = /^(SCAN|SEARCH) (\w+)/.exec(detail) ?? [];
            if (!tables.has(table) || OF_NO_ACCOUNT.has(table)) return [];
            if (OF_ALL.has(/INDEX (\w+)/.exec(detail)?.[1] ?? '')) return [];
            return verb === 'SCAN' || !OF_ONE.test(detail) ? [`${detail}  <-  ${sql}`] : [];
          }),
      );
      expect(whole).toEqual([]);
      expect(sorting(db, statements)).toEqual([]);
      expect(throughAccount(db, statements)).toEqual([]);
      expect(throughMatrix(db, statements)).toEqual([]);
    },
  );
});

interface Explained {
  'QUERY PLAN': { Plan: Plan }[];
}
/** What is wrong with the plans of an account's day, as they are for its values and for any. */
async function plansOf(
  client: pg.Client,
  store: Store,
  faults: (plan: Plan) => string[],
): Promise<string[]> {
  const { account_id } = store.local;
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  await everyDay(store);
  const statements = (sent.mock.calls as unknown[][])
    .flatMap(([batch]) => (batch instanceof PipelineBatch ? batch.statements : []))
    .flatMap(({ text, values }): [string, unknown[]][] =>
      // Which tables have grown is asked every few seconds, and then counted, of no account.
      /^(BEGIN|COMMIT|SET LOCAL|ANALYZE)|pg_stat_user_tables/.test(text)
        ? []
        : [[text, [...values]]],
    );
  sent.mockRestore();
  expect(statements.length).toBeGreaterThan(40);
  expect(statements.map(([text]) => text).filter((text) => !namesAccount(text))).toEqual([]);
  const { rows: version } = await client.query<{ number: string }>(
    `SELECT current_setting('server_version_num') AS number`,
  );
  const found: string[] = [];
  for (const [statement, values] of statements) {
    // A statement that writes would do so again.
    const analyze = /^select/i.test(statement) ? 'ANALYZE, ' : '';
    await client.query(
      `BEGIN; SET LOCAL ${ACCOUNT_SETTING} = '${account_id}'; ` +
        `SET LOCAL ${NUMBER_SETTING} = '${accountNumber(account_id)}'`,
    );
    const plans = [
      await client.query<Explained>(`EXPLAIN (${analyze}FORMAT JSON) ${statement}`, values),
    ];
    // And as it is planned once for all values, where the server can say so.
    if (Number(version[0]?.number) >= 160_000)
      plans.push(await client.query<Explained>(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${statement}`));
    await client.query('ROLLBACK');
    for (const { rows } of plans)
      for (const { Plan: plan } of rows[0]?.['QUERY PLAN'] ?? [])
        found.push(...faults(plan).map((what) => `${what}  <-  ${statement}`));
  }
  return found;
}

describe('with 1,000 accounts beside it, an account’s day on PostgreSQL', () => {
  test('searches by index alone, row-level security included', { timeout: 120_000 }, async () => {
    const { url, sql, drop } = await makePlainDatabase(SHARED_POSTGRES);
    const store = await openStore({ kind: 'postgres', url, shippedProfiles: [USED] }, testPorts());
    const client = new pg.Client({ connectionString: url });
    try {
      await ownWork(store);
      const rules = (await sql('SELECT rule_pk FROM rules ORDER BY rule_pk')).map((row) =>
        Number(row['rule_pk']),
      );
      await client.connect();
      // Nothing is known of the tables yet.
      expect(await plansOf(client, store, repeated)).toEqual([]);
      // Without a look at every parent: these rows are as they should be.
      await sql(
        [
          'SET session_replication_role = replica',
          ...manyAccounts({ ...MANY, engine: 'postgres', rules }),
          'ANALYZE',
        ].join(';\n'),
      );

      expect(await plansOf(client, store, (plan) => [...astray(plan), ...repeated(plan)])).toEqual(
        [],
      );
    } finally {
      await client.end();
      await store.close();
      await drop();
    }
  });
});
