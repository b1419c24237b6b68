import { AccountId } from '../../src/shared/contract/ids.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../src/server/storage/open.ts';
import type { Actor } from '../../src/server/storage/db/actor.ts';
import {
  ACCOUNT_SETTING,
  NUMBER_SETTING,
  OWNERS,
} from '../../src/server/storage/db/schema/row-security.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../support/plain-database.ts';
import { entryName } from '../../src/sync/change.ts';
import { foreignChange, item, outcome, profile, set, SHIPPED, testPorts, wire } from './world.ts';
import { accountNumber } from '../../src/server/storage/db/postgres/account-number.ts';
import { testHasher } from '../support/hasher.ts';
import { type AccountScope, EVERY_ACCOUNT } from '../../src/server/storage/db/session.ts';
import { CHECK_START } from '../../src/server/storage/runs/run-check.ts';
import type { Store } from '../../src/server/storage/store.ts';
import { asCase, asRun, asKey, asUser, asStream } from '../support/ids.ts';
import { MARK_ACCOUNTS } from '../support/mark-accounts.ts';

/**
 * Row-level security, as a role sees it that neither is a superuser nor bypasses it, though it owns
 * the tables.
 */
const FIRST = { limit: 50, cursor: undefined };
let database: PlainDatabase;
let store: Store;
let mine: Actor;
let theirs: Actor;
/** A connection of the same role, with no application in front of it. */
let client: pg.Client;

const asked = { profile_uid: SHIPPED.profileUid, profile_version: undefined };

/** One case with everything that hangs on it, in the account of `actor`. */
async function fill(actor: Actor, caseUid: string): Promise<void> {
  await store.transact(async (w) => {
    const { record } = await w.projectWrites.upsert(
      actor,
      { name: `Project of ${actor.user_name}` },
      undefined,
    );
    await w.caseWrites.upsert(
      actor,
      { project_id: record.project_id, case_uid: asCase(caseUid) },
      undefined,
    );
    await w.evidenceWrites.record(
      actor,
      {
        case_uid: asCase(caseUid),
        ...asked,
        items: [item('i')],
        outcomes: [outcome('i', 'rule_a', 'TRUE')],
        reason: undefined,
        itemPath: String,
        outcomePath: String,
      },
      undefined,
    );
    const source = 'k123456789';
    const cell = `${SHIPPED.profileUid}@${SHIPPED.version}/rule_a/i`;
    const said = foreignChange(
      caseUid,
      [set(`s/${source}/${cell}`, { raw_outcome: 'TRUE', basis: null })],
      { kind: 'agent', agent: 'Reader', key: source },
    );
    const from = entryName(said.id, 0);
    const accepted = foreignChange(caseUid, [
      { ...set(`a/${cell}`, { raw_outcome: 'TRUE' }), from: [from] },
      set(`d/${source}/${cell}`, { entry: from, verdict: 'accepted' }),
    ]);
    await w.log.push(actor, asStream(caseUid), [said, accepted].map(wire), undefined);
    const run = await w.runWrites.create(actor, {
      case_uid: asCase(caseUid),
      profile_uid: SHIPPED.profileUid,
    });
    await w.runWrites.setState(actor, run.record.run_uid, { state: 'hidden', reason: 'r' });
    await w.profileWrites.setState(actor, SHIPPED.profileUid, { state: 'retired' });
    await w.signOffWrites.move(actor, asCase(caseUid), { stage: 'in_review', reason: 'r' });
    await w.roundWrites.open(actor, asCase(caseUid), {
      title: 'r',
      recorders: [actor.user_id],
      profile_uid: SHIPPED.profileUid,
    });
    await w.noticeWrites.subscribe(actor, { way: 'mail', events: ['assigned'] });
    const { thread_id } = await w.discussionWrites.open(actor, asCase(caseUid), {
      place: { on: 'item', item_uid: 'i' },
      kind: 'query',
      text: 'Why?',
      assigned_to: actor.user_id,
    });
    await w.discussionWrites.add(actor, asCase(caseUid), thread_id, {
      does: 'comment',
      text: 'So.',
    });
    await w.discussionWrites.assign(actor, asCase(caseUid), {
      places: [{ on: 'item', item_uid: 'i' }],
      to: actor.user_id,
    });
    const own = profile(`private_${actor.user_name.toLowerCase()}`, '1.0', ['rule_x']);
    await w.profileWrites.create(actor, own, JSON.stringify(own), true);
    await w.usageWrites.add([
      {
        account_id: actor.account_id,
        at: '2026-01-01T00:00:00.000Z',
        action: 'x',
        resource: null,
        key_id: null,
        status: 200,
        cells_written: 1,
        runs: 0,
      },
    ]);
    await w.runWrites.putBlobs(actor.account_id, [[testHasher.sha256Hex('{}'), '{}']]);
    await w.signInLimits.countTried([
      {
        user_id: actor.user_id,
        subject: 's',
        wrong: 1,
        refused: 0,
        first_at: '2026-01-01T00:00:00.000Z',
        last_at: '2026-01-01T00:00:00.000Z',
      },
    ]);
    await w.uplinkWrites.notePendingUpload(actor.account_id, asRun('run'), 'validation_failed');
    await w.idempotency.save(actor.account_id, 'k', {
      body_digest: 'd',
      status: 200,
      headers: {},
      body: '',
    });
    await w.keyWrites.create({
      key_id: asKey(`key_${actor.user_name}`),
      account_id: actor.account_id,
      user_id: actor.user_id,
      name: 'k',
      prefix: 'p',
      scopes: ['read'],
      expires_at: null,
      mac: new Uint8Array(32),
    });
  }, actor.account_id);
}

beforeAll(async () => {
  database = await makePlainDatabase(SHARED_POSTGRES);
  store = await openStore(
    { kind: 'postgres', url: database.url, shippedProfiles: [SHIPPED] },
    testPorts(),
  );
  mine = {
    account_id: store.local.account_id,
    user_id: store.local.user_id,
    user_name: 'Mine',
    kind: 'human',
    key_id: null,
    key_name: null,
  };
  theirs = {
    ...mine,
    account_id: AccountId.parse('acc_theirs'),
    user_id: asUser('usr_theirs'),
    user_name: 'Theirs',
  };
  await database.sql(
    `INSERT INTO accounts (account_id, name, created_at) VALUES ('acc_theirs', 'Theirs', '')`,
  );
  await database.sql(MARK_ACCOUNTS);
  await database.sql(
    `INSERT INTO users (user_id, name, created_at) VALUES ('usr_theirs', 'Theirs', '')`,
  );
  await database.sql(
    `INSERT INTO members (account_id, user_id, role) VALUES ('acc_theirs', 'usr_theirs', 'owner')`,
  );
  await fill(mine, 'case-mine');
  await fill(theirs, 'case-theirs');
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await store.close();
  await database.drop();
});

/** As the store begins a transaction. */
async function as<T>(account: AccountScope | undefined, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  if (account !== undefined) await client.query(`SET LOCAL ${ACCOUNT_SETTING} = '${account}'`);
  if (account !== undefined && account !== '' && account !== EVERY_ACCOUNT)
    await client.query(`SET LOCAL ${NUMBER_SETTING} = '${accountNumber(account)}'`);
  try {
    return await work();
  } finally {
    await client.query('ROLLBACK');
  }
}
/** As a role that no policy holds for. */
const free = (statement: string): Promise<Record<string, unknown>[]> => database.sql(statement);
const count = async (table: string): Promise<number> =>
  Number((await client.query<{ n: string }>(`SELECT count(*) AS n FROM ${table}`)).rows[0]?.n);

describe('row-level security', () => {
  test('holds on every table, for its owner too, but where no row is an account’s', async () => {
    const tables = await database.sql(
      `SELECT relname AS name, relrowsecurity AND relforcerowsecurity AS guarded
        FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
        ORDER BY relname`,
    );
    const open = Object.entries(OWNERS).flatMap(([name, owner]) =>
      owner === 'everyone' ? [name] : [],
    );
    expect(
      tables.filter((table) => table['guarded'] !== true).map((table) => table['name']),
    ).toEqual([...open, 'schema_version'].sort());
    expect(
      await database.sql(
        `SELECT rolsuper OR rolbypassrls AS free FROM pg_roles WHERE rolname = 'studio'`,
      ),
    ).toEqual([{ free: false }]);
  });

  test.each(Object.entries(OWNERS).filter(([, owner]) => owner !== 'everyone'))(
    '%s: a query without any filter finds the account’s rows alone',
    async (table, owner) => {
      const every =
        owner === 'number'
          ? Number((await free(`SELECT count(*) AS n FROM ${table}`))[0]?.['n'])
          : await as(EVERY_ACCOUNT, () => count(table));
      const [own, other, absent, none] = [
        await as(mine.account_id, () => count(table)),
        await as(AccountId.parse('acc_theirs'), () => count(table)),
        await as(AccountId.parse('acc_none'), () => count(table)),
        await as(undefined, () => count(table)),
      ];
      const shared = owner === 'profile' ? 1 : 0;
      expect(own + other - shared).toBe(every);
      expect(absent).toBe(shared);
      expect(none).toBe(
        owner === 'sign-in' || owner === 'user' || owner === 'mark' ? every : shared,
      );
      // Tables of what this test does not make are empty for both.
      if (
        ![
          'links',
          'unsendable',
          'extra_heads',
          'cited',
          'shared_projects',
          'first_runs',
          'awaited_runs',
          'sessions',
          'sign_in_links',
          'passwords',
          'invitations',
          'audit_events',
          'audit_heads',
          'profile_choices',
          'profile_decisions',
          'damaged_contents',
          'manifest_copies',
          'outside_blobs',
          'time_stamp_requests',
        ].includes(table)
      )
        expect(Math.min(own, other)).toBeGreaterThan(0);
    },
  );

  test('lets nobody write for another account, nor move a row to one', async () => {
    await as(mine.account_id, async () => {
      expect(
        (await client.query(`UPDATE cases SET title = 'x' WHERE case_uid = 'case-theirs'`))
          .rowCount,
      ).toBe(0);
      expect((await client.query(`DELETE FROM cells`)).rowCount).toBe(1);
    });
    for (const statement of [
      `UPDATE projects SET account = (SELECT account + 1 FROM accounts LIMIT 1)`,
      `INSERT INTO shared_projects VALUES (1, 'p', 1)`,
      `INSERT INTO usage_months (account, month, requests, cells_written, runs) VALUES (1, '2026-01', 1, 1, 1)`,
      `INSERT INTO awaited_runs VALUES (1, 'r', 'h', 'c')`,
    ]) {
      await expect(as(mine.account_id, () => client.query(statement))).rejects.toMatchObject({
        code: '42501',
      });
    }
  });

  test.each(Object.entries(OWNERS).filter(([, owner]) => owner === 'number'))(
    '%s: what is about no account or every one finds no row of a numbered table',
    async (table) => {
      for (const scope of [undefined, '', EVERY_ACCOUNT] as const)
        expect(await as(scope, () => count(table))).toBe(0);
    },
  );

  test.each(['42501', '23503'])(
    'nobody writes into another account’s case by its number: %s',
    async (code) => {
      const [other] = await free(
        `SELECT case_pk, account FROM cases JOIN accounts USING (account) WHERE account_id = 'acc_theirs'`,
      );
      // As the other account's row, and as one's own beneath the other's case.
      const account = code === '42501' ? other?.['account'] : accountNumber(mine.account_id);
      const written = as(mine.account_id, () =>
        client.query(
          `INSERT INTO items (account, case_pk, item_uid, position, heads, created_at, updated_at)
            VALUES ($1, $2, 'intruder', 1, '{}', '', '')`,
          [account, other?.['case_pk']],
        ),
      );
      await expect(written).rejects.toMatchObject({ code });
    },
  );

  test('the number of an account is the same in the database and in the program', async () => {
    for (const { account_id, account } of await database.sql(
      'SELECT account_id, account FROM accounts',
    ))
      expect(Number(account)).toBe(accountNumber(AccountId.parse(account_id)));
  });

  test('is told of where the role passes by it', async () => {
    expect(store.unguarded).toBe(false);
    const free = new URL(database.url);
    free.username = new URL(SHARED_POSTGRES).username;
    const other = await openStore({ kind: 'postgres', url: free.href }, testPorts());
    expect(other.unguarded).toBe(true);
    await other.close();
  });

  test('ends with the transaction, on a connection that others use next', async () => {
    await as(mine.account_id, async () => expect(await count('cases')).toBe(1));
    expect(await count('cases')).toBe(0);
  });
});

describe('a store’s transaction for an account', () => {
  test('finds nothing of another’s, even where it asks for it by name', async () => {
    const account = AccountId.parse('acc_theirs');
    const found = await store.read((r) => r.cases.get(account, asCase('case-theirs')), account);
    expect(found?.case_uid).toBe('case-theirs');
    await store.read(async (r) => {
      expect(await r.cases.get(account, asCase('case-theirs'))).toBeUndefined();
      expect((await r.cases.list(account, { project_id: undefined }, FIRST)).data).toEqual([]);
      expect((await r.projects.list(account, FIRST)).data).toEqual([]);
      expect(
        (
          await r.runs.list(
            account,
            { case_uid: undefined, project_id: undefined, profile_uid: undefined },
            FIRST,
          )
        ).data,
      ).toEqual([]);
      expect((await r.profiles.list(account, FIRST)).data.map((entry) => entry.profileUid)).toEqual(
        [SHIPPED.profileUid],
      );
      expect(await r.keys.list(account)).toEqual([]);
      expect(await r.keys.byId(asKey('key_Theirs'))).toBeUndefined();
      expect(await r.log.position(account, asStream('case-theirs'))).toBeUndefined();
    }, mine.account_id);
  });

  test('writes nothing into another’s, and nothing is stored of it', async () => {
    await expect(
      store.transact(
        (w) => w.projectWrites.upsert(theirs, { name: 'Intruder' }, undefined),
        mine.account_id,
      ),
    ).rejects.toThrow();
    expect(await database.sql(`SELECT 1 FROM projects WHERE name = 'Intruder'`)).toEqual([]);
  });

  test('that is about every one goes through the rows of one after another', async () => {
    const both = [mine.account_id, theirs.account_id].sort();
    const contents = await store.read(async (r) => {
      const found: AccountId[] = [];
      for (let after = CHECK_START; ;) {
        const next = await r.runs.nextContent(after);
        if (next === undefined) return found;
        found.push(next.account_id);
        after = next;
      }
    }, EVERY_ACCOUNT);
    expect(contents).toEqual(both);
    const counted = await store.read((r) => r.runs.countBlobs(), EVERY_ACCOUNT);
    const [{ n }] = (await free('SELECT count(*) AS n FROM blobs')) as [{ n: string }];
    expect(counted).toEqual({ database: Number(n), outside: 0 });
    const event = { at: '2026-03-01T00:00:00.000Z', action: 'x', resource: null, key_id: null };
    const totals = await store.transact(
      (w) =>
        w.usageWrites.add(
          [...both, ...both].map((account_id) => ({
            ...event,
            account_id,
            status: 200,
            cells_written: 0,
            runs: 0,
          })),
        ),
      EVERY_ACCOUNT,
    );
    expect(totals).toEqual(
      both.map((account_id) => ({ account_id, month: '2026-03', requests: 2 })),
    );
  });

  test('repeats an answer also where it is about none or every one, as the first time', async () => {
    const answer = { body_digest: 'd', status: 201, headers: {}, body: '{}' };
    for (const scope of [EVERY_ACCOUNT, undefined, theirs.account_id] as const) {
      const key = `repeated-${scope}`;
      await store.transact((w) => w.idempotency.save(theirs.account_id, key, answer), scope);
      expect(
        await store.transact((w) => w.idempotency.find(theirs.account_id, key), scope),
      ).toEqual(answer);
    }
    await expect(
      store.transact((w) => w.idempotency.find(theirs.account_id, 'k'), mine.account_id),
    ).rejects.toThrow('rows of another');
  });

  test('that names none sees what signing in looks up, and nothing of any case', async () => {
    await store.read(async (r) => {
      expect((await r.keys.byId(asKey('key_Theirs')))?.account_id).toBe('acc_theirs');
      expect(await r.cases.get(mine.account_id, asCase('case-mine'))).toBeUndefined();
    });
  });
});
