import { expect, it, vi } from 'vitest';
import { startDelivery } from '../../../src/server/notices/delivery.ts';
import { startLooking } from '../../../src/server/notices/looking.ts';
import type { Deps } from '../../../src/server/context/deps.ts';
import { known } from '../../../src/shared/contract/ids.ts';

const logger = { error: vi.fn(), warn: vi.fn() } as unknown as Deps['logger'];

it('one account that fails holds up none behind it', async () => {
  const sent = vi.fn(async () => {});
  const accounts = ['acc_first', 'acc_second'].map((id) => known.accountId.parse(id));
  const looking = startLooking(
    { store: { health: () => ({ ok: true }) } as Deps['store'], logger },
    {
      what: 'notices',
      accounts: async () => accounts,
      take: async (account) => {
        if (account === accounts[0]) throw new Error('damaged');
        return [sent];
      },
    },
  );
  await vi.waitFor(() => expect(sent).toHaveBeenCalled(), 60_000);
  looking.close();
  expect(logger.error).toHaveBeenCalled();
});

it('a new notice in one letter with an old one is tried as often as any', async () => {
  const noted: [string[], number | undefined][] = [];
  const notice = (notice_id: string, attempts: number) => ({
    ...{ notice_id, attempts, subscription_id: 'sub_1', event: 'assigned', case_uid: 'c' },
    ...{ thread_id: 't', who: 'usr_1', created_at: '2026-11-26T02:00:00.000Z' },
  });
  const subscription = { subscription_id: 'sub_1', way: 'mail', user_id: 'usr_1', url: null };
  const due = [[notice('ntc_old', 9), notice('ntc_new', 0)]];
  const parts = {
    notices: {
      accounts: async () => ['acc_1'],
      subscriptions: async () => [subscription],
      waitingOf: async () => ({ threads: 1, places: 0, cases: 0 }),
    },
    noticeWrites: {
      take: async () => due.shift() ?? [],
      noteAttempt: async (_: string, names: string[], { again }: { again: number | undefined }) =>
        void noted.push([names, again]),
    },
    team: {
      member: async () => ({ name: 'Bob', role: 'member' }),
      person: async () => ({ email: 'bob@example.org', disabled_at: null }),
    },
  };
  const run = (work: (from: unknown) => unknown): unknown => work(parts);
  const delivery = startDelivery(
    {
      store: { health: () => ({ ok: true }), read: run, transact: run },
      ...{ clock: { now: () => 1_000 }, logger, copies: { keep: 'yes' } },
      ...{ hmacSecret: new Uint8Array(32), url: 'http://127.0.0.1:1' },
    } as unknown as Parameters<typeof startDelivery>[0],
    { webhooks: 'off', mail: { relay: 'smtp://127.0.0.1:1', from: 'studio@example.org' } },
  );
  await vi.waitFor(() => expect(noted.flatMap(([names]) => names)).toHaveLength(2), 60_000);
  delivery.close();
  expect(noted).toEqual([
    [['ntc_old'], undefined],
    [['ntc_new'], 6_000],
  ]);
});
