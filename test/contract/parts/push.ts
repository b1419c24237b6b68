import type { AccountId } from '../../../src/shared/contract/ids.ts';
import { describe, expect, test } from 'vitest';
import type { FieldSettling } from '../../../src/shared/contract/v1/contested.ts';
import { MAX_ITEMS } from '../../../src/shared/contract/v1/evidence.ts';
import { type Change, entryName } from '../../../src/sync/change.ts';
import { freshLink } from '../../../src/sync/link.ts';
import { verifyChains } from '../../../src/server/audit/verify-audit.ts';
import { testHasher } from '../../support/hasher.ts';
import {
  cellReg,
  FIRST_PAGE,
  foreignChange,
  item,
  outcome,
  refusal,
  set,
  SHIPPED,
  wire,
  type World,
} from '../world.ts';
import { asCase, asStream, asUser } from '../../support/ids.ts';

/** Changes that come from elsewhere. */
export function pushTests(get: () => World): void {
  const push = (caseUid: string, changes: { id: string; change: string }[]) =>
    get().store.transact((w) => w.log.push(get().human, asStream(caseUid), changes, undefined));
  const history = (caseUid: string, itemUid: string) =>
    get().store.read((r) =>
      r.evidence.history(
        get().account,
        {
          case_uid: asCase(caseUid),
          profile_uid: SHIPPED.profileUid,
          profile_version: undefined,
          item_uid: itemUid,
          rule_uid: 'rule_a',
        },
        FIRST_PAGE,
      ),
    );

  describe('push', () => {
    test('I3 L4 the same batch again is answered as duplicates and changes nothing', async () => {
      const { newCase, cells } = get();
      await newCase('p1');
      const a = foreignChange('p1', [
        set('item/x/i', { deleted: false }),
        set('item/label/i', 'Label'),
        set(cellReg('i', 'rule_a'), { raw_outcome: 'TRUE' }),
      ]);
      const b = foreignChange('p1', [
        set(cellReg('i', 'rule_a'), { raw_outcome: 'FALSE', source_value: 's' }, [
          entryName(a.id, 2),
        ]),
      ]);
      const first = await push('p1', [wire(a), wire(a), wire(b)]);
      expect(first.results.map((one) => [one.id, one.status])).toEqual([
        [a.id, 'applied'],
        [a.id, 'duplicate'],
        [b.id, 'applied'],
      ]);
      const again = await push('p1', [wire(b), wire(a)]);
      expect(again.results.map((one) => one.status)).toEqual(['duplicate', 'duplicate']);
      expect(again.position).toEqual(first.position);
      expect(await cells('p1')).toEqual(['i/rule_a=FALSE']);
    });

    test('texts of a change that nothing checks may hold what a database cannot store, and its bytes stay', async () => {
      const { newCase, store, account } = get();
      await newCase('p-nul');
      const change = foreignChange(
        'p-nul',
        [set(cellReg('i', 'rule_a'), { raw_outcome: 'TRUE' }, ['\0#0'])],
        { why: 'be\0cause', agent: 'Ro\0bot', key: 'k\0', name: 'N\0' },
      );
      expect((await push('p-nul', [wire(change)])).results).toMatchObject([{ status: 'applied' }]);
      expect((await history('p-nul', 'i')).data).toMatchObject([
        { by: 'Ro\u2400bot', reason: 'be\u2400cause', key_id: 'k\u2400' },
      ]);
      const { changes } = await store.read((r) =>
        r.log.changes(account, asStream('p-nul'), 0, 100, undefined),
      );
      expect(changes.at(-1)?.change).toBe(change.text);
      expect(
        (await verifyChains(store, testHasher)).problems.filter(({ log }) => log === 'p-nul'),
      ).toEqual([]);
    });

    test('I6 I8 two writers who did not see each other contest the cell until a resolve names both', async () => {
      const { newCase, record, cells } = get();
      await newCase('p2');
      await record({ case_uid: 'p2', items: [item('i')] });
      const a = foreignChange('p2', [set(cellReg('i', 'rule_a'), { raw_outcome: 'TRUE' })], {
        hlc: '019b76daa800-0001',
      });
      const b = foreignChange('p2', [set(cellReg('i', 'rule_a'), { raw_outcome: 'FALSE' })], {
        hlc: '019b76daa800-0002',
      });
      await push('p2', [wire(b), wire(a)]);
      expect(await cells('p2')).toEqual(['i/rule_a=FALSE!']);
      // I7: a plain write cites the displayed head alone.
      await record({ case_uid: 'p2', outcomes: [outcome('i', 'rule_a', 'NA')] });
      expect(await cells('p2')).toEqual(['i/rule_a=NA!']);
      const current = (await history('p2', 'i')).data
        .filter((step) => step.current)
        .map((step) => step.entry);
      expect(current).toHaveLength(2);
      const resolve = foreignChange(
        'p2',
        [
          {
            op: 'resolve',
            parents: current,
            reg: cellReg('i', 'rule_a'),
            value: { raw_outcome: 'TRUE' },
          },
        ],
        { why: 'looked it up', hlc: '000000000001-0000' },
      );
      await push('p2', [wire(resolve)]);
      expect(await cells('p2')).toEqual(['i/rule_a=TRUE']);
      expect(
        (await history('p2', 'i')).data.filter((step) => step.current).map((step) => step.entry),
      ).toEqual([entryName(resolve.id, 0)]);
      expect((await history('p2', 'i')).data).toHaveLength(4);
    });

    test('what is contested is listed with every writing and its author, also where an undo has brought it back (H7)', async () => {
      const { newCase, record, store, account, stranger } = get();
      const list = (limit: number, cursor?: string, of = account) =>
        store.read((r) =>
          r.evidence.contested(
            of,
            {
              case_uid: asCase('p11'),
              profile_uid: SHIPPED.profileUid,
              profile_version: undefined,
            },
            { limit, cursor },
          ),
        );
      await newCase('p11');
      await record({ case_uid: 'p11', items: [item('i'), item('j')] });
      const writes = (value: unknown, restores?: (reg: string) => string) =>
        ['i', 'j'].map((uid) => ({
          ...set(cellReg(uid, 'rule_a'), value),
          ...(restores === undefined ? {} : { restores: restores(cellReg(uid, 'rule_a')) }),
        }));
      const a = foreignChange(
        'p11',
        [...writes({ raw_outcome: 'TRUE' }), set('item/label/i', 'one')],
        { hlc: '019b76daa800-0001', why: 'read' },
      );
      const b = foreignChange(
        'p11',
        [...writes({ raw_outcome: 'FALSE' }), set('item/label/i', 'two')],
        { hlc: '019b76daa800-0002' },
      );
      // Equal outcome and source: nothing to review.
      const c = ['x', 'y'].map((page) =>
        wire(
          foreignChange('p11', [
            set(cellReg('i', 'rule_b'), { raw_outcome: 'NA', provenance: page }),
          ]),
        ),
      );
      await push('p11', [wire(a), wire(b), ...c]);
      const first = await list(2);
      expect(
        first.data.map(({ item_uid, rule_uid, field }) => [item_uid, rule_uid, field]),
      ).toEqual([
        ['i', 'rule_a', 'outcome'],
        ['j', 'rule_a', 'outcome'],
      ]);
      expect(first.data[0]?.heads).toMatchObject([
        { displayed: true, value: { raw_outcome: 'FALSE' }, restored: null },
        { displayed: false, value: { raw_outcome: 'TRUE' }, reason: 'read', restored: null },
      ]);
      const second = await list(2, first.next_cursor ?? undefined);
      expect([
        second.data.map(({ item_uid, rule_uid, field, heads }) => [
          item_uid,
          rule_uid,
          field,
          heads.length,
        ]),
        second.next_cursor,
      ]).toEqual([[['i', null, 'label', 2]], null]);
      const names = (uid: string) =>
        first.data.find(({ item_uid }) => item_uid === uid)!.heads.map(({ entry }) => entry);
      const resolve = foreignChange(
        'p11',
        ['i', 'j'].map((uid) => ({
          op: 'resolve',
          parents: names(uid),
          reg: cellReg(uid, 'rule_a'),
          value: { raw_outcome: 'TRUE' },
        })),
        { why: 'looked it up' },
      );
      await push('p11', [wire(resolve)]);
      expect((await list(5)).data.map(({ field }) => field)).toEqual(['label']);
      const back = [a, b].map(({ id, change }) =>
        foreignChange(
          'p11',
          change.entries.slice(0, 2).map((entry, index) => ({
            ...set(entry.reg, entry.value, [entryName(resolve.id, index)]),
            restores: entryName(id, index),
          })),
          { why: 'Undone' },
        ),
      );
      await push('p11', back.map(wire));
      const again = (await list(5)).data.filter(({ field }) => field === 'outcome');
      expect(
        again.map(({ heads }) =>
          heads
            .map(({ value, reason, restored }) => [
              (value as { raw_outcome: string }).raw_outcome,
              reason,
              restored !== null,
            ])
            .sort(),
        ),
      ).toEqual([
        [
          ['FALSE', null, true],
          ['TRUE', 'read', true],
        ],
        [
          ['FALSE', null, true],
          ['TRUE', 'read', true],
        ],
      ]);
      const matrices = (of: AccountId) =>
        store.read((r) => r.cases.contested(of, { project_id: undefined }, FIRST_PAGE));
      expect((await matrices(account)).data.filter(({ case_uid }) => case_uid === 'p11')).toEqual([
        {
          case_uid: 'p11',
          profile_uid: SHIPPED.profileUid,
          profile_version: SHIPPED.version,
          cells: 2,
          beneath: 0,
        },
      ]);
      expect((await matrices(stranger.account_id)).data).toEqual([]);
      expect((await refusal(list(5, undefined, stranger.account_id))).code).toBe('not_found');
    });

    test('V3 two heads that say the same corroborate each other', async () => {
      const { newCase, cells } = get();
      await newCase('p3');
      await push(
        'p3',
        ['x', 'y'].map((page) =>
          wire(
            foreignChange('p3', [
              set(cellReg('i', 'rule_a'), {
                raw_outcome: 'TRUE',
                source_value: 's',
                provenance: { page },
              }),
            ]),
          ),
        ),
      );
      expect(await cells('p3')).toEqual(['i/rule_a=TRUE']);
    });

    test('I9 H1 H2 a child that comes before its parent leaves the same heads', async () => {
      const { newCase, cells } = get();
      await newCase('p4');
      const reg = cellReg('i', 'rule_a');
      const a = foreignChange('p4', [set(reg, { raw_outcome: 'TRUE' })], {
        hlc: '019b76daa800-0009',
      });
      const b = foreignChange('p4', [set(reg, { raw_outcome: 'FALSE' }, [entryName(a.id, 0)])], {
        hlc: '019b76daa800-0001',
      });
      await push('p4', [wire(b)]);
      expect(await cells('p4')).toEqual(['i/rule_a=FALSE']);
      await push('p4', [wire(a)]);
      expect(await cells('p4')).toEqual(['i/rule_a=FALSE']);
      expect((await history('p4', 'i')).data.map((step) => step.current)).toEqual(
        expect.arrayContaining([false, true]),
      );
    });

    test('I12 I16 what this version does not know is stored, forwarded byte for byte, and not applied; its siblings are', async () => {
      const { newCase, store, account, cells } = get();
      await newCase('p5');
      const mixed = foreignChange('p5', [
        set(cellReg('i', 'rule_a'), { raw_outcome: 'TRUE' }),
        set('future/thing/1', { any: 'thing' }),
        set(cellReg('i', 'rule_b'), { raw_outcome: true }),
        set(cellReg('i', 'rule_c'), { raw_outcome: 'TRUE' }, ['c1_x#0', 'c1_y#0']),
      ]);
      const newer = foreignChange('p5', [set(cellReg('i', 'rule_b'), { raw_outcome: 'NA' })], {
        schema: 99,
      });
      const { results } = await push('p5', [wire(mixed), wire(newer)]);
      expect(results.map((one) => [one.status, one.quarantined])).toEqual([
        ['quarantined', [1, 2, 3]],
        ['quarantined', [0]],
      ]);
      expect(await cells('p5')).toEqual(['i/rule_a=TRUE']);
      const log = await store.read((r) => r.log.changes(account, asStream('p5'), 1, 10, undefined));
      expect(log.changes.map((change) => [change.change, change.quarantined])).toEqual([
        [mixed.text, [1, 2, 3]],
        [newer.text, [0]],
      ]);
      expect((await push('p5', [wire(mixed)])).results).toMatchObject([
        { status: 'duplicate', quarantined: [1, 2, 3] },
      ]);
    });

    test('H2 a parent that is another register, out of range or malformed names nothing', async () => {
      const { newCase, cells } = get();
      await newCase('p6');
      const a = foreignChange('p6', [
        set(cellReg('i', 'rule_b'), { raw_outcome: 'TRUE' }),
        set(cellReg('i', 'rule_a'), { raw_outcome: 'TRUE' }),
      ]);
      const wrong = [entryName(a.id, 0), entryName(a.id, 9), a.id].map((parent) =>
        foreignChange('p6', [set(cellReg('i', 'rule_a'), { raw_outcome: 'FALSE' }, [parent])], {
          hlc: '000000000001-0000',
        }),
      );
      await push('p6', [a, ...wrong].map(wire));
      expect(await cells('p6')).toEqual(['i/rule_a=TRUE!', 'i/rule_b=TRUE']);
      expect((await history('p6', 'i')).data.filter((step) => step.current)).toHaveLength(4);
    });

    test('C2 I10 damage refuses the whole push and names the place', async () => {
      const { newCase, store, account } = get();
      await newCase('p7');
      const good = wire(foreignChange('p7', [set('item/x/i', { deleted: false })]));
      const bad = wire(foreignChange('p7', [set('item/x/j', { deleted: false })]));
      const flipped = await refusal(
        push('p7', [good, { ...bad, change: bad.change.replace('item/x/j', 'item/x/k') }]),
      );
      expect([flipped.code, flipped.details[0]?.path]).toEqual(['hash_mismatch', '/changes/1']);
      const other = await refusal(
        push('p7', [good, wire(foreignChange('elsewhere', [set('item/x/i', { deleted: false })]))]),
      );
      expect([other.code, other.details[0]?.path]).toEqual(['validation_failed', '/changes/1']);
      expect(
        (await store.read((r) => r.log.changes(account, asStream('p7'), 0, 10, undefined))).position
          .seq,
      ).toBe(1);
      expect((await refusal(push('nowhere', [good]))).code).toBe('validation_failed');
      expect(await store.read((r) => r.cases.get(account, asCase('nowhere')))).toBeUndefined();
    });

    test('K2 I13 a clock far ahead is not adopted and still decides nothing but display', async () => {
      const { newCase, record, store, account } = get();
      await newCase('p8');
      await push('p8', [
        wire(
          foreignChange('p8', [set(cellReg('i', 'rule_a'), { raw_outcome: 'TRUE' })], {
            hlc: 'ffffffffffff-ffff',
          }),
        ),
      ]);
      await record({ case_uid: 'p8', outcomes: [outcome('i', 'rule_a', 'NA')] });
      expect(await get().cells('p8')).toEqual(['i/rule_a=NA']);
      const { changes } = await store.read((r) =>
        r.log.changes(account, asStream('p8'), 2, 10, undefined),
      );
      expect((JSON.parse(changes.at(-1)?.change ?? '{}') as { hlc: string }).hlc < '02').toBe(true);
    });

    test('V1 V2 case fields apply to an existing case; a deleted item is hidden with its counts and comes back', async () => {
      const { newCase, record, store, account, page } = get();
      await newCase('p9');
      await record({
        case_uid: 'p9',
        items: [item('i'), item('j')],
        outcomes: [outcome('i', 'rule_a', 'TRUE'), outcome('j', 'rule_a', 'FALSE')],
      });
      const { changes } = await store.read((r) =>
        r.log.changes(account, asStream('p9'), 0, 10, undefined),
      );
      const made = changes.flatMap((change) =>
        (JSON.parse(change.change) as { entries: { reg: string }[] }).entries.map(
          (entry, index) => [entry.reg, entryName(change.id, index)] as const,
        ),
      );
      const head = (reg: string): string[] => [made.find(([name]) => name === reg)?.[1] ?? ''];
      await push('p9', [
        wire(
          foreignChange('p9', [
            set('case/title', 'New title', head('case/title')),
            set('item/x/j', { deleted: true }, head('item/x/j')),
          ]),
        ),
      ]);
      expect(await store.read((r) => r.cases.get(account, asCase('p9')))).toMatchObject({
        title: 'New title',
      });
      expect((await page('p9')).value()).toMatchObject({
        items: [{ item_uid: 'i' }],
        summary: { items: 1, recorded: 1, evidence_present: 0, problem_found: 1 },
      });
      expect(
        (await refusal(record({ case_uid: 'p9', outcomes: [outcome('j', 'rule_a', 'NA')] })))
          .details,
      ).toMatchObject([{ code: 'unknown_item' }]);
      expect(await record({ case_uid: 'p9', items: [item('j')] })).toMatchObject({
        items_created: 1,
      });
      expect((await page('p9')).value().summary).toMatchObject({
        items: 2,
        recorded: 2,
        evidence_present: 1,
      });
    });

    test('H7 a contested field of the case is listed with its authors and settled among the heads that were shown', async () => {
      const { newCase, store, account, human, stranger } = get();
      await newCase('p13');
      const fields = (of = account) =>
        store.read((r) => r.cases.contestedFields(of, asCase('p13')));
      const settle = (extra: Partial<FieldSettling>) =>
        store.transact((w) =>
          w.caseWrites.settle(human, asCase('p13'), {
            field: 'title',
            heads: [],
            take: '',
            reason: 'as on the tube',
            ...extra,
          }),
        );
      const [title] = [set('case/title', 'One', [])];
      const one = foreignChange('p13', [title, set('case/metadata', { lot: 1 })], {
        hlc: '019b76daa800-0001',
        user: 'usr_ada',
        name: 'Ada',
        why: 'her list',
      });
      const two = foreignChange('p13', [set('case/title', 'Two'), set('case/description', '')], {
        hlc: '019b76daa800-0002',
        user: 'usr_ben',
        name: 'Ben',
      });
      expect(await fields()).toEqual([]);
      await push('p13', [one, two].map(wire));
      const listed = await fields();
      // The case was made with an empty description: two who say the same corroborate each other.
      expect(
        listed.map(({ field, heads }) => [
          field,
          heads.map(({ value, by, reason }) => [value, by, reason]).sort(),
        ]),
      ).toEqual([
        [
          'title',
          [
            ['One', 'Ada', 'her list'],
            ['Two', 'Ben', null],
            ['p13', 'Local user', null],
          ],
        ],
        [
          'metadata',
          [
            [{ lot: 1 }, 'Ada', 'her list'],
            [{}, 'Local user', null],
          ].sort(),
        ],
      ]);
      const names = listed[0]!.heads.map(({ entry }) => entry);
      expect(
        (await refusal(settle({ heads: names.slice(0, 2), take: names[0]! }))).details,
      ).toMatchObject([{ code: 'other_heads' }]);
      expect(
        (await refusal(settle({ heads: names, take: entryName(two.id, 1) }))).details,
      ).toMatchObject([{ path: '/take' }]);
      const version = (await store.read((r) => r.cases.get(account, asCase('p13'))))!.version;
      expect(await settle({ heads: names, take: entryName(one.id, 0) })).toEqual({
        field: 'title',
        value: 'One',
      });
      expect(await store.read((r) => r.cases.get(account, asCase('p13')))).toMatchObject({
        title: 'One',
        version: version + 1,
      });
      expect((await fields()).map(({ field }) => field)).toEqual(['metadata']);
      const settled = JSON.parse(
        (await store.read((r) => r.log.changes(account, asStream('p13'), 3, 10, undefined)))
          .changes[0]!.change,
      ) as Change;
      expect([settled.entries[0]?.op, settled.entries[0]?.parents, settled.why]).toEqual([
        'resolve',
        names.toSorted(),
        'as on the tube',
      ]);
      expect((await refusal(settle({ heads: names, take: names[0]! }))).details).toMatchObject([
        { code: 'other_heads' },
      ]);
      const writers = (of: AccountId) =>
        store.read((r) =>
          r.evidence.writers(of, asCase('p13'), [
            entryName(two.id, 0),
            entryName(two.id, 9),
            'c1_x#0',
            entryName(one.id, 0),
            entryName(one.id, 0),
          ]),
        );
      expect((await writers(account)).map(({ entry, by, user }) => [entry, by, user])).toEqual([
        [entryName(two.id, 0), 'Ben', 'usr_ben'],
        [entryName(one.id, 0), 'Ada', 'usr_ada'],
      ]);
      for (const ask of [fields, writers])
        expect((await refusal(ask(stranger.account_id))).code).toBe('not_found');
    });

    test('V8 a push beyond the items a case may hold is refused with its place; what a link reads is taken', async () => {
      const { newCase, record, store, account, sql } = get();
      await newCase('p12');
      await record({ case_uid: 'p12', items: [item('i')] });
      await sql(`UPDATE cases SET item_rows = ${MAX_ITEMS - 1} WHERE case_uid = 'p12'`);
      const adds = (uid: string) =>
        wire(
          foreignChange('p12', [
            set(`item/x/${uid}`, { deleted: false }),
            set(cellReg(uid, 'rule_a'), { raw_outcome: 'TRUE' }),
          ]),
        );
      const [last, over] = [adds('last'), adds('over')];
      const known = wire(
        foreignChange('p12', [set(cellReg('i', 'rule_a'), { raw_outcome: 'NA' })]),
      );
      const unreadable = wire(foreignChange('p12', [set('item/colour/j', 'red')]));
      const refused = await refusal(push('p12', [known, last, over]));
      expect([refused.code, refused.message, refused.details]).toEqual([
        'validation_failed',
        'A case holds at most 100000 items. Nothing was stored.',
        [expect.objectContaining({ path: '/changes/2', code: 'too_many_items' })],
      ]);
      expect(
        (await push('p12', [known, last, unreadable])).results.map(({ status }) => status),
      ).toEqual(['applied', 'applied', 'quarantined']);
      expect((await refusal(push('p12', [over]))).details[0]?.code).toBe('too_many_items');
      expect((await push('p12', [known, last])).results.map(({ status }) => status)).toEqual([
        'duplicate',
        'duplicate',
      ]);
      const received = await store.transact((w) =>
        w.log.receive(account, asStream('p12'), {
          changes: [over, adds('more')].map((change) => ({
            ...change,
            actor: asUser('usr_elsewhere'),
          })),
          link: {
            from: undefined,
            to: {
              ...freshLink('boot'),
              epoch: 'theirs',
              verified_at: null,
              verified_seq: 0,
              last_ok: null,
              problem: null,
              state: 'open',
            },
          },
        }),
      );
      expect(received?.results.map(({ status }) => status)).toEqual(['applied', 'applied']);
      await push('p12', [
        wire(foreignChange('p12', [set(cellReg('over', 'rule_b'), { raw_outcome: 'TRUE' })])),
      ]);
      expect(
        await record({
          case_uid: 'p12',
          items: [item('more', { label: 'Later' })],
          outcomes: [outcome('over', 'rule_c', 'NA')],
        }),
      ).toMatchObject({ items_updated: 1, outcomes_written: 1 });
      expect(
        await record({ case_uid: 'p12', outcomes: [outcome('more', 'rule_c', 'NA')] }),
      ).toMatchObject({ outcomes_written: 1 });
      expect(
        (await refusal(record({ case_uid: 'p12', items: [item('yet another')] }))).details[0]?.code,
      ).toBe('too_many_items');
    });

    test('a change of another user is stored as relayed, and its author is shown', async () => {
      const { newCase, human, store, account } = get();
      await newCase('p10');
      const own = foreignChange('p10', [set(cellReg('i', 'rule_a'), { raw_outcome: 'TRUE' })], {
        user: human.user_id,
      });
      const theirs = foreignChange('p10', [set(cellReg('j', 'rule_a'), { raw_outcome: 'TRUE' })], {
        user: 'usr_somebody',
        agent: 'Their robot',
      });
      await push('p10', [wire(own), wire(theirs)]);
      const log = await store.read((r) =>
        r.log.changes(account, asStream('p10'), 1, 10, undefined),
      );
      expect(log.changes.map((change) => change.actor)).toEqual([human.user_id, human.user_id]);
      expect((await history('p10', 'i')).data[0]).toMatchObject({
        by: 'Local user',
        at: '2026-01-01T00:00:00.000Z',
      });
      expect((await history('p10', 'j')).data[0]?.by).toBe('Their robot');
    });
  });
}
