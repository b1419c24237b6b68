import { describe, expect, test } from 'vitest';
import { roundId, type RoundTerms } from '../../../src/shared/domain/round.ts';
import { EMPTY_SUM } from '../../../src/sync/log.ts';
import type { Entry } from '../../../src/sync/change.ts';
import { asCase, asKey, asStream } from '../../support/ids.ts';
import { testHasher } from '../../support/hasher.ts';
import { ofOwnAccount } from '../../support/own-account.ts';
import { foreignChange, SHIPPED, type StoreFactory, testPorts, wire } from '../world.ts';

const CASE = 'relayed';
const STUDIO = asKey('k123456789');

const announce = (reg: string, value: unknown): Entry => ({
  op: 'announce',
  parents: [],
  reg,
  value,
});

/** What the tables of rounds show of what earlier versions kept. */
export function roundTests(factory: StoreFactory): void {
  describe('rounds in a log', () => {
    test('YR10 YV2 what a version without rounds passed on unasked is applied, and opens nothing', async () => {
      const ports = { ...testPorts(), schema: 3 };
      const opened = await factory.open(ports, [SHIPPED]);
      let store = ofOwnAccount(opened.store);
      const { account_id, user_id } = opened.store.local;
      const member = (name: string) =>
        store.transact((w) => w.userWrites.ensure(account_id, name, 'member'));
      const [one, two] = [await member('One'), await member('Two')];
      await store.transact((w) =>
        w.keyWrites.create({
          key_id: STUDIO,
          account_id,
          user_id: one.user_id,
          name: 'studio of One',
          prefix: 'p',
          scopes: ['sync'],
          expires_at: null,
          mac: new Uint8Array(32),
        }),
      );
      const terms: RoundTerms = {
        recorders: [one.user_id, two.user_id],
        profile_uid: SHIPPED.profileUid,
        profile_version: SHIPPED.version,
        items: 'all',
        rules: 'all',
        quorum: 2,
        opened_by: user_id,
        record: 'hidden',
        na_is_a_category: true,
        nonce: '0'.repeat(32),
      };
      const round = roundId(terms, testHasher);
      const done = { count: 0, sum: EMPTY_SUM };
      const studio = {
        account_id,
        user_id: one.user_id,
        user_name: 'One',
        kind: 'agent',
        key_id: STUDIO,
        key_name: 'studio of One',
      } as const;
      const changes = [
        foreignChange(CASE, [announce(`round/${round}/terms`, terms)], { user: user_id }),
        foreignChange(CASE, [announce(`round/${round}/done/${one.user_id}`, done)], {
          user: one.user_id,
        }),
        // Neither is theirs to bring.
        foreignChange(CASE, [announce(`round/${round}/done/${two.user_id}`, done)], {
          user: two.user_id,
        }),
        foreignChange(CASE, [announce(`round/${round}/state`, 'released')], {
          user: user_id,
          why: 'forged',
        }),
        foreignChange(CASE, [announce(`round/${round}/removed/${two.user_id}`, {})], {
          user: user_id,
          why: 'forged',
        }),
      ];
      const { results } = await store.transact((w) =>
        w.log.push(studio, asStream(CASE), changes.map(wire), undefined),
      );
      expect(results.map(({ quarantined }) => quarantined)).toEqual(changes.map(() => [0]));
      const get = () => store.read((r) => r.rounds.get(account_id, asCase(CASE), round));
      ports.schema = 4;
      store = ofOwnAccount(await opened.openAgain());
      expect(await get()).toMatchObject({
        state: 'open',
        releases: [],
        recorders: [
          { recorder: one.user_id, commitments: [done], removed: false },
          { recorder: two.user_id, commitments: [], removed: false },
        ],
      });
      // From those who speak for them the same is taken.
      const own = (user: typeof two, name: string) =>
        ({
          ...studio,
          user_id: user.user_id,
          user_name: name,
          kind: 'human',
          key_id: null,
          key_name: null,
        }) as const;
      const again = foreignChange(CASE, [announce(`round/${round}/done/${two.user_id}`, done)], {
        user: two.user_id,
      });
      await store.transact((w) =>
        w.log.push(own(two, 'Two'), asStream(CASE), [wire(again)], undefined),
      );
      expect(await get()).toMatchObject({ state: 'released', releases: [] });
      await opened.dispose();
    });
  });
}
