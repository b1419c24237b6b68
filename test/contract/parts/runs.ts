import { AccountId, type RunUid } from '../../../src/shared/contract/ids.ts';
import { describe, expect, test } from 'vitest';
import { entryName } from '../../../src/sync/change.ts';
import { verifyRun } from '../../../src/shared/domain/run.ts';
import {
  FIRST_PAGE,
  cellReg,
  foreignChange,
  item,
  outcome,
  refusal,
  set,
  SHIPPED,
  wire,
  type World,
} from '../world.ts';
import { testHasher } from '../../support/hasher.ts';
import { asCase, asProfile, asRun, asStream } from '../../support/ids.ts';

/** Frozen runs. */
export function runTests(get: () => World): void {
  const freeze = (input: {
    case_uid: string;
    run_uid?: RunUid;
    accept_contested?: boolean;
    reason?: string;
    settings?: { prior_alpha?: number };
  }) => {
    const { store, human } = get();
    return store.transact((w) =>
      w.runWrites.create(human, {
        profile_uid: asProfile('shipped_profile'),
        ...input,
        case_uid: asCase(input.case_uid),
      }),
    );
  };

  describe('runs', () => {
    test('freeze the case, verify, and are answered as stored', async () => {
      const { newCase, record, store, account, projectId } = get();
      await newCase('r1');
      await record({
        case_uid: asCase('r1'),
        items: [item('b'), item('a')],
        outcomes: [outcome('a', 'rule_a', 'FALSE', { notes: 'n' }), outcome('b', 'rule_b', 'TRUE')],
      });
      const { record: run, json, created } = await freeze({ case_uid: 'r1' });
      expect(created).toBe(true);
      expect(run).toMatchObject({
        case_uid: 'r1',
        project_id: projectId,
        profile_version: '1.0',
        created_by: 'Local user',
        engine: { name: 'evidence-studio', version: '1.2.3' },
        settings: { prior_alpha: 1, prior_beta: 1, ci_level: 0.95 },
        url: `/studio/runs/${run.run_uid}`,
      });
      expect(run.run_uid).toMatch(/^run_[0-9a-z]{26}$/);
      expect(run.frozen.raw).toEqual([
        [null, null, 'TRUE'],
        [null, 'FALSE', null],
      ]);
      expect(verifyRun(JSON.parse(json), testHasher)).toMatchObject({
        content_hash: { ok: true },
        recomputed: { ok: true },
      });
      expect((await store.read((r) => r.runs.get(account, run.run_uid)))?.json).toBe(json);
      expect(
        await store.read((r) => r.runs.get(AccountId.parse('acc_stranger'), run.run_uid)),
      ).toBeUndefined();
    });

    test('a run_uid again: equal content answers the first run, other content conflicts', async () => {
      const { newCase, record, ports } = get();
      await newCase('r2');
      await record({ case_uid: 'r2', items: [item('a')] });
      const first = await freeze({ case_uid: 'r2', run_uid: asRun('mine') });
      ports.advance(5_000);
      const again = await freeze({ case_uid: 'r2', run_uid: asRun('mine') });
      expect(again).toMatchObject({ created: false, json: first.json });
      expect(
        (
          await refusal(
            freeze({ case_uid: 'r2', run_uid: asRun('mine'), settings: { prior_alpha: 2 } }),
          )
        ).code,
      ).toBe('conflict');
      await record({ case_uid: 'r2', outcomes: [outcome('a', 'rule_a', 'NA')] });
      expect((await refusal(freeze({ case_uid: 'r2', run_uid: asRun('mine') }))).code).toBe(
        'conflict',
      );
    });

    test('need items, a known case and a known profile', async () => {
      const { newCase, store, human } = get();
      await newCase('r3');
      expect((await refusal(freeze({ case_uid: 'r3' }))).code).toBe('empty_matrix');
      expect((await refusal(freeze({ case_uid: 'nowhere' }))).code).toBe('not_found');
      expect(
        (
          await refusal(
            store.transact((w) =>
              w.runWrites.create(human, {
                case_uid: asCase('r3'),
                profile_uid: asProfile('no_such_profile'),
              }),
            ),
          )
        ).code,
      ).toBe('not_found');
    });

    test('D1 V6 an edit beneath a deletion is listed and named by POST /runs until it is accepted or the row is back', async () => {
      const { newCase, record, store, account, human } = get();
      await newCase('beneath');
      await record({
        case_uid: 'beneath',
        items: [item('kept')],
        outcomes: [outcome('kept', 'rule_a', 'FALSE')],
      });
      const made = foreignChange('beneath', [set('item/x/gone', { deleted: false })]);
      const deletion = foreignChange(
        'beneath',
        [set('item/x/gone', { deleted: true, covers: [] }, [entryName(made.id, 0)])],
        { user: 'usr_remover', why: 'not needed' },
      );
      const edit = foreignChange(
        'beneath',
        [set(cellReg('gone', 'rule_a'), { raw_outcome: 'TRUE' })],
        { user: 'usr_writer', why: 'seen' },
      );
      await store.transact((w) =>
        w.log.push(human, asStream('beneath'), [wire(made), wire(edit), wire(deletion)], undefined),
      );
      const asked = {
        case_uid: asCase('beneath'),
        profile_uid: SHIPPED.profileUid,
        profile_version: undefined,
      };
      const listed = await store.read((r) => r.evidence.contested(account, asked, FIRST_PAGE));
      expect(listed.data).toMatchObject([
        {
          item_uid: 'gone',
          rule_uid: 'rule_a',
          field: 'outcome',
          heads: [{ user: 'usr_writer', reason: 'seen', value: { raw_outcome: 'TRUE' } }],
          deletion: { user: 'usr_remover', reason: 'not needed' },
        },
      ]);
      const matrices = await store.read((r) =>
        r.cases.contested(account, { project_id: undefined }, { limit: 200, cursor: undefined }),
      );
      expect(matrices.data.filter(({ case_uid }) => case_uid === 'beneath')).toMatchObject([
        { cells: 1, beneath: 1 },
      ]);
      const run = (extra: object) =>
        store.transact((w) =>
          w.runWrites.create(human, {
            case_uid: asCase('beneath'),
            profile_uid: SHIPPED.profileUid,
            ...extra,
          }),
        );
      expect(await refusal(run({}))).toMatchObject({
        code: 'contested_cells',
        details: [{ code: 'beneath_deletion', message: expect.stringContaining('gone, rule_a') }],
      });
      expect((await refusal(run({ accept_contested: true }))).details).toMatchObject([
        { code: 'reason_missing' },
      ]);
      const { record: frozen } = await run({
        accept_contested: true,
        reason: 'The row is not needed.',
      });
      expect(frozen.frozen.items.map(({ item_uid }) => item_uid)).toEqual(['kept']);
      // Brought back, it counts like any other.
      await record({ case_uid: 'beneath', items: [item('gone')] });
      expect(
        (await store.read((r) => r.evidence.contested(account, asked, FIRST_PAGE))).data,
      ).toEqual([]);
      expect((await run({})).record.frozen.items).toHaveLength(2);
    });

    test('V7 a deleted case is listed with who deleted it, can be read, refuses writes, and comes back whole', async () => {
      const { newCase, record, store, account, human, projectId, page } = get();
      await newCase('taken-away');
      await record({
        case_uid: 'taken-away',
        items: [item('i')],
        outcomes: [outcome('i', 'rule_a', 'FALSE')],
      });
      const late = foreignChange('taken-away', [
        set(cellReg('i', 'rule_b'), { raw_outcome: 'TRUE' }),
      ]);
      const deletion = foreignChange('taken-away', [set('case/x', { deleted: true })], {
        user: 'usr_remover',
        why: 'by mistake',
        hlc: '01ff00000000-0000',
      });
      await store.transact((w) =>
        w.log.push(human, asStream('taken-away'), [wire(deletion), wire(late)], undefined),
      );
      const deleted = await store.read((r) =>
        r.cases.deleted(account, { project_id: projectId }, { limit: 200, cursor: undefined }),
      );
      expect(deleted.data.filter(({ case_uid }) => case_uid === 'taken-away')).toMatchObject([
        { project_id: projectId, deletion: { user: 'usr_remover', reason: 'by mistake' } },
      ]);
      expect((await page('taken-away')).value()).toMatchObject({
        deleted: true,
        summary: { recorded: 2 },
      });
      expect(
        await refusal(record({ case_uid: 'taken-away', outcomes: [outcome('i', 'rule_a', 'NA')] })),
      ).toMatchObject({ code: 'not_found', details: [{ code: 'case_deleted' }] });
      await newCase('taken-away');
      expect((await page('taken-away')).value()).toMatchObject({ summary: { recorded: 2 } });
      expect(
        (
          await store.read((r) =>
            r.cases.deleted(account, { project_id: projectId }, { limit: 200, cursor: undefined }),
          )
        ).data.map(({ case_uid }) => case_uid),
      ).not.toContain('taken-away');
    });

    test('contested cells are refused, or frozen with a reason and listed inside the hash', async () => {
      const { newCase, record, store, human } = get();
      await newCase('r4');
      await record({
        case_uid: 'r4',
        items: [item('a')],
        outcomes: [outcome('a', 'rule_a', 'TRUE')],
      });
      await store.transact((w) =>
        w.log.push(
          human,
          asStream('r4'),
          [wire(foreignChange('r4', [set(cellReg('a', 'rule_a'), { raw_outcome: 'FALSE' })]))],
          undefined,
        ),
      );
      expect((await refusal(freeze({ case_uid: 'r4' }))).code).toBe('contested_cells');
      expect((await refusal(freeze({ case_uid: 'r4', accept_contested: true }))).code).toBe(
        'validation_failed',
      );
      const { record: run } = await freeze({
        case_uid: 'r4',
        accept_contested: true,
        reason: 'deadline',
      });
      expect(run.frozen).toMatchObject({
        contested: [{ item_uid: 'a', rule_uid: 'rule_a' }],
        contested_reason: 'deadline',
      });
    });

    test('contested cells are frozen with what every head says; those that change the result are named', async () => {
      const { newCase, record, store, human } = get();
      await newCase('r5');
      await record({
        case_uid: 'r5',
        items: [item('a'), item('b')],
        outcomes: [
          outcome('a', 'rule_a', 'TRUE', { source_value: 'one' }),
          outcome('b', 'rule_b', 'TRUE', { notes: 'mine' }),
        ],
      });
      const late = { hlc: 'ffff00000000-0000' };
      const changes = [
        foreignChange('r5', [
          set(cellReg('a', 'rule_a'), {
            raw_outcome: 'FALSE',
            source_value: 'two',
            provenance: { page: 2 },
          }),
          set(cellReg('b', 'rule_b'), { raw_outcome: 'NA' }),
        ]),
        foreignChange('r5', [set(cellReg('b', 'rule_b', 'n'), 'theirs')], late),
      ];
      await store.transact((w) => w.log.push(human, asStream('r5'), changes.map(wire), undefined));
      const refused = await refusal(freeze({ case_uid: 'r5' }));
      expect(refused).toMatchObject({
        code: 'contested_cells',
        details: [{ path: '/accept_contested', code: 'material_cell' }],
      });
      expect(refused.message).toContain('2 contested cells are not resolved; 1 of them change');
      expect(refused.details[0]?.message).toMatch(
        /^a, rule_a: shown as (TRUE|FALSE), also recorded as (TRUE|FALSE)\.$/,
      );
      const { record: run, json } = await freeze({
        case_uid: 'r5',
        accept_contested: true,
        reason: 'deadline',
      });
      const [a, b] = run.frozen.contested ?? [];
      expect(a).toMatchObject({ item_uid: 'a', material: true });
      expect(a?.heads?.map((head) => head.source_value).toSorted()).toEqual(['one', 'two']);
      expect(a?.heads?.[0]?.raw_outcome).toBe(run.frozen.raw[0]?.[1]);
      expect(a?.heads?.find((head) => head.source_value === 'two')).toMatchObject({
        entry: `${changes[0]?.id}#0`,
        raw_outcome: 'FALSE',
        provenance: { page: 2 },
      });
      expect(b).toMatchObject({
        item_uid: 'b',
        material: false,
        notes: [{ entry: `${changes[1]?.id}#0`, notes: 'theirs' }, { notes: 'mine' }],
      });
      expect(verifyRun(JSON.parse(json), testHasher)).toMatchObject({
        problems: [],
        content_hash: { ok: true },
        recomputed: { ok: true, differences: [] },
      });
    });

    test('are listed newest first, filtered, without the frozen content', async () => {
      const { store, account, projectId } = get();
      const all = await store.read((r) =>
        r.runs.list(
          account,
          { case_uid: undefined, project_id: projectId, profile_uid: asProfile('shipped_profile') },
          FIRST_PAGE,
        ),
      );
      expect(all.data.map((run) => run.case_uid).filter((uid) => uid !== 'beneath')).toEqual([
        'r5',
        'r4',
        'r2',
        'r1',
      ]);
      expect(all.data[0]).not.toHaveProperty('frozen');
      expect(all.data[0]?.result).not.toHaveProperty('items');
      const first = await store.read((r) =>
        r.runs.list(
          account,
          { case_uid: undefined, project_id: undefined, profile_uid: undefined },
          { limit: 3, cursor: undefined },
        ),
      );
      const second = await store.read((r) =>
        r.runs.list(
          account,
          { case_uid: undefined, project_id: undefined, profile_uid: undefined },
          { limit: 3, cursor: first.next_cursor ?? undefined },
        ),
      );
      expect([...first.data, ...second.data]).toEqual(all.data);
      expect(
        (
          await store.read((r) =>
            r.runs.list(
              account,
              { case_uid: asCase('r2'), project_id: undefined, profile_uid: undefined },
              FIRST_PAGE,
            ),
          )
        ).data,
      ).toHaveLength(1);
    });

    test('never change: the database refuses it, and a run that was altered all the same is an integrity error', async () => {
      const { sql, ownSql, store } = get();
      for (const statement of [
        `UPDATE runs SET case_uid = 'x'`,
        'DELETE FROM runs',
        'DELETE FROM changes',
        `UPDATE changes SET why = 'x'`,
        `UPDATE profiles SET document = '{}'`,
        'UPDATE run_contents SET reproduced = 0',
        'UPDATE blobs SET copy = 1',
      ])
        await expect(ownSql(statement)).rejects.toThrow(/never changed|permission denied/);
      const strangers = `(SELECT account FROM accounts WHERE account_id = 'acc_stranger')`;
      // A manifest without its blobs, as damage to the file would leave it.
      await sql(
        `INSERT INTO run_contents (account, content_hash, packed, reproduced)
          SELECT ${strangers}, content_hash, packed, 1 FROM run_contents LIMIT 1`,
      );
      await sql(`INSERT INTO runs (account, run_pk, run_uid, case_uid, project_id, profile_uid,
          profile_version, content_hash, entry, created_at)
        SELECT ${strangers}, 1, 'forged', case_uid, project_id, profile_uid, profile_version,
          content_hash, entry, created_at FROM runs
        WHERE content_hash IN
          (SELECT content_hash FROM run_contents WHERE account = ${strangers})`);
      expect(
        (
          await refusal(
            store.read(
              (r) => r.runs.get(AccountId.parse('acc_stranger'), asRun('forged')),
              AccountId.parse('acc_stranger'),
            ),
          )
        ).code,
      ).toBe('integrity_error');
    });
  });
}
