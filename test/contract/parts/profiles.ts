import { describe, expect, test } from 'vitest';
import { compareVersions } from '../../../src/shared/domain/version.ts';
import { FIRST_PAGE, profile, refusal, type World } from '../world.ts';
import { asProfile } from '../../support/ids.ts';

/** Profiles: immutability, versions, visibility. */
export function profileTests(get: () => World): void {
  describe('profiles', () => {
    test('a version is immutable: equal content is answered as it is, other content conflicts', async () => {
      const { store, human, account } = get();
      const document = profile('own_profile', '1.0', ['rule_a']);
      const text = JSON.stringify(document, null, 2);
      expect(
        await store.transact((w) => w.profileWrites.create(human, document, text, true)),
      ).toEqual({ record: text, created: true, published: false });
      const reordered = Object.fromEntries(Object.entries(document).reverse()) as typeof document;
      expect(
        await store.transact((w) =>
          w.profileWrites.create(human, reordered, JSON.stringify(reordered), true),
        ),
      ).toEqual({ record: text, created: false, published: false });
      expect(
        (
          await refusal(
            store.transact((w) =>
              w.profileWrites.create(human, { ...document, name: 'Other' }, '{}', true),
            ),
          )
        ).code,
      ).toBe('version_conflict');
      const found = await store.read((r) =>
        r.profiles.get(account, asProfile('own_profile'), undefined),
      );
      expect(found?.text).toBe(text);
      expect(found?.entry).toMatchObject({ access: 'private', rule_count: 1, version: '1.0' });
    });

    test('without a version the newest is meant, by number', async () => {
      const { store, human, account } = get();
      for (const version of ['1.9', '1.10', '1.9.5']) {
        const document = profile('many_versions', version, ['rule_a']);
        await store.transact((w) =>
          w.profileWrites.create(human, document, JSON.stringify(document), true),
        );
      }
      expect(
        (await store.read((r) => r.profiles.get(account, asProfile('many_versions'), undefined)))
          ?.document.version,
      ).toBe('1.10');
      expect(
        (await store.read((r) => r.profiles.get(account, asProfile('many_versions'), '1.9')))
          ?.document.version,
      ).toBe('1.9');
      expect(
        await store.read((r) => r.profiles.get(account, asProfile('many_versions'), '2.0')),
      ).toBeUndefined();
      expect(['1.10', '1.9', '1.9.0', '1.9.5', '1.2'].sort(compareVersions)).toEqual([
        '1.2',
        '1.9',
        '1.9.0',
        '1.9.5',
        '1.10',
      ]);
    });

    test("private ones of another account leak nothing: not their presence, not their versions' being taken", async () => {
      const { store, human, stranger, account } = get();
      const theirs = profile('secret_profile', '1.0', ['rule_a'], { description: 'theirs' });
      await store.transact(
        (w) => w.profileWrites.create(stranger, theirs, JSON.stringify(theirs), true),
        stranger.account_id,
      );
      expect(
        await store.read((r) => r.profiles.get(account, asProfile('secret_profile'), undefined)),
      ).toBeUndefined();
      const ours = profile('secret_profile', '1.0', ['rule_b'], { description: 'ours' });
      expect(
        (
          await store.transact((w) =>
            w.profileWrites.create(human, ours, JSON.stringify(ours), true),
          )
        ).created,
      ).toBe(true);
      expect(
        (await store.read((r) => r.profiles.get(account, asProfile('secret_profile'), undefined)))
          ?.document.description,
      ).toBe('ours');
      expect(
        (
          await store.read(
            (r) => r.profiles.get(stranger.account_id, asProfile('secret_profile'), undefined),
            stranger.account_id,
          )
        )?.document.description,
      ).toBe('theirs');
    });

    test('community ones are seen and taken by all; shipped ones are public', async () => {
      const { store, human, stranger, account } = get();
      const shared = profile('shared_profile', '1.0', ['rule_a'], { visibility: 'community' });
      await store.transact(
        (w) => w.profileWrites.create(stranger, shared, JSON.stringify(shared), true),
        stranger.account_id,
      );
      expect(
        (await store.read((r) => r.profiles.get(account, asProfile('shared_profile'), undefined)))
          ?.entry.access,
      ).toBe('community');
      expect(
        (
          await refusal(
            store.transact((w) =>
              w.profileWrites.create(human, { ...shared, name: 'Mine' }, '{}', true),
            ),
          )
        ).code,
      ).toBe('uid_taken');
      expect(
        (await store.read((r) => r.profiles.get(account, asProfile('shipped_profile'), '1.0')))
          ?.entry.access,
      ).toBe('public');
    });

    test('the list has each visible version once, paged', async () => {
      const { store, account } = get();
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.read((r) => r.profiles.list(account, { limit: 2, cursor }));
        seen.push(
          ...page.data.map((entry) => `${entry.profileUid}@${entry.version}:${entry.access}`),
        );
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toContain('shipped_profile@1.0:public');
      expect(seen.filter((one) => one.startsWith('secret_profile'))).toEqual([
        'secret_profile@1.0:private',
      ]);
      expect(new Set(seen).size).toBe(seen.length);
      expect((await store.read((r) => r.profiles.list(account, FIRST_PAGE))).data).toHaveLength(
        seen.length,
      );
    });
  });
}
