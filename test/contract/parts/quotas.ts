import { afterEach, describe, expect, it } from 'vitest';
import { refusal, type World } from '../world.ts';
import { asCase, asProfile } from '../../support/ids.ts';

/** What an account may hold at most. */
export function quotaTests(world: () => World): void {
  describe('quotas', () => {
    afterEach(() => {
      delete world().ports.quotas;
    });
    /** Deleted ones too. */
    async function cases(): Promise<number> {
      const { store, account } = world();
      let count = 0;
      let after: string | undefined;
      do {
        const page = await store.read((r) => r.log.positions(account, after), account);
        count += page.cases.filter(({ case_uid }) => !case_uid.startsWith('@')).length;
        after = page.next ?? undefined;
      } while (after !== undefined);
      return count;
    }

    it('refuse the case that would be one too many, however many try at once, and no other account', async () => {
      const { ports, newCase, store, human } = world();
      const held = await cases();
      ports.quotas = { cases: held + 2 };
      const tried = await Promise.allSettled(
        Array.from({ length: 6 }, (_, index) => newCase(`quota-${index}`)),
      );
      expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
      for (const one of tried)
        if (one.status === 'rejected')
          expect(one.reason).toMatchObject({
            code: 'quota_exceeded',
            message: `This account may hold ${held + 2} cases, and this would be more. Nothing was stored.`,
          });
      expect(await cases()).toBe(held + 2);
      // What is there can still be changed.
      const kept = tried.findIndex(({ status }) => status === 'fulfilled');
      await store.transact(
        (writer) =>
          writer.caseWrites.upsert(
            human,
            {
              project_id: world().projectId,
              case_uid: asCase(`quota-${kept}`),
              title: 'Still mine',
            },
            undefined,
          ),
        world().account,
      );
    });

    it('refuse changes over the limit whole, and keep the log as it was', async () => {
      const { ports, newCase, record, store, account } = world();
      const uid = await newCase('quota-changes');
      const position = () => store.read((r) => r.log.position(account, uid), account);
      const before = await position();
      ports.quotas = { changes: 0 };
      expect((await refusal(record({ case_uid: uid, items: [{ item_uid: 'i' }] }))).code).toBe(
        'quota_exceeded',
      );
      expect(await position()).toEqual(before);
      ports.quotas = { changes: 1_000_000 };
      await record({ case_uid: uid, items: [{ item_uid: 'i' }] });
      expect((await position())!.seq).toBe(before!.seq + 1);
    });

    it('refuse a frozen run over the limit', async () => {
      const { ports, newCase, record, store, human, account } = world();
      const uid = await newCase('quota-runs');
      await record({ case_uid: uid, items: [{ item_uid: 'i' }] });
      ports.quotas = { runs: 0 };
      const run = () =>
        store.transact(
          (writer) =>
            writer.runWrites.create(human, {
              case_uid: uid,
              profile_uid: asProfile('shipped_profile'),
            }),
          account,
        );
      expect((await refusal(run())).code).toBe('quota_exceeded');
      delete ports.quotas;
      expect((await run()).created).toBe(true);
    });
  });
}
