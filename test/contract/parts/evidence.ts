import { describe, expect, test } from 'vitest';
import {
  FIRST_PAGE,
  item,
  outcome,
  profile,
  refusal,
  RULES,
  SHIPPED,
  type World,
} from '../world.ts';
import { asCase, asProfile } from '../../support/ids.ts';

/** Recording and reading evidence. */
export function evidenceTests(get: () => World): void {
  describe('evidence', () => {
    test('items and outcomes are recorded, counted, and read in row and column order', async () => {
      const { newCase, record, page, ports } = get();
      await newCase('e1');
      const receipt = await record({
        case_uid: 'e1',
        items: [
          item('i2'),
          item('i1', {
            label: 'One',
            item_type: 'variant',
            metadata: { z: 1, a: [true] },
            position: -1,
          }),
        ],
        outcomes: [
          outcome('i1', 'rule_a', 'FALSE', {
            source_value: '1.37',
            notes: 'checked',
            provenance: { page: 3, doi: 'x' },
          }),
          outcome('i1', 'rule_c', 'TRUE'),
          outcome('i2', 'rule_b', 'NA', { provenance: 'paper' }),
        ],
      });
      expect(receipt).toEqual({
        case_uid: 'e1',
        profile_uid: 'shipped_profile',
        profile_version: '1.0',
        items_created: 2,
        items_updated: 0,
        outcomes_written: 3,
        outcomes_unchanged: 0,
        changes: [expect.stringMatching(/^c1_/)],
      });
      const value = (await page('e1')).value();
      const at = new Date(ports.clock.now()).toISOString();
      expect(value.rules).toEqual([...RULES]);
      expect(value.items.map((one) => [one.item_uid, one.position])).toEqual([
        ['i1', -1],
        ['i2', 0],
      ]);
      expect(value.items[0]).toMatchObject({
        item_type: 'variant',
        label: 'One',
        metadata: { a: [true], z: 1 },
        version: 1,
        created_at: at,
        updated_at: at,
      });
      expect(value.items[0]?.evidence.map((cell) => cell.rule_uid)).toEqual(['rule_c', 'rule_a']);
      expect(value.items[0]?.evidence[1]).toEqual({
        item_uid: 'i1',
        rule_uid: 'rule_a',
        raw_outcome: 'FALSE',
        matrix_value: 1,
        source_value: '1.37',
        notes: 'checked',
        provenance: { page: 3, doi: 'x' },
        updated_at: at,
        updated_by: 'Local user',
        recorded_by: { kind: 'human', name: 'Local user' },
        revision: 1,
        contested: false,
      });
      expect(value.summary).toEqual({
        items: 2,
        rules: 3,
        recorded: 3,
        unrecorded: 3,
        evidence_present: 1,
        problem_found: 1,
        not_available: 1,
      });
      expect(value.next_cursor).toBeNull();
    });

    test('V3 V4 omitted fields stay, null clears, and what is displayed already is not written', async () => {
      const { newCase, record, page, agent, ports, store, account } = get();
      await newCase('e2');
      await record({
        case_uid: 'e2',
        items: [item('i', { label: 'L' })],
        outcomes: [
          outcome('i', 'rule_a', 'TRUE', {
            source_value: 's',
            notes: 'n',
            provenance: { b: 1, a: 2 },
          }),
        ],
      });
      const before = (await store.read((r) => r.log.positions(account, undefined))).cases.find(
        (one) => one.case_uid === 'e2',
      )?.seq;
      expect(
        await record({
          case_uid: 'e2',
          items: [item('i', { label: 'L' })],
          outcomes: [
            { item_uid: 'i', rule_uid: 'rule_a', raw_outcome: 'TRUE', provenance: { a: 2, b: 1 } },
          ],
        }),
      ).toMatchObject({ items_updated: 0, outcomes_written: 0, outcomes_unchanged: 1 });
      expect(
        (await store.read((r) => r.log.positions(account, undefined))).cases.find(
          (one) => one.case_uid === 'e2',
        )?.seq,
      ).toBe(before);
      ports.advance(1_000);
      expect(
        await record(
          { case_uid: 'e2', outcomes: [{ item_uid: 'i', rule_uid: 'rule_a', source_value: null }] },
          agent,
        ),
      ).toMatchObject({ outcomes_written: 1 });
      const [cell] = (await page('e2')).value().items[0]?.evidence ?? [];
      expect(cell).toMatchObject({
        raw_outcome: 'TRUE',
        source_value: null,
        notes: 'n',
        provenance: { a: 2, b: 1 },
        revision: 2,
        updated_by: 'Robot',
        updated_at: new Date(ports.clock.now()).toISOString(),
      });
      await record({
        case_uid: 'e2',
        items: [item('i', { label: 'M' })],
        outcomes: [
          { item_uid: 'i', rule_uid: 'rule_a', raw_outcome: null, notes: null, provenance: null },
        ],
      });
      const value = (await page('e2')).value();
      expect(value.items[0]).toMatchObject({ label: 'M', version: 2, evidence: [] });
      expect(value.summary).toMatchObject({ recorded: 0, unrecorded: 3 });
    });

    test('V3 another outcome starts without the proof of the one before; notes stay, and a proof stays with its outcome', async () => {
      const { newCase, record, page, agent } = get();
      await newCase('e2b');
      const shown = async () => (await page('e2b')).value().items[0]?.evidence[0];
      const proof = { source_value: 'p.3', provenance: { zebra: 'last', model: 'A' } };
      await record(
        {
          case_uid: 'e2b',
          items: [item('i')],
          outcomes: [outcome('i', 'rule_a', 'FALSE', { ...proof, notes: 'n' })],
        },
        agent,
      );
      expect(
        JSON.stringify((await shown())?.provenance),
        'members in the order in which they were sent',
      ).toBe('{"zebra":"last","model":"A"}');
      await record({
        case_uid: 'e2b',
        outcomes: [outcome('i', 'rule_a', 'FALSE', { source_value: 'p.4' })],
      });
      expect(await shown()).toMatchObject({
        raw_outcome: 'FALSE',
        ...proof,
        source_value: 'p.4',
        notes: 'n',
      });
      expect(
        await record({
          case_uid: 'e2b',
          outcomes: [
            outcome('i', 'rule_a', 'FALSE', { provenance: { model: 'A', zebra: 'last' } }),
          ],
        }),
      ).toMatchObject({ outcomes_unchanged: 1 });
      await record({ case_uid: 'e2b', outcomes: [outcome('i', 'rule_a', 'TRUE')] });
      expect(await shown()).toMatchObject({
        raw_outcome: 'TRUE',
        source_value: null,
        provenance: null,
        notes: 'n',
      });
    });

    test('an outcome without a value for a cell that has none is unchanged', async () => {
      const { newCase, record, cells } = get();
      await newCase('e3');
      expect(
        await record({
          case_uid: 'e3',
          items: [item('i')],
          outcomes: [{ item_uid: 'i', rule_uid: 'rule_a' }, outcome('i', 'rule_b', null)],
        }),
      ).toMatchObject({ items_created: 1, outcomes_written: 0, outcomes_unchanged: 2 });
      expect(await cells('e3')).toEqual([]);
    });

    test('all bad entries are listed and nothing is stored', async () => {
      const { newCase, record, store, account } = get();
      await newCase('e4');
      const error = await refusal(
        record({
          case_uid: 'e4',
          items: [item('i'), item('i')],
          outcomes: [
            outcome('i', 'rule_a', 'TRUE'),
            outcome('nowhere', 'rule_a', 'TRUE'),
            outcome('i', 'rule_x', 'TRUE'),
          ],
        }),
      );
      expect(error.code).toBe('validation_failed');
      expect(error.details.map(({ path, code }) => [path, code])).toEqual([
        ['/items/1/item_uid', 'duplicate_item'],
        ['/outcomes/1/item_uid', 'unknown_item'],
        ['/outcomes/2/rule_uid', 'unknown_rule'],
      ]);
      const twice = await refusal(
        record({
          case_uid: 'e4',
          items: [item('i')],
          outcomes: [outcome('i', 'rule_a', 'TRUE'), outcome('i', 'rule_a', 'FALSE')],
        }),
      );
      expect(twice.details).toMatchObject([{ path: '/outcomes/1', code: 'duplicate_outcome' }]);
      const many = await refusal(
        record({
          case_uid: 'e4',
          outcomes: Array.from({ length: 70 }, (_, index) =>
            outcome(`none-${index}`, 'rule_a', 'TRUE'),
          ),
        }),
      );
      expect(many.details).toHaveLength(70);
      expect(
        (
          await store.read((r) =>
            r.evidence.page(
              account,
              {
                case_uid: asCase('e4'),
                profile_uid: SHIPPED.profileUid,
                profile_version: undefined,
              },
              FIRST_PAGE,
            ),
          )
        ).value().items,
      ).toEqual([]);
      expect((await store.read((r) => r.cases.get(account, asCase('e4'))))?.profile_uid).toBeNull();
    });

    test('unknown cases and profiles, and those of another account, are not found', async () => {
      const { newCase, record, stranger, store } = get();
      await newCase('e5');
      expect((await refusal(record({ case_uid: 'nowhere' }))).code).toBe('not_found');
      expect((await refusal(record({ case_uid: 'e5', profile_uid: 'no_such_profile' }))).code).toBe(
        'not_found',
      );
      expect((await refusal(record({ case_uid: 'e5' }, stranger))).code).toBe('not_found');
      expect(
        (
          await refusal(
            store.read((r) =>
              r.evidence.page(
                stranger.account_id,
                {
                  case_uid: asCase('e5'),
                  profile_uid: SHIPPED.profileUid,
                  profile_version: undefined,
                },
                FIRST_PAGE,
              ),
            ),
          )
        ).code,
      ).toBe('not_found');
    });

    test('the first evidence chooses the profile; its version is the default from then on', async () => {
      const { newCase, record, store, human, account } = get();
      await newCase('e6');
      for (const version of ['1.0', '2.0']) {
        const document = profile('growing_profile', version, ['rule_a']);
        if (version === '2.0')
          await record({
            case_uid: 'e6',
            profile_uid: 'growing_profile',
            items: [item('i')],
            outcomes: [outcome('i', 'rule_a', 'TRUE')],
          });
        await store.transact((w) =>
          w.profileWrites.create(human, document, JSON.stringify(document), true),
        );
      }
      expect(await store.read((r) => r.cases.get(account, asCase('e6')))).toMatchObject({
        profile_uid: 'growing_profile',
        profile_version: '1.0',
        version: 2,
      });
      expect(
        await record({
          case_uid: 'e6',
          profile_uid: 'growing_profile',
          outcomes: [outcome('i', 'rule_a', 'NA')],
        }),
      ).toMatchObject({ profile_version: '1.0' });
      expect(
        await record({
          case_uid: 'e6',
          profile_uid: 'growing_profile',
          profile_version: '2.0',
          outcomes: [outcome('i', 'rule_a', 'FALSE')],
        }),
      ).toMatchObject({ profile_version: '2.0', outcomes_written: 1 });
      const read = (version: string | undefined) =>
        store.read((r) =>
          r.evidence.page(
            account,
            {
              case_uid: asCase('e6'),
              profile_uid: asProfile('growing_profile'),
              profile_version: version,
            },
            FIRST_PAGE,
          ),
        );
      expect((await read(undefined)).value().items[0]?.evidence[0]?.raw_outcome).toBe('NA');
      expect((await read('2.0')).value().items[0]?.evidence[0]?.raw_outcome).toBe('FALSE');
    });

    test('pages of items show each row once while rows are added before and after', async () => {
      const { newCase, record, page } = get();
      await newCase('e8');
      await record({
        case_uid: 'e8',
        items: Array.from({ length: 25 }, (_, index) =>
          item(`r${String(index).padStart(2, '0')}`, { position: Math.floor(index / 3) }),
        ),
      });
      const seen: string[] = [];
      let cursor: string | undefined;
      for (let round = 0; ; round += 1) {
        const { value } = await page('e8', { limit: 7, cursor });
        const { items, next_cursor } = value();
        seen.push(...items.map((one) => one.item_uid));
        if (next_cursor === null) break;
        cursor = next_cursor;
        await record({
          case_uid: 'e8',
          items: [item(`before-${round}`, { position: -5 }), item(`after-${round}`)],
        });
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((uid) => uid.startsWith('r'))).toEqual(
        Array.from({ length: 25 }, (_, index) => `r${String(index).padStart(2, '0')}`),
      );
      expect((await refusal(page('e8', { limit: 7, cursor: 'zzz' }))).code).toBe('invalid_query');
    });

    test('a request of 10,000 cells in 2,001-entry gestures keeps counts and order', async () => {
      const { newCase, record, store, account } = get();
      await newCase('e9');
      const items = Array.from({ length: 3_400 }, (_, index) => item(`x${index}`));
      const outcomes = items
        .flatMap((one, index) =>
          RULES.map((rule) => outcome(one.item_uid, rule, index % 2 === 0 ? 'TRUE' : 'FALSE')),
        )
        .slice(0, 10_000);
      expect(await record({ case_uid: 'e9', items, outcomes })).toMatchObject({
        items_created: 3_400,
        outcomes_written: 10_000,
      });
      const first = await store.read((r) =>
        r.evidence.page(
          account,
          { case_uid: asCase('e9'), profile_uid: SHIPPED.profileUid, profile_version: undefined },
          { limit: 200, cursor: undefined },
        ),
      );
      expect(first.value().summary).toMatchObject({
        items: 3_400,
        recorded: 10_000,
        unrecorded: 200,
      });
      expect(first.value().items.map((one) => one.item_uid)).toEqual(
        items.slice(0, 200).map((one) => one.item_uid),
      );
      expect(
        await record({
          case_uid: 'e9',
          outcomes: outcomes.map((one) => ({ ...one, raw_outcome: 'NA' as const })),
        }),
      ).toMatchObject({ outcomes_written: 10_000 });
      expect(
        (
          await store.read((r) =>
            r.evidence.page(
              account,
              {
                case_uid: asCase('e9'),
                profile_uid: SHIPPED.profileUid,
                profile_version: undefined,
              },
              { limit: 1, cursor: undefined },
            ),
          )
        ).value().summary.not_available,
      ).toBe(10_000);
    });

    test('concurrent writers of one case lose nothing', async () => {
      const { newCase, record, cells } = get();
      await newCase('e10');
      await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          record({
            case_uid: 'e10',
            items: [item(`p${index}`)],
            outcomes: [outcome(`p${index}`, 'rule_a', 'TRUE')],
          }),
        ),
      );
      expect((await cells('e10')).sort()).toEqual(
        Array.from({ length: 8 }, (_, index) => `p${index}/rule_a=TRUE`),
      );
    });
  });

  describe('history', () => {
    test('has the steps of a cell newest first, with what each author saw, by pages', async () => {
      const { newCase, record, agent, store, account, stranger } = get();
      await newCase('h1');
      await record({
        case_uid: 'h1',
        items: [item('i')],
        outcomes: [outcome('i', 'rule_a', 'TRUE', { notes: 'first' })],
      });
      await record(
        { case_uid: 'h1', outcomes: [outcome('i', 'rule_a', 'FALSE')], reason: 'read again' },
        agent,
      );
      await record({
        case_uid: 'h1',
        outcomes: [outcome('i', 'rule_a', 'FALSE', { notes: null })],
      });
      const query = {
        case_uid: asCase('h1'),
        profile_uid: SHIPPED.profileUid,
        profile_version: undefined,
        item_uid: 'i',
        rule_uid: 'rule_a',
      };
      const { data } = await store.read((r) => r.evidence.history(account, query, FIRST_PAGE));
      expect(
        data.map(({ field, old, new: now, by, kind, reason, current }) => [
          field,
          old,
          now,
          by,
          kind,
          reason,
          current,
        ]),
      ).toEqual([
        ['notes', 'first', null, 'Local user', 'human', null, true],
        [
          'outcome',
          { raw_outcome: 'TRUE' },
          { raw_outcome: 'FALSE' },
          'Robot',
          'agent',
          'read again',
          true,
        ],
        ['notes', null, 'first', 'Local user', 'human', null, false],
        ['outcome', null, { raw_outcome: 'TRUE' }, 'Local user', 'human', null, false],
      ]);
      const one = await store.read((r) =>
        r.evidence.history(account, query, { limit: 3, cursor: undefined }),
      );
      const two = await store.read((r) =>
        r.evidence.history(account, query, { limit: 3, cursor: one.next_cursor ?? undefined }),
      );
      expect([...one.data, ...two.data]).toEqual(data);
      expect(two.next_cursor).toBeNull();
      expect(
        (
          await store.read((r) =>
            r.evidence.history(account, { ...query, item_uid: 'none' }, FIRST_PAGE),
          )
        ).data,
      ).toEqual([]);
      expect(
        (
          await refusal(
            store.read((r) => r.evidence.history(stranger.account_id, query, FIRST_PAGE)),
          )
        ).code,
      ).toBe('not_found');
    });
  });
}
