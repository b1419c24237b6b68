import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/server/storage/open.ts';
import type { Actor } from '../../../src/server/storage/db/actor.ts';
import { openPostgres } from '../../../src/server/storage/db/postgres/postgres.ts';
import type { WireChange } from '../../../src/shared/contract/sync.ts';
import { FIRST_PAGE, item, outcome, SHIPPED, testPorts } from '../../contract/world.ts';
import { type CountingLine, countingLine } from '../../support/counting-line.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { unseenOutcome, wireChange } from '../../support/sync-change.ts';
import type { Store } from '../../../src/server/storage/store.ts';
import type { Witness } from '../../../src/server/storage/log/log-position.ts';
import { asCase, asProject, asStream } from '../../support/ids.ts';

let database: PlainDatabase;
let line: CountingLine;
let store: Store;
let actor: Actor;
beforeAll(async () => {
  database = await makePlainDatabase(SHARED_POSTGRES);
  line = await countingLine(database.url);
  store = await openStore(
    { kind: 'postgres', url: line.url, connections: 1, shippedProfiles: [SHIPPED] },
    testPorts(),
  );
  const { account_id, user_id, user_name } = store.local;
  actor = { account_id, user_id, user_name, kind: 'human', key_id: null, key_name: null };
}, 60_000);
afterAll(async () => {
  await store.close();
  line.close();
  await database.drop();
});

const heads = new Map<string, string>();
/** The next edit of each of so many cells, by who sees the one before. */
function edits(count: number): WireChange[] {
  return Array.from({ length: count }, (_, n) => {
    const entry = unseenOutcome(
      { profile: 'some_profile', version: '1.0', rule: 'rule_a', item: `item_${n}` },
      heads.size % 2 === 0 ? 'TRUE' : 'FALSE',
    );
    const head = heads.get(entry.reg);
    const change = wireChange('c', actor.user_id, [
      { ...entry, parents: head === undefined ? [] : [head] },
    ]);
    heads.set(entry.reg, `${change.id}#0`);
    return change;
  });
}

/** What a desktop has seen, as it says with each request. */
let witness: Witness | undefined;
async function push(changes: WireChange[]): Promise<void> {
  const { position, results } = await store.transact(
    (writer) => writer.log.push(actor, asStream('c'), changes, witness),
    actor.account_id,
  );
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['applied']));
  witness = { epoch: position.epoch, seq: position.seq, chain: position.chain };
}
const page = (after: number): Promise<unknown> =>
  store.read(
    (reader) => reader.log.changes(actor.account_id, asStream('c'), after, 1_000, witness),
    actor.account_id,
  );

describe('what a studio costs PostgreSQL', () => {
  it('is as many statements and batches for one change as for ten', async () => {
    await push(edits(10));
    await push(edits(10));
    const [one, ten] = [edits(1), edits(10)];
    const ofOne = await line.count(() => push(one));
    const ofTen = await line.count(() => push(ten));
    expect(ofTen).toEqual(ofOne);
    // Those of the beginning, the lock, what is known by name, the cells, what is stored, the
    // account's change token, and the end.
    expect(ofOne.statements).toBeLessThanOrEqual(18);
    expect(ofOne.batches).toBeLessThanOrEqual(7);
  });

  it('is one batch for a page of changes, and its end, which nobody waits for and goes with what is next', async () => {
    const counted = await line.count(() => page(25));
    expect(counted.statements).toBeLessThanOrEqual(5);
    expect(counted.batches).toBeLessThanOrEqual(2);
  });
});

describe('what an agent costs PostgreSQL', () => {
  const asked = {
    case_uid: asCase('agents'),
    profile_uid: SHIPPED.profileUid,
    profile_version: undefined,
  };
  const ITEMS = ['item_a', 'item_b', 'item_c'];
  let project = '';
  const record = (uids: readonly string[], raw: 'TRUE' | 'FALSE'): Promise<unknown> =>
    store.transact(
      (w) =>
        w.evidenceWrites.record(
          actor,
          {
            ...asked,
            items: uids.map((uid) => item(uid)),
            outcomes: uids.map((uid) => outcome(uid, 'rule_a', raw)),
            reason: undefined,
            itemPath: String,
            outcomePath: String,
          },
          undefined,
        ),
      actor.account_id,
    );
  beforeAll(async () => {
    await store.transact(async (w) => {
      project = (await w.projectWrites.upsert(actor, { name: 'Agents' }, undefined)).record
        .project_id;
      await w.caseWrites.upsert(
        actor,
        { project_id: asProject(project), case_uid: asked.case_uid },
        undefined,
      );
    }, actor.account_id);
    await record(ITEMS, 'TRUE');
    await record(ITEMS, 'FALSE');
  });
  const read = (what: (reader: Parameters<Parameters<Store['read']>[0]>[0]) => Promise<unknown>) =>
    line.count(() => store.read(what, actor.account_id));

  it('is as many statements and batches to record one item as three', async () => {
    const ofOne = await line.count(() => record(['item_b'], 'TRUE'));
    const ofThree = await line.count(() => record(ITEMS, 'FALSE'));
    expect(ofThree).toEqual(ofOne);
    // The log, the case, its matrices and the profile; what is known by name; the cells; their
    // heads; what is stored, the account's change token and the end.
    expect(ofOne.batches).toBeLessThanOrEqual(5);
    // With one, in the first batch, for which documents the case's matrices are of: without it, what
    // another document means might be recorded.
    expect(ofOne.statements).toBeLessThanOrEqual(18);
  });

  it('is three batches and the end for a page of evidence', async () => {
    const counted = await read((reader) =>
      reader.evidence.page(actor.account_id, asked, FIRST_PAGE),
    );
    expect(counted.batches).toBeLessThanOrEqual(4);
    // With one, in the first batch, for which documents the case's matrices are of.
    expect(counted.statements, String(counted.statements)).toBeLessThanOrEqual(12);
  });

  it('is one batch and the end for a list or a profile', async () => {
    for (const what of [
      (reader) => reader.projects.list(actor.account_id, FIRST_PAGE),
      (reader) =>
        reader.cases.list(actor.account_id, { project_id: asProject(project) }, FIRST_PAGE),
      (reader) => reader.profiles.get(actor.account_id, SHIPPED.profileUid, undefined),
    ] satisfies Parameters<typeof read>[0][]) {
      const counted = await read(what);
      expect(counted.batches).toBeLessThanOrEqual(2);
      expect(counted.statements).toBeLessThanOrEqual(5);
    }
  });
});

describe('a statement that nobody waited for', () => {
  it.each(['what is asked next', 'the commit'])(
    'tells by %s why it failed, so that the transaction runs again where that cures it',
    async (by) => {
      const engine = await openPostgres({ url: database.url, connections: 1 });
      try {
        let attempts = 0;
        await engine.write(async (session) => {
          attempts += 1;
          const ask = () => session.rows(session.db.selectFrom('sign_in_limits').select('subject'));
          const asked = ask();
          const row = [`by ${by}`, 1, 1];
          await session.insert('sign_in_limits', ['subject', 'failures', 'since_ms'], [row]);
          if (attempts === 1)
            await session.insert('sign_in_limits', ['subject', 'failures', 'since_ms'], [row]);
          await asked;
          if (by === 'what is asked next') await ask();
        });
        expect(attempts).toBe(2);
      } finally {
        await engine.close();
      }
    },
  );
});
