import { describe, expect, test } from 'vitest';
import type { CaseSort } from '../../../src/shared/contract/v1/cases.ts';
import type { RecordState } from '../../../src/shared/contract/v1/housekeeping.ts';
import { entryName } from '../../../src/sync/change.ts';
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
import type { ProjectId } from '../../../src/shared/contract/ids.ts';
import { asCase, asProfile, asRun, asStream } from '../../support/ids.ts';

const LATER = '01ff00000000-0000';
const ALL = { limit: 200, cursor: undefined };

/** What is archived, deleted, hidden and duplicated, and how it comes back. */
export function housekeepingTests(get: () => World): void {
  const move = (uid: string, state: RecordState, reason?: string) =>
    get().store.transact((w) =>
      w.caseWrites.setState(get().human, asCase(uid), { state, reason }, undefined),
    );
  const listed = async (project_id: ProjectId | undefined, state?: 'active' | 'archived') =>
    (
      await get().store.read((r) => r.cases.list(get().account, { project_id, state }, ALL))
    ).data.map(({ case_uid }) => case_uid);
  const project = async (name: string): Promise<ProjectId> =>
    (await get().store.transact((w) => w.projectWrites.upsert(get().human, { name }, undefined)))
      .record.project_id;
  const push = (stream: string, ...changes: ReturnType<typeof foreignChange>[]) =>
    get().store.transact((w) =>
      w.log.push(get().human, asStream(stream), changes.map(wire), undefined),
    );
  const filled = async (uid: string, projectId?: ProjectId): Promise<void> => {
    await get().newCase(uid, get().human, projectId);
    await get().record({
      case_uid: uid,
      items: [item('a', { label: 'First' }), item('b')],
      outcomes: [
        outcome('a', 'rule_a', 'TRUE', { provenance: 'page 4', notes: 'seen' }),
        outcome('b', 'rule_b', 'FALSE', { source_value: '0/1' }),
      ],
    });
  };

  describe('housekeeping', () => {
    test('an archived case leaves the lists, is read and recorded as before, and comes back', async () => {
      const { account, record, cells, store } = get();
      const id = await project('Archive');
      await filled('shelved', id);
      await filled('kept', id);
      expect(await move('shelved', 'archived', 'closed')).toMatchObject({
        state: 'archived',
        before: 'active',
        archived: true,
      });
      expect([await listed(id), await listed(id, 'archived')]).toEqual([['kept'], ['shelved']]);
      await record({ case_uid: 'shelved', outcomes: [outcome('a', 'rule_b', 'NA')] });
      expect(await cells('shelved')).toHaveLength(3);
      expect(await store.read((r) => r.cases.get(account, asCase('shelved')))).toMatchObject({
        archived: true,
      });
      const { version } = await move('shelved', 'active');
      expect(await listed(id)).toEqual(['shelved', 'kept']);
      expect((await move('shelved', 'active')).version).toBe(version);
    });

    test('a deleted case is hidden with its evidence and restored whole, as archived as it was', async () => {
      const { account, cells, store, projectId } = get();
      await filled('gone-1');
      const before = await cells('gone-1');
      await move('gone-1', 'archived');
      await move('gone-1', 'deleted', 'made twice');
      expect(await listed(projectId)).not.toContain('gone-1');
      expect(
        (
          await store.read((r) => r.cases.deleted(account, { project_id: projectId }, ALL))
        ).data.find(({ case_uid }) => case_uid === 'gone-1'),
      ).toMatchObject({ deletion: { reason: 'made twice' }, archived: true });
      expect(await move('gone-1', 'archived')).toMatchObject({ before: 'deleted', archived: true });
      expect(await cells('gone-1')).toEqual(before);
    });

    test('V15 an edit made elsewhere stands beside an archive and a deletion made here', async () => {
      const { cells } = get();
      await filled('apart');
      await move('apart', 'archived');
      await push(
        'apart',
        foreignChange('apart', [set(cellReg('b', 'rule_c'), { raw_outcome: 'NA' })]),
      );
      expect(await cells('apart')).toContain('b/rule_c=NA');
      await move('apart', 'deleted', 'by mistake');
      await push(
        'apart',
        foreignChange('apart', [set(cellReg('a', 'rule_c'), { raw_outcome: 'NA' })]),
      );
      await move('apart', 'active');
      expect(await cells('apart')).toEqual(
        expect.arrayContaining(['a/rule_c=NA', 'b/rule_c=NA', 'a/rule_a=TRUE']),
      );
    });

    test('V15 who archives and who does not, apart from each other, disagree until somebody decides', async () => {
      const { account, store } = get();
      await filled('disagreed');
      await move('disagreed', 'archived');
      await push(
        'disagreed',
        foreignChange('disagreed', [set('case/archived', false)], { hlc: LATER }),
      );
      const contested = () =>
        store.read((r) => r.cases.contestedFields(account, asCase('disagreed')));
      expect((await contested()).map(({ field }) => field)).toEqual(['archived']);
      expect(await move('disagreed', 'archived', 'closed')).toMatchObject({ before: 'active' });
      expect(await contested()).toEqual([]);
    });

    test('S7 an archive by push is shown; what is no flag is kept aside', async () => {
      const { account, store } = get();
      await filled('told');
      const { results } = await push(
        'told',
        foreignChange('told', [set('case/archived', true)]),
        foreignChange('told', [set('case/archived', 'yes')]),
      );
      expect(results.map(({ quarantined }) => quarantined)).toEqual([[], [0]]);
      expect((await store.read((r) => r.cases.get(account, asCase('told'))))?.archived).toBe(true);
    });

    test('a deleted project is hidden with its cases, and both come back', async () => {
      const { account, human, store, record } = get();
      const id = await project('Hidden with its cases');
      await filled('inside', id);
      const setProject = (state: RecordState, reason?: string) =>
        store.transact((w) => w.projectWrites.setState(human, id, { state, reason }, undefined));
      const names = async (state: RecordState) =>
        (await store.read((r) => r.projects.list(account, ALL, { state }))).data.map(
          ({ project_id }) => project_id,
        );
      for (const state of ['archived', 'deleted'] as const) {
        await setProject(state, 'closed');
        expect(await names('active')).not.toContain(id);
        expect(await names(state)).toContain(id);
        expect(await listed(undefined)).not.toContain('inside');
        expect(await listed(id)).toEqual(['inside']);
      }
      await record({ case_uid: 'inside', outcomes: [outcome('a', 'rule_b', 'NA')] });
      expect(await setProject('active')).toMatchObject({ before: 'deleted', state: 'active' });
      expect(await names('active')).toContain(id);
      expect(await listed(undefined)).toContain('inside');
      expect(
        await refusal(
          store.transact(
            (w) => w.projectWrites.setState(get().stranger, id, { state: 'active' }, undefined),
            get().stranger.account_id,
          ),
        ),
      ).toMatchObject({ code: 'not_found' });
    });

    test('a duplicate says whose evidence it holds and where it is from', async () => {
      const { agent, human, page, record, store } = get();
      await filled('original');
      await record({ case_uid: 'original', outcomes: [outcome('b', 'rule_a', 'NA')] }, agent);
      const duplicate = (copy: 'fields' | 'items' | 'evidence', uid: string) =>
        store.transact((w) =>
          w.evidenceWrites.duplicate(human, asCase('original'), { case_uid: asCase(uid), copy }),
        );
      const made = await duplicate('evidence', 'copy-1');
      expect(made).toMatchObject({
        case: { title: 'original (copy)', profile_uid: SHIPPED.profileUid },
        copied_from: 'original',
        items: 2,
        outcomes: 3,
        conflicts: 0,
        recorded_by: [
          { kind: 'human', name: human.user_name, outcomes: 2 },
          { kind: 'agent', name: 'Robot', outcomes: 1 },
        ],
      });
      const [first, second] = (await page('copy-1')).value().items;
      expect(first).toMatchObject({
        label: 'First',
        evidence: [
          {
            raw_outcome: 'TRUE',
            notes: 'seen',
            provenance: { source: 'page 4', copied_from: 'original' },
          },
        ],
      });
      expect(second?.evidence.find(({ rule_uid }) => rule_uid === 'rule_a')).toMatchObject({
        recorded_by: { kind: 'human' },
        provenance: { first_recorded_by: 'Robot', first_recorded_kind: 'agent' },
      });
      expect(await duplicate('items', 'copy-2')).toMatchObject({ items: 2, outcomes: 0 });
      expect(await duplicate('fields', 'copy-3')).toMatchObject({ items: 0, outcomes: 0 });
      for (const taken of ['original', 'copy-3'])
        expect(await refusal(duplicate('fields', taken))).toMatchObject({ code: 'conflict' });
    });

    test('V6 items are removed with what was seen of them; what others wrote is listed, and they come back whole', async () => {
      const { account, cells, human, store } = get();
      await filled('rows');
      const setItems = (uids: string[], state: 'active' | 'deleted') =>
        store.transact((w) =>
          w.evidenceWrites.setItemsState(human, asCase('rows'), { item_uids: uids, state }),
        );
      expect(await refusal(setItems(['a', 'nowhere'], 'deleted'))).toMatchObject({
        code: 'validation_failed',
        details: [{ path: '/item_uids/1', code: 'unknown_item' }],
      });
      expect(await setItems(['a', 'a'], 'deleted')).toMatchObject({ changed: 1, unchanged: 0 });
      expect(await setItems(['a'], 'deleted')).toMatchObject({ changed: 0, unchanged: 1 });
      expect(await cells('rows')).toEqual(['b/rule_b=FALSE']);
      const beneath = async (): Promise<number> =>
        (
          await store.read((r) =>
            r.cases.contested(account, { project_id: undefined, cases: [asCase('rows')] }, ALL),
          )
        ).data[0]?.beneath ?? 0;
      expect(await beneath()).toBe(0);
      await push(
        'rows',
        foreignChange('rows', [set(cellReg('a', 'rule_c'), { raw_outcome: 'NA' })]),
      );
      expect(await beneath()).toBe(1);
      expect(await setItems(['a'], 'active')).toMatchObject({ changed: 1 });
      expect(await cells('rows')).toEqual(['a/rule_c=NA', 'a/rule_a=TRUE', 'b/rule_b=FALSE']);
    });

    test('V15 a hidden run leaves the list, opens as before, and is shown again; a hidden one may come later', async () => {
      const { account, human, store } = get();
      await filled('hides-runs');
      for (const run of ['run-a', 'run-b'])
        await store.transact((w) =>
          w.runWrites.create(human, {
            case_uid: asCase('hides-runs'),
            profile_uid: SHIPPED.profileUid,
            run_uid: asRun(run),
          }),
        );
      const runs = async (state?: 'shown' | 'hidden') =>
        (
          await store.read((r) =>
            r.runs.list(
              account,
              {
                case_uid: asCase('hides-runs'),
                project_id: undefined,
                profile_uid: undefined,
                state,
              },
              FIRST_PAGE,
            ),
          )
        ).data.map(({ run_uid, hidden }) => [run_uid, hidden === true]);
      const setRun = (state: 'shown' | 'hidden') =>
        store.transact((w) => w.runWrites.setState(human, asRun('run-a'), { state, reason: 'r' }));
      expect(await setRun('hidden')).toBe(true);
      expect(await setRun('hidden')).toBe(false);
      expect([await runs(), await runs('hidden')]).toEqual([[['run-b', false]], [['run-a', true]]]);
      expect(await store.read((r) => r.runs.get(account, asRun('run-a')))).toBeDefined();
      await setRun('shown');
      expect(await runs()).toHaveLength(2);
      await push('hides-runs', foreignChange('hides-runs', [set('hidden/run-later', true)]));
      await store.transact((w) =>
        w.runWrites.create(human, {
          case_uid: asCase('hides-runs'),
          profile_uid: SHIPPED.profileUid,
          run_uid: asRun('run-later'),
        }),
      );
      expect(await runs('hidden')).toEqual([['run-later', true]]);
    });

    test('V15 a retired profile is marked, kept by its cases, and offered again', async () => {
      const { account, human, record, store, newCase } = get();
      const own = profile('to_retire', '1.0', ['rule_x']);
      await store.transact((w) => w.profileWrites.create(human, own, JSON.stringify(own), false));
      const marks = async (state?: 'active' | 'retired') =>
        (
          await store.read((r) =>
            r.profiles.list(account, ALL, { profile_uid: own.profileUid, state }),
          )
        ).data.map(({ retired }) => retired === true);
      const setProfile = (state: 'active' | 'retired') =>
        store.transact((w) => w.profileWrites.setState(human, own.profileUid, { state }));
      expect(await setProfile('retired')).toBe(true);
      expect([await marks(), await marks('active'), await marks('retired')]).toEqual([
        [true],
        [],
        [true],
      ]);
      await newCase('of-retired');
      await record({
        case_uid: 'of-retired',
        profile_uid: 'to_retire',
        items: [item('i')],
        outcomes: [outcome('i', 'rule_x', 'TRUE')],
      });
      await push(
        '@profiles',
        foreignChange('@profiles', [set('retired/to_retire', false)], { hlc: LATER }),
      );
      expect(await marks('active')).toEqual([false]);
      expect(await setProfile('retired')).toBe(true);
      expect(await setProfile('active')).toBe(true);
      expect(await marks()).toEqual([false]);
      expect(
        await refusal(
          store.transact((w) =>
            w.profileWrites.setState(human, asProfile('nobodys'), { state: 'retired' }),
          ),
        ),
      ).toMatchObject({ code: 'not_found' });
    });

    test('what is put away and comes back goes the way of its log, whatever the order of arrival', async () => {
      const { account, store } = get();
      const first = foreignChange('travels', [set('case/archived', true)], {
        hlc: '019b76daa800-0001',
      });
      const second = foreignChange(
        'travels',
        [set('case/archived', false, [entryName(first.id, 0)])],
        { hlc: '019b76daa800-0002' },
      );
      await push('travels', second, first);
      expect(
        (await store.read((r) => r.cases.get(account, asCase('travels'))))?.archived,
      ).toBeUndefined();
      expect(await store.read((r) => r.cases.contestedFields(account, asCase('travels')))).toEqual(
        [],
      );
    });

    test('lists say how much is recorded and who wrote last, and what agents did since a moment', async () => {
      const { account, agent, human, ports, record, store } = get();
      const id = await project('Progress');
      await filled('progressing', id);
      await get().newCase('empty', human, id);
      ports.advance(60_000);
      const since = new Date(ports.clock.now()).toISOString();
      await record({ case_uid: 'progressing', outcomes: [outcome('a', 'rule_b', 'NA')] }, agent);
      const { data } = await store.read((r) =>
        r.cases.listWithProgress(
          account,
          { project_id: id, sort: 'active' satisfies CaseSort, order: 'desc' },
          ALL,
        ),
      );
      expect(data).toMatchObject([
        {
          case_uid: 'progressing',
          progress: { items: 2, rules: 3, cells: 6, recorded: 3 },
          last_change: { at: since, by: 'Robot', kind: 'agent' },
        },
        { case_uid: 'empty', progress: null, last_change: { by: human.user_name } },
      ]);
      expect(await store.read((r) => r.cases.activity(account, since, 'agent'))).toEqual([
        {
          case_uid: 'progressing',
          title: 'progressing',
          kind: 'agent',
          by: 'Robot',
          last_at: since,
          changes: 1,
        },
      ]);
      ports.advance(1);
      const now = new Date(ports.clock.now()).toISOString();
      expect(await store.read((r) => r.cases.activity(account, now, undefined))).toEqual([]);
      // Also of a case that has been written to within the minute before.
      await record({ case_uid: 'progressing', outcomes: [outcome('b', 'rule_b', 'NA')] }, agent);
      expect(
        (await store.read((r) => r.cases.activity(account, now, 'agent'))).map(
          (one) => one.last_at,
        ),
      ).toEqual([now]);
    });

    test('a search finds projects, cases, items, runs and rules by a part of their names', async () => {
      const { account, human, store, stranger } = get();
      const id = await project('Needle project');
      await filled('needle-case', id);
      await store.transact((w) =>
        w.evidenceWrites.record(
          human,
          {
            case_uid: asCase('needle-case'),
            profile_uid: SHIPPED.profileUid,
            profile_version: undefined,
            items: [item('n1', { label: 'A NEEDLE item' })],
            outcomes: [],
            reason: undefined,
            itemPath: String,
            outcomePath: String,
          },
          undefined,
        ),
      );
      await store.transact((w) =>
        w.runWrites.create(human, {
          case_uid: asCase('needle-case'),
          profile_uid: SHIPPED.profileUid,
          run_uid: asRun('needle-run'),
        }),
      );
      expect(await store.read((r) => r.cases.search(account, 'needle'))).toEqual([
        { kind: 'project', title: 'Needle project', project_id: id },
        { kind: 'case', title: 'needle-case', case_uid: 'needle-case' },
        {
          kind: 'item',
          title: 'A NEEDLE item',
          item_uid: 'n1',
          case_uid: 'needle-case',
          case_title: 'needle-case',
        },
        { kind: 'run', title: 'needle-run', run_uid: 'needle-run', case_uid: 'needle-case' },
      ]);
      expect(await store.read((r) => r.cases.search(account, 'RULE_C'))).toContainEqual(
        expect.objectContaining({ kind: 'rule', rule_uid: 'rule_c' }),
      );
      expect(
        await store.read((r) => r.cases.search(stranger.account_id, 'needle'), stranger.account_id),
      ).toEqual([]);
    });
  });
}
