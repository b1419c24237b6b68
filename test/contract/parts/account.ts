import { AccountId } from '../../../src/shared/contract/ids.ts';
import { describe, expect, test } from 'vitest';
import type { World } from '../world.ts';
import type { UsageEvent } from '../../../src/server/storage/accounts/usage.ts';
import { asKey } from '../../support/ids.ts';

const DAY = 24 * 60 * 60 * 1_000;

/** Keys, sessions, idempotency, usage. */
export function accountTests(get: () => World): void {
  describe('keys', () => {
    test('are stored by MAC, listed without it, used and revoked once', async () => {
      const { store, human, account, stranger, ports } = get();
      const mac = new Uint8Array(32).fill(7);
      const key = {
        key_id: asKey('abc1234567'),
        account_id: account,
        user_id: human.user_id,
        name: 'CI',
        prefix: 'evs_abc1234567',
        scopes: ['read' as const],
        expires_at: null,
        mac,
      };
      const made = await store.transact((w) => w.keyWrites.create(key));
      expect(made).toMatchObject({
        key_id: 'abc1234567',
        scopes: ['read'],
        last_used_at: null,
        revoked_at: null,
      });
      const found = await store.read((r) => r.keys.byId(asKey('abc1234567')));
      expect(found).toMatchObject({
        account_id: account,
        user_id: human.user_id,
        user_name: 'Local user',
      });
      expect([...(found?.mac ?? [])]).toEqual([...mac]);
      expect(await store.read((r) => r.keys.byId(asKey('nowhere000')))).toBeUndefined();
      await store.transact((w) =>
        w.keyWrites.used(asKey('abc1234567'), '2026-01-02T00:00:00.000Z'),
      );
      expect(
        await store.transact((w) => w.keyWrites.revoke(stranger.account_id, asKey('abc1234567'))),
      ).toBeUndefined();
      const revoked = await store.transact((w) => w.keyWrites.revoke(account, asKey('abc1234567')));
      expect(revoked).toMatchObject({
        last_used_at: '2026-01-02T00:00:00.000Z',
        revoked_at: new Date(ports.clock.now()).toISOString(),
      });
      ports.advance(1_000);
      expect(await store.transact((w) => w.keyWrites.revoke(account, asKey('abc1234567')))).toEqual(
        revoked,
      );
      expect(await store.read((r) => r.keys.list(account))).toEqual([revoked]);
      expect(await store.read((r) => r.keys.list(stranger.account_id))).toEqual([]);
    });
  });

  describe('sessions', () => {
    test('end when removed or expired; a sign-in link works once', async () => {
      const { store, human, account, ports } = get();
      const expires_at = new Date(ports.clock.now() + DAY).toISOString();
      const session = {
        account_id: account,
        user_id: human.user_id,
        method: 'link' as const,
        expires_at,
        address: '192.0.2.1',
        browser: 'Firefox on Linux',
      };
      const at = new Date(ports.clock.now()).toISOString();
      const session_id = await store.transact((w) => w.sessionWrites.create('h1', session));
      await store.transact((w) => w.sessionWrites.create('h2', session));
      expect(await store.read((r) => r.sessions.byHash('h1'))).toEqual({
        ...session,
        session_id,
        user_name: human.user_name,
        role: 'owner',
        created_at: at,
        last_seen_at: at,
        confirmed_at: at,
      });
      await store.transact((w) => w.sessionWrites.remove('h1'));
      expect(await store.read((r) => r.sessions.byHash('h1'))).toBeUndefined();
      await store.transact((w) =>
        w.sessionWrites.addLink('l1', { account_id: account, user_id: human.user_id, expires_at }),
      );
      await store.transact((w) =>
        w.sessionWrites.addLink('l2', { account_id: account, user_id: human.user_id, expires_at }),
      );
      expect(await store.transact((w) => w.sessionWrites.takeLink('l1'))).toEqual({
        account_id: account,
        user_id: human.user_id,
        user_name: 'Local user',
      });
      expect(await store.transact((w) => w.sessionWrites.takeLink('l1'))).toBeUndefined();
      ports.advance(DAY);
      expect(await store.read((r) => r.sessions.byHash('h2'))).toBeUndefined();
      expect(await store.transact((w) => w.sessionWrites.takeLink('l2'))).toBeUndefined();
    });
  });

  describe('idempotency', () => {
    test('answers are kept for a day, each for one account and key', async () => {
      const { store, account, ports, stranger } = get();
      const answer = {
        body_digest: 'd',
        status: 201,
        headers: { Location: '/x' },
        body: '{"a":1}',
      };
      await store.transact((w) => w.idempotency.save(account, 'k', answer));
      expect(await store.transact((w) => w.idempotency.find(account, 'k'))).toEqual(answer);
      expect(
        await store.transact(
          (w) => w.idempotency.find(stranger.account_id, 'k'),
          stranger.account_id,
        ),
      ).toBeUndefined();
      expect(await store.transact((w) => w.idempotency.find(account, 'other'))).toBeUndefined();
      ports.advance(DAY);
      expect(await store.transact((w) => w.idempotency.find(account, 'k'))).toBeUndefined();
      await store.transact((w) => w.idempotency.save(account, 'k', { ...answer, body: '{}' }));
      expect((await store.transact((w) => w.idempotency.find(account, 'k')))?.body).toBe('{}');
      ports.advance(DAY);
      await store.transact((w) => w.idempotency.expire());
    });
  });

  describe('usage', () => {
    test('is summed by month, recent events first', async () => {
      const { store, account } = get();
      const event = (at: string, cells: number): UsageEvent => ({
        account_id: account,
        at,
        action: 'recordEvidence',
        resource: 'e1',
        key_id: asKey('abc1234567'),
        status: 200,
        cells_written: cells,
        runs: 1,
      });
      await store.transact((w) =>
        w.usageWrites.add([
          event('2026-01-31T23:59:59.999Z', 5),
          event('2026-02-01T00:00:00.000Z', 7),
        ]),
      );
      await store.transact((w) => w.usageWrites.add([event('2026-02-02T00:00:00.000Z', 1)]));
      const usage = await store.read((r) => r.usage.summary(account));
      expect(usage.monthly_totals).toEqual([
        { month: '2026-02', requests: 2, cells_written: 8, runs: 2 },
        { month: '2026-01', requests: 1, cells_written: 5, runs: 1 },
      ]);
      expect(usage.recent_events.map((one) => one.at)).toEqual([
        '2026-02-02T00:00:00.000Z',
        '2026-02-01T00:00:00.000Z',
        '2026-01-31T23:59:59.999Z',
      ]);
      expect(usage.account).toEqual({ account_id: account, name: 'Local' });
      expect(
        (
          await store.read(
            (r) => r.usage.summary(AccountId.parse('acc_stranger')),
            AccountId.parse('acc_stranger'),
          )
        ).recent_events,
      ).toEqual([]);
    });
  });
}
