import { describe, expect, test } from 'vitest';
import {
  cellReg,
  FIRST_PAGE,
  foreignChange,
  item,
  outcome,
  profile,
  refusal,
  set,
  SHIPPED,
  wire,
  type World,
} from '../world.ts';
import { asCase, asProfile, asStream } from '../../support/ids.ts';

/** What the entity tag of evidence stands for. */
export function evidenceTagTests(get: () => World): void {
  describe('the entity tag of evidence', () => {
    test('covers the matrix of one profile version, and serves as a precondition of writes and runs', async () => {
      const { newCase, record, page, store, human, account, projectId } = get();
      await newCase('e7');
      const document = profile('other_matrix', '1.0', ['rule_a']);
      await store.transact((w) =>
        w.profileWrites.create(human, document, JSON.stringify(document), true),
      );
      const tag = async (): Promise<string> => (await page('e7')).etag;
      const reviewed = (etag: string) => ({ versions: [], tags: [etag] });
      const once = 'absent' as const;
      await record({ case_uid: 'e7', items: [item('i'), item('j')] });
      await record({ case_uid: 'e7', outcomes: [outcome('i', 'rule_a', 'TRUE')] }, undefined, once);
      expect(
        (
          await refusal(
            record({ case_uid: 'e7', outcomes: [outcome('i', 'rule_a', 'NA')] }, undefined, once),
          )
        ).code,
      ).toBe('precondition_failed');
      const first = await tag();
      expect(await tag()).toBe(first);
      // Neither a title, nor a run, nor what is recorded under another profile.
      await store.transact((w) =>
        w.caseWrites.upsert(
          human,
          {
            project_id: projectId,
            case_uid: asCase('e7'),
            title: 'Another title',
            metadata: { a: 1 },
          },
          undefined,
        ),
      );
      await store.transact((w) =>
        w.runWrites.create(human, { case_uid: asCase('e7'), profile_uid: SHIPPED.profileUid }),
      );
      await record(
        { case_uid: 'e7', profile_uid: 'other_matrix', outcomes: [outcome('i', 'rule_a', 'TRUE')] },
        undefined,
        once,
      );
      expect(await tag()).toBe(first);
      expect(
        await record(
          { case_uid: 'e7', outcomes: [outcome('i', 'rule_a', 'TRUE')] },
          undefined,
          reviewed(first),
        ),
      ).toMatchObject({ outcomes_unchanged: 1, changes: [] });
      expect(await tag()).toBe(first);
      const run = (precondition: ReturnType<typeof reviewed> | undefined, if_match?: string) =>
        store.transact((w) =>
          w.runWrites.create(
            human,
            {
              case_uid: asCase('e7'),
              profile_uid: SHIPPED.profileUid,
              ...(if_match !== undefined && { if_match }),
            },
            precondition,
          ),
        );
      expect((await run(reviewed(first))).created).toBe(true);
      expect((await run(undefined, `"${first}"`)).created).toBe(true);
      // Any page of it is as good as another.
      const part = (await page('e7', { limit: 1, cursor: undefined })).etag;
      expect(part).not.toBe(first);
      expect((await run(undefined, part)).created).toBe(true);
      for (const change of [
        () => record({ case_uid: 'e7', outcomes: [outcome('i', 'rule_b', 'NA', { notes: 'n' })] }),
        () => record({ case_uid: 'e7', outcomes: [outcome('i', 'rule_b', 'NA', { notes: null })] }),
        () => record({ case_uid: 'e7', items: [item('j', { label: 'Two' })] }),
        () =>
          store.transact((w) =>
            w.log.push(
              human,
              asStream('e7'),
              [wire(foreignChange('e7', [set(cellReg('j', 'rule_c'), { raw_outcome: 'NA' })]))],
              undefined,
            ),
          ),
        () =>
          store.transact((w) =>
            w.log.push(
              human,
              asStream('e7'),
              [
                wire(
                  foreignChange('e7', [set('item/x/j', { deleted: true })], {
                    hlc: '01ff00000000-0000',
                  }),
                ),
              ],
              undefined,
            ),
          ),
      ]) {
        const before = await tag();
        await change();
        expect(await tag()).not.toBe(before);
        const late: (() => Promise<unknown>)[] = [
          () => run(reviewed(before)),
          () => run(undefined, before),
          () =>
            record(
              { case_uid: 'e7', outcomes: [outcome('i', 'rule_a', 'FALSE')] },
              undefined,
              reviewed(before),
            ),
        ];
        for (const ask of late) expect((await refusal(ask())).code).toBe('precondition_failed');
      }
      expect(
        (
          await refusal(
            run(
              reviewed(
                (
                  await store.read((r) =>
                    r.evidence.page(
                      account,
                      {
                        case_uid: asCase('e7'),
                        profile_uid: asProfile('other_matrix'),
                        profile_version: undefined,
                      },
                      FIRST_PAGE,
                    ),
                  )
                ).etag,
              ),
            ),
          )
        ).code,
      ).toBe('precondition_failed');
      await record(
        { case_uid: 'e7', outcomes: [outcome('i', 'rule_a', 'FALSE')] },
        undefined,
        reviewed(await tag()),
      );
    });
  });
}
