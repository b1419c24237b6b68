import { describe, expect, test } from 'vitest';
import { FIRST_PAGE, refusal, RULES, SHIPPED, type World } from '../world.ts';
import type { Page } from '../../../src/server/storage/db/cursor.ts';
import { asCase, asProject, asProfile } from '../../support/ids.ts';

/** Projects and cases: upserts, preconditions, lists. */
export function recordTests(get: () => World): void {
  describe('projects', () => {
    test('one with the same name in another Unicode form is the same project; omitted fields stay', async () => {
      const { store, human } = get();
      const composed = await store.transact((w) =>
        w.projectWrites.upsert(
          human,
          { name: ' Caf\u00e9 ', description: 'one', domain: 'crispr' },
          undefined,
        ),
      );
      expect(composed).toMatchObject({
        created: true,
        record: { name: 'Caf\u00e9', description: 'one', domain: 'crispr', version: 1 },
      });
      expect(composed.record.project_id).toMatch(/^prj_[0-9a-z]{26}$/);
      const decomposed = await store.transact((w) =>
        w.projectWrites.upsert(human, { name: 'Cafe\u0301', description: 'two' }, undefined),
      );
      expect(decomposed).toMatchObject({
        created: false,
        record: {
          project_id: composed.record.project_id,
          description: 'two',
          domain: 'crispr',
          version: 2,
        },
      });
      const same = await store.transact((w) =>
        w.projectWrites.upsert(human, { name: 'Caf\u00e9' }, undefined),
      );
      expect(same.record.version).toBe(2);
    });

    test('an unknown project_id is not found, a taken name conflicts, and preconditions hold', async () => {
      const { store, human, projectId } = get();
      const upsert = (
        input: Parameters<
          Parameters<Parameters<typeof store.transact>[0]>[0]['projectWrites']['upsert']
        >[1],
        precondition?: Parameters<
          Parameters<Parameters<typeof store.transact>[0]>[0]['projectWrites']['upsert']
        >[2],
      ) => store.transact((w) => w.projectWrites.upsert(human, input, precondition));
      expect(
        (await refusal(upsert({ name: 'x', project_id: asProject(`prj_${'0'.repeat(26)}`) }))).code,
      ).toBe('not_found');
      await upsert({ name: 'Taken' });
      expect((await refusal(upsert({ name: 'Taken', project_id: projectId }))).code).toBe(
        'conflict',
      );
      expect((await refusal(upsert({ name: 'Taken' }, 'absent'))).code).toBe('precondition_failed');
      expect((await refusal(upsert({ name: 'Taken' }, { versions: [7] }))).code).toBe(
        'precondition_failed',
      );
      expect((await refusal(upsert({ name: 'Fresh one' }, { versions: [1] }))).code).toBe(
        'precondition_failed',
      );
      expect(
        (await upsert({ name: 'Taken', description: 'd' }, { versions: [7, 1] })).record.version,
      ).toBe(2);
      expect((await upsert({ name: 'Brand new' }, 'absent')).created).toBe(true);
    });

    test('concurrent requests with one new name make one project', async () => {
      const { store, human } = get();
      const made = await Promise.all(
        Array.from({ length: 5 }, () =>
          store.transact((w) => w.projectWrites.upsert(human, { name: 'Raced' }, undefined)),
        ),
      );
      expect(new Set(made.map((one) => one.record.project_id)).size).toBe(1);
      expect(made.filter((one) => one.created)).toHaveLength(1);
    });

    test("another account's projects are absent", async () => {
      const { store, stranger, human, projectId } = get();
      expect(
        await store.read((r) => r.projects.get(stranger.account_id, projectId)),
      ).toBeUndefined();
      expect(
        (await store.read((r) => r.projects.list(stranger.account_id, FIRST_PAGE))).data,
      ).toEqual([]);
      expect(
        (
          await refusal(
            store.transact((w) =>
              w.projectWrites.upsert(stranger, { name: 'x', project_id: projectId }, undefined),
            ),
          )
        ).code,
      ).toBe('not_found');
      expect(await store.read((r) => r.projects.get(human.account_id, projectId))).toMatchObject({
        project_id: projectId,
      });
    });

    test('paging shows each once while others are added, and refuses a cursor of elsewhere', async () => {
      const { store, human, account } = get();
      const seen: string[] = [];
      let cursor: string | undefined;
      let round = 0;
      do {
        const page = await store.read((r) => r.projects.list(account, { limit: 2, cursor }));
        seen.push(...page.data.map((project) => project.project_id));
        cursor = page.next_cursor ?? undefined;
        if (round++ < 3)
          await store.transact((w) =>
            w.projectWrites.upsert(human, { name: `Late ${round}` }, undefined),
          );
      } while (cursor !== undefined);
      expect(new Set(seen).size).toBe(seen.length);
      for (const bad of [
        'x',
        'bnVsbA',
        Buffer.from('["cases",1]').toString('base64url'),
        Buffer.from('["projects","1"]').toString('base64url'),
      ]) {
        expect(
          (await refusal(store.read((r) => r.projects.list(account, { limit: 2, cursor: bad }))))
            .code,
        ).toBe('invalid_query');
      }
    });

    test('a cursor with a number that no row has is refused by every list', async () => {
      const { store, account } = get();
      const cell = {
        case_uid: asCase('any'),
        profile_uid: SHIPPED.profileUid,
        profile_version: undefined,
        item_uid: 'i',
        rule_uid: RULES[0],
      };
      const lists: Record<string, (page: Page) => Promise<unknown>> = {
        projects: (page) => store.read((r) => r.projects.list(account, page)),
        cases: (page) => store.read((r) => r.cases.list(account, { project_id: undefined }, page)),
        contested_matrices: (page) =>
          store.read((r) => r.cases.contested(account, { project_id: undefined }, page)),
        profiles: (page) => store.read((r) => r.profiles.list(account, page)),
        runs: (page) =>
          store.read((r) =>
            r.runs.list(
              account,
              { case_uid: undefined, project_id: undefined, profile_uid: undefined },
              page,
            ),
          ),
        audit: (page) => store.read((r) => r.auditTrail.list(account, page)),
        history: (page) => store.read((r) => r.evidence.history(account, cell, page)),
      };
      for (const [kind, list] of Object.entries(lists)) {
        for (const number of [1.5, 1e20, -1e300]) {
          const cursor = Buffer.from(
            JSON.stringify([kind, number, ...(kind === 'history' ? [0] : [])]),
          ).toString('base64url');
          expect([kind, number, (await refusal(list({ limit: 2, cursor }))).code]).toEqual([
            kind,
            number,
            'invalid_query',
          ]);
        }
      }
    });
  });

  describe('cases', () => {
    test('defaults, update, and a conflict where the project differs', async () => {
      const { store, human, projectId, account } = get();
      const { record, created } = await store.transact((w) =>
        w.caseWrites.upsert(
          human,
          { project_id: projectId, case_uid: asCase('case:1') },
          undefined,
        ),
      );
      expect(created).toBe(true);
      expect(record).toMatchObject({
        case_uid: 'case:1',
        title: 'case:1',
        description: '',
        case_type: 'general',
        metadata: {},
        profile_uid: null,
        profile_version: null,
        version: 1,
      });
      const updated = await store.transact((w) =>
        w.caseWrites.upsert(
          human,
          {
            project_id: projectId,
            case_uid: asCase('case:1'),
            metadata: { b: [1, null], a: 'x' },
            profile_uid: asProfile('shipped_profile'),
          },
          { versions: [1] },
        ),
      );
      expect(updated.record).toMatchObject({
        title: 'case:1',
        metadata: { a: 'x', b: [1, null] },
        profile_uid: 'shipped_profile',
        profile_version: '1.0',
        version: 2,
      });
      expect(await store.read((r) => r.cases.get(account, asCase('case:1')))).toEqual(
        updated.record,
      );
      const other = await store.transact((w) =>
        w.projectWrites.upsert(human, { name: 'Other project' }, undefined),
      );
      expect(
        (
          await refusal(
            store.transact((w) =>
              w.caseWrites.upsert(
                human,
                { project_id: other.record.project_id, case_uid: asCase('case:1') },
                undefined,
              ),
            ),
          )
        ).code,
      ).toBe('conflict');
      expect(
        (
          await refusal(
            store.transact((w) =>
              w.caseWrites.upsert(
                human,
                { project_id: projectId, case_uid: asCase('case:1') },
                'absent',
              ),
            ),
          )
        ).code,
      ).toBe('precondition_failed');
      expect(
        (
          await refusal(
            store.transact((w) =>
              w.caseWrites.upsert(
                human,
                {
                  project_id: projectId,
                  case_uid: asCase('c9'),
                  profile_uid: asProfile('no_such_profile'),
                },
                undefined,
              ),
            ),
          )
        ).code,
      ).toBe('not_found');
      expect(await store.read((r) => r.cases.get(account, asCase('c9')))).toBeUndefined();
    });

    test('the same case_uid in two accounts is two cases', async () => {
      const { store, stranger, account } = get();
      const { record } = await store.transact(
        (w) => w.projectWrites.upsert(stranger, { name: 'Project' }, undefined),
        stranger.account_id,
      );
      await store.transact(
        (w) =>
          w.caseWrites.upsert(
            stranger,
            { project_id: record.project_id, case_uid: asCase('case:1'), title: 'Theirs' },
            undefined,
          ),
        stranger.account_id,
      );
      expect((await store.read((r) => r.cases.get(account, asCase('case:1'))))?.title).toBe(
        'case:1',
      );
      expect(
        (
          await store.read(
            (r) => r.cases.get(stranger.account_id, asCase('case:1')),
            stranger.account_id,
          )
        )?.title,
      ).toBe('Theirs');
      expect(
        (
          await store.read(
            (r) => r.cases.list(stranger.account_id, { project_id: undefined }, FIRST_PAGE),
            stranger.account_id,
          )
        ).data,
      ).toHaveLength(1);
    });

    test('lists filter by project and page', async () => {
      const { store, human, account, newCase } = get();
      const { record } = await store.transact((w) =>
        w.projectWrites.upsert(human, { name: 'Listed' }, undefined),
      );
      for (let index = 0; index < 5; index += 1)
        await newCase(`listed-${index}`, human, record.project_id);
      const first = await store.read((r) =>
        r.cases.list(account, { project_id: record.project_id }, { limit: 3, cursor: undefined }),
      );
      expect(first.data.map((one) => one.case_uid)).toEqual(['listed-0', 'listed-1', 'listed-2']);
      const second = await store.read((r) =>
        r.cases.list(
          account,
          { project_id: record.project_id },
          { limit: 3, cursor: first.next_cursor ?? undefined },
        ),
      );
      expect(second).toMatchObject({
        data: [{ case_uid: 'listed-3' }, { case_uid: 'listed-4' }],
        next_cursor: null,
      });
    });

    test('nothing of a transaction that fails is kept', async () => {
      const { store, human, projectId, account } = get();
      await expect(
        store.transact(async (w) => {
          await w.caseWrites.upsert(
            human,
            { project_id: projectId, case_uid: asCase('half') },
            undefined,
          );
          throw new Error('stop');
        }),
      ).rejects.toThrow('stop');
      expect(await store.read((r) => r.cases.get(account, asCase('half')))).toBeUndefined();
      expect(
        (await store.read((r) => r.log.positions(account, undefined))).cases.map(
          (one) => one.case_uid,
        ),
      ).not.toContain('half');
    });
  });
}
