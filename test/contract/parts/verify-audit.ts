import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { auditHash } from '../../../src/server/storage/audit/audit.ts';
import { SQLITE_WORDS } from '../../../src/server/storage/db/schema/sql-words.ts';
import { type ChainReport, verifyChains } from '../../../src/server/audit/verify-audit.ts';
import { canonicalJson } from '../../../src/shared/lib/canonical-json.ts';
import { testHasher } from '../../support/hasher.ts';
import { createWorld, item, outcome, type StoreFactory, type World } from '../world.ts';

const CASE = 'audited-case';

/**
 * What somebody does who can write to the database past the application, and how the check finds
 * it.
 */
export function verifyAuditTests(factory: StoreFactory): void {
  describe('verify-audit', () => {
    // A store of its own, whose tables may be spoilt.
    let world: World;
    let before: ChainReport;
    const check = (earlier?: ChainReport): Promise<ChainReport> =>
      verifyChains(world.store, testHasher, earlier?.chains);

    /** Statements past the triggers; afterwards the tables are as they were. */
    async function tamper(...statements: string[]): Promise<void> {
      const { store, sql } = world;
      // On PostgreSQL a superuser needs no privilege.
      const tables = store.engine === 'sqlite' ? ['audit_events', 'changes'] : [];
      await sql(
        [
          ...tables.flatMap((table) => SQLITE_WORDS.thaw(table)),
          ...statements,
          ...tables.flatMap((table) => SQLITE_WORDS.freeze(table)),
        ].join(';\n'),
      );
    }
    const TABLES = ['changes', 'audit_events', 'audit_heads'] as const;

    beforeAll(async () => {
      world = await createWorld(factory);
      await world.newCase(CASE);
      for (const raw of ['TRUE', 'FALSE', 'NA'] as const)
        await world.record({
          case_uid: CASE,
          items: [item('i1')],
          outcomes: [outcome('i1', 'rule_a', raw)],
          reason: 'Looked',
        });
      for (let nth = 0; nth < 3; nth += 1) {
        await world.store.transact(async (writer) => {
          writer.audit.by({
            account_id: world.account,
            kind: 'operator',
            user_id: null,
            name: 'root',
            key_id: null,
            session: null,
            address: null,
            request_id: null,
          });
          writer.audit.add({ action: 'user.created', object: `usr_${nth}` });
        });
      }
      for (const table of TABLES)
        await world.sql(`CREATE TABLE kept_${table} AS SELECT * FROM ${table}`);
      before = await check();
    });
    afterAll(() => world.dispose());
    afterEach(() =>
      tamper(
        ...TABLES.flatMap((table) => [
          `DELETE FROM ${table}`,
          `INSERT INTO ${table} SELECT * FROM kept_${table}`,
        ]),
      ),
    );

    const ofCase = (): string =>
      `stream_pk = (SELECT stream_pk FROM streams WHERE name = '${CASE}')`;
    const ofTrail = (): string => `account_id = '${world.account}'`;
    const lastEvent = (): number =>
      before.chains.find(({ account_id, log }) => account_id === world.account && log === null)
        ?.seq ?? 0;

    test('finds every chain whole, also after more was written', async () => {
      expect(before).toMatchObject({ ok: true, problems: [] });
      expect(before.chains).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ log: null, seq: lastEvent() }),
          expect.objectContaining({ log: CASE, seq: 4 }),
        ]),
      );
      expect(await check(before)).toEqual(before);
    });

    test.each([
      [
        'an event changed',
        () => `UPDATE audit_events SET name = 'somebody else' WHERE ${ofTrail()} AND seq = 2`,
        () => ({ log: null, seq: 2, code: 'altered' }),
      ],
      [
        'the time of an event changed',
        () =>
          `UPDATE audit_events SET at = '2020-01-01T00:00:00.000Z' WHERE ${ofTrail()} AND seq = 2`,
        () => ({ log: null, seq: 2, code: 'altered' }),
      ],
      [
        'an event taken out',
        () => `DELETE FROM audit_events WHERE ${ofTrail()} AND seq = 2`,
        () => ({ log: null, seq: 2, code: 'missing' }),
      ],
      [
        'the last event taken off',
        () => `DELETE FROM audit_events WHERE ${ofTrail()} AND seq = ${lastEvent()}`,
        () => ({ log: null, seq: lastEvent() - 1, code: 'end' }),
      ],
      [
        "a change's text changed",
        () => `UPDATE changes SET text = '{}', packed = NULL WHERE ${ofCase()} AND seq = 2`,
        () => ({ log: CASE, seq: 2, code: 'altered' }),
      ],
      [
        'a reason changed',
        () => `UPDATE changes SET why = 'Because' WHERE ${ofCase()} AND seq = 3`,
        () => ({ log: CASE, seq: 3, code: 'altered' }),
      ],
      [
        "a change's chain changed",
        () => `UPDATE changes SET chain = '${'0'.repeat(64)}' WHERE ${ofCase()} AND seq = 3`,
        () => ({ log: CASE, seq: 3, code: 'broken' }),
      ],
      [
        'a change taken out',
        () => `DELETE FROM changes WHERE ${ofCase()} AND seq = 2`,
        () => ({ log: CASE, seq: 2, code: 'missing' }),
      ],
      [
        'the last change taken off',
        () => `DELETE FROM changes WHERE ${ofCase()} AND seq = 4`,
        () => ({ log: CASE, seq: 4, code: 'missing' }),
      ],
    ])('finds %s', async (_what, statement, problem) => {
      await tamper(statement());
      expect((await check()).problems).toEqual([{ account_id: world.account, ...problem() }]);
    });

    test('finds an event that was changed with its own hash made anew, by the next one: each hash covers the one before', async () => {
      const { store, account } = world;
      const events = await store.read((r) => r.auditTrail.after(account, 0, 100));
      const chained = (former: string, event: object): string =>
        createHash('sha256')
          .update(former + canonicalJson(event))
          .digest('hex');
      let former = '0'.repeat(64);
      for (const { hash, ...event } of events) {
        expect(hash).toBe(chained(former, event));
        former = hash;
      }
      const { hash: _, ...second } = { ...events[1]!, object: 'usr_other' };
      await tamper(
        `UPDATE audit_events SET object = 'usr_other', hash = '${chained(events[0]!.hash, second)}' WHERE ${ofTrail()} AND seq = 2`,
      );
      expect((await check()).problems).toEqual([
        { account_id: account, log: null, seq: 3, code: 'altered' },
      ]);
    });

    test('finds a trail that was made anew or cut short, by what an earlier check saw', async () => {
      const { store, account } = world;
      const [last, former] = (
        await store.read((r) => r.auditTrail.list(account, { limit: 2, cursor: undefined }))
      ).data;
      const { hash: _, ...event } = { ...last!, object: 'usr_other' };
      const hash = auditHash(former!.hash, event, testHasher);
      await tamper(
        `UPDATE audit_events SET object = 'usr_other', hash = '${hash}' WHERE ${ofTrail()} AND seq = ${last!.seq}`,
        `UPDATE audit_heads SET hash = '${hash}' WHERE ${ofTrail()}`,
      );
      expect(await check()).toMatchObject({ ok: true });
      expect((await check(before)).problems).toEqual([
        { account_id: account, log: null, seq: last!.seq, code: 'rewritten' },
      ]);

      await tamper(
        `DELETE FROM audit_events WHERE ${ofTrail()} AND seq = ${last!.seq}`,
        `UPDATE audit_heads SET seq = ${former!.seq}, hash = '${former!.hash}' WHERE ${ofTrail()}`,
      );
      expect(await check()).toMatchObject({ ok: true });
      expect((await check(before)).problems).toEqual([
        { account_id: account, log: null, seq: former!.seq, code: 'shortened' },
      ]);
    });
  });
}
