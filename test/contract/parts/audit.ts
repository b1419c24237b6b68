import type { TrailOwner } from '../../../src/server/storage/db/schema/account-tables.ts';
import { AccountId } from '../../../src/shared/contract/ids.ts';
import { describe, expect, test } from 'vitest';
import { auditHash } from '../../../src/server/storage/audit/audit.ts';
import type { AuditEvent } from '../../../src/shared/contract/v1/audit.ts';
import { testHasher } from '../../support/hasher.ts';
import { FIRST_PAGE, refusal, type World } from '../world.ts';
import type { AuditOrigin } from '../../../src/server/storage/db/audit-entry.ts';

const START = '0'.repeat(64);

function origin(world: World, account_id: TrailOwner = world.account): AuditOrigin {
  return {
    account_id,
    kind: 'human',
    user_id: world.human.user_id,
    name: 'Änne "A" O\'Hara',
    key_id: null,
    session: 's1',
    address: '127.0.0.1',
    request_id: 'req_1',
  };
}

function note(world: World, object: string, account_id?: TrailOwner): Promise<void> {
  return world.store.transact(async (writer) => {
    writer.audit.by(origin(world, account_id));
    writer.audit.add({
      action: 'key.created',
      object,
      detail: { name: 'CI', scopes: ['read', 'write'], expires_at: null },
    });
  }, account_id);
}

function rehash(events: readonly AuditEvent[]): string[] {
  let former = START;
  return events.map(({ hash, ...event }) => {
    const own = auditHash(former, event, testHasher);
    former = hash;
    return own;
  });
}

/** The audit trail: chained for each account, written with its effect, never changed. */
export function auditTests(get: () => World): void {
  describe('the audit trail', () => {
    test('is chained from its first event and told newest first, in pages', async () => {
      const world = get();
      expect(await world.store.read((r) => r.auditTrail.head(world.account))).toEqual({
        seq: 0,
        hash: START,
      });
      for (const object of ['a', 'b', 'c', 'd', 'e']) await note(world, object);
      const events = await world.store.read((r) => r.auditTrail.after(world.account, 0, 10));
      expect(events.map(({ seq, object }) => [seq, object])).toEqual([
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
        [4, 'd'],
        [5, 'e'],
      ]);
      expect(events.map(({ hash }) => hash)).toEqual(rehash(events));
      expect(events[0]).toMatchObject({
        account_id: world.account,
        action: 'key.created',
        detail: { name: 'CI', scopes: ['read', 'write'], expires_at: null },
        by: { kind: 'human', name: 'Änne "A" O\'Hara' },
        request_id: 'req_1',
      });
      expect(await world.store.read((r) => r.auditTrail.head(world.account))).toEqual({
        seq: 5,
        hash: events[4]?.hash,
      });
      const first = await world.store.read((r) =>
        r.auditTrail.list(world.account, { limit: 3, cursor: undefined }),
      );
      const second = await world.store.read((r) =>
        r.auditTrail.list(world.account, { limit: 3, cursor: first.next_cursor ?? '' }),
      );
      expect([...first.data, ...second.data]).toEqual(events.toReversed());
      expect(second.next_cursor).toBeNull();
      expect(
        await refusal(
          world.store.read((r) => r.auditTrail.list(world.account, { limit: 3, cursor: 'x' })),
        ),
      ).toMatchObject({ code: 'invalid_query' });
    });

    test('is one for each account', async () => {
      const world = get();
      await note(world, 'theirs', AccountId.parse('acc_stranger'));
      await note(world, 'nobody', '');
      for (const [account, object] of [
        [AccountId.parse('acc_stranger'), 'theirs'],
        ['', 'nobody'],
      ] as const) {
        const { data } = await world.store.read(
          (r) => r.auditTrail.list(account, FIRST_PAGE),
          account,
        );
        expect(data.map((event) => [event.seq, event.object])).toEqual([[1, object]]);
      }
    });

    test('tells nothing of what was rolled back', async () => {
      const world = get();
      const before = await world.store.read((r) => r.auditTrail.head(world.account));
      const failing = world.store.transact(async (writer) => {
        writer.audit.by(origin(world));
        writer.audit.add({ action: 'key.revoked', object: 'lost' });
        throw new Error('on purpose');
      });
      await expect(failing).rejects.toThrow('on purpose');
      expect(await world.store.read((r) => r.auditTrail.head(world.account))).toEqual(before);
    });

    test('asks who it was', async () => {
      const adding = get().store.transact(async (writer) =>
        writer.audit.add({ action: 'key.revoked', object: null }),
      );
      await expect(adding).rejects.toThrow('Nobody is named');
    });

    test('stays one chain when two servers write at once', async () => {
      const world = get();
      const { seq } = await world.store.read((r) => r.auditTrail.head(world.account));
      const beside = await world.openBeside();
      try {
        // A file has one server.
        const both =
          world.store.engine === 'postgres' ? [world.store, beside] : [world.store, world.store];
        await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            note({ ...world, store: both[index % 2] as World['store'] }, `e${index}`),
          ),
        );
      } finally {
        await beside.close();
      }
      const events = await world.store.read((r) => r.auditTrail.after(world.account, 0, 100));
      expect(events.map((event) => event.seq)).toEqual(
        Array.from({ length: seq + 20 }, (_, index) => index + 1),
      );
      expect(events.map(({ hash }) => hash)).toEqual(rehash(events));
      expect(new Set(events.slice(seq).map((event) => event.object)).size).toBe(20);
    });

    test('refuses to be changed or shortened by a statement', async () => {
      const world = get();
      await note(world, 'a');
      for (const statement of [`UPDATE audit_events SET object = 'b'`, 'DELETE FROM audit_events'])
        await expect(world.ownSql(statement)).rejects.toThrow(/never changed|permission denied/);
    });
  });
}
