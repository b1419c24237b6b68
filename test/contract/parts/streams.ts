import { describe, expect, test } from 'vitest';
import { type Entry, entryName, type SealedChange } from '../../../src/sync/change.ts';
import { nextChain } from '../../../src/sync/log.ts';
import { testHasher } from '../../support/hasher.ts';
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
import { asCase, asProject, asProfile, asStream } from '../../support/ids.ts';

const announce = (document: ReturnType<typeof profile>): Entry => ({
  op: 'announce',
  parents: [],
  reg: `profile/${document.profileUid}@${document.version}`,
  value: { digest: 'sha256:of the sender', document },
});
const projectId = (name: string): string => `prj_${name.padEnd(26, '0')}`;

/** Records that come as changes: cases, projects and profiles of another store. */
export function streamTests(get: () => World): void {
  const push = (stream: string, ...changes: SealedChange[]) =>
    get().store.transact((w) =>
      w.log.push(get().human, asStream(stream), changes.map(wire), undefined),
    );
  const findCase = (uid: string) =>
    get().store.read((r) => r.cases.get(get().account, asCase(uid)));
  const findProject = (id: string) =>
    get().store.read((r) => r.projects.get(get().account, asProject(id)));
  const caseFields = (uid: string, project: string): Entry[] => [
    set('case/x', { deleted: false }),
    set('case/project_id', project),
    set('case/title', `Title of ${uid}`),
    set('case/case_type', 'trio'),
    set('case/metadata', { a: 1 }),
  ];

  describe('streams by push', () => {
    test('V1 V5 a case, its project and its items come in whatever order, and are the same in the end', async () => {
      const orders = [
        [0, 1, 2, 3],
        [3, 2, 1, 0],
        [2, 0, 3, 1],
      ];
      for (const [nth, order] of orders.entries()) {
        const [uid, project] = [`came-${nth}`, projectId(`came${nth}`)];
        const steps: (() => Promise<unknown>)[] = [
          () => push(uid, foreignChange(uid, caseFields(uid, project))),
          () =>
            push(
              uid,
              foreignChange(uid, [
                set('item/x/i', { deleted: false }),
                set('item/label/i', 'Label'),
                set('item/position/i', 3),
              ]),
            ),
          () =>
            push(uid, foreignChange(uid, [set(cellReg('i', 'rule_a'), { raw_outcome: 'TRUE' })])),
          () =>
            push(
              `@project/${project}`,
              foreignChange(`@project/${project}`, [
                set('project/x', { deleted: false }),
                set('project/name', 'Came'),
                set('project/description', 'from afar'),
                set('project/domain', 'crispr'),
              ]),
            ),
        ];
        for (const step of order) await (steps[step] as () => Promise<unknown>)();
        expect(await findCase(uid)).toMatchObject({
          project_id: project,
          title: `Title of ${uid}`,
          case_type: 'trio',
          metadata: { a: 1 },
        });
        expect(await findProject(project)).toMatchObject({
          name: 'Came',
          description: 'from afar',
          domain: 'crispr',
        });
        expect((await get().page(uid)).value().items).toMatchObject([
          { item_uid: 'i', label: 'Label', position: 3, evidence: [{ raw_outcome: 'TRUE' }] },
        ]);
        expect(
          (
            await get().store.read((r) =>
              r.cases.list(get().account, { project_id: asProject(project) }, FIRST_PAGE),
            )
          ).data.map((one) => one.case_uid),
        ).toEqual([uid]);
      }
    });

    test('V5 until its fields have come a case is found among the unsorted, a project by its id', async () => {
      const { store, account, human } = get();
      await push(
        'bare',
        foreignChange('bare', [set(cellReg('i', 'rule_a'), { raw_outcome: 'NA' })]),
      );
      const bare = await findCase('bare');
      expect(bare).toMatchObject({ title: '', case_type: 'case', version: 1 });
      expect(await findProject(bare?.project_id ?? '')).toMatchObject({ name: 'Unsorted' });
      const later = projectId('later');
      await push('bare', foreignChange('bare', [set('case/project_id', later)]));
      expect(await findCase('bare')).toMatchObject({ project_id: later, version: 2 });
      expect(await findProject(later)).toMatchObject({ name: later, domain: 'general' });
      // Somebody here may say where it belongs.
      await push('bare2', foreignChange('bare2', [set('case/title', 'Bare')]));
      const { record } = await store.transact((w) =>
        w.caseWrites.upsert(
          human,
          { project_id: get().projectId, case_uid: asCase('bare2') },
          undefined,
        ),
      );
      expect(record).toMatchObject({ title: 'Bare', project_id: get().projectId });
      expect(
        (await store.read((r) => r.log.positions(account, undefined))).cases.find(
          (one) => one.case_uid === 'bare',
        ),
      ).toMatchObject({ project_id: later, runs: 0 });
    });

    test('H7 a project that two people named differently: both heads are listed; a resolve or a choice settles it', async () => {
      const id = projectId('contest');
      const stream = `@project/${id}`;
      const made = foreignChange(
        stream,
        [set('project/x', { deleted: false }), set('project/name', 'First')],
        { hlc: '019b76daa800-0001' },
      );
      const a = foreignChange(stream, [set('project/name', 'Mine', [entryName(made.id, 1)])], {
        hlc: '019b76daa800-0002',
      });
      const b = foreignChange(stream, [set('project/name', 'Theirs', [entryName(made.id, 1)])], {
        hlc: '019b76daa800-0003',
      });
      await push(stream, b, a, made);
      expect(await findProject(id)).toMatchObject({ name: 'Theirs' });
      const { store, account, human, stranger } = get();
      const fields = (of = account) =>
        store.read((r) => r.projects.contestedFields(of, asProject(id)));
      const settle = (heads: string[], take: string) =>
        store.transact((w) =>
          w.projectWrites.settle(human, asProject(id), {
            field: 'name',
            heads,
            take,
            reason: 'as in the grant',
          }),
        );
      expect(
        (await fields()).map(({ field, heads }) => [
          field,
          heads.map(({ value, displayed }) => [value, displayed]),
        ]),
      ).toEqual([
        [
          'name',
          [
            ['Theirs', true],
            ['Mine', false],
          ],
        ],
      ]);
      const heads = [entryName(a.id, 0), entryName(b.id, 0)];
      expect(
        (await refusal(settle([heads[0]!, entryName(made.id, 1)], heads[0]!))).details,
      ).toMatchObject([{ code: 'other_heads' }]);
      const version = (await findProject(id))!.version;
      expect(await settle(heads, heads[0]!)).toEqual({ field: 'name', value: 'Mine' });
      expect(await findProject(id)).toMatchObject({ name: 'Mine', version: version + 1 });
      expect(await fields()).toEqual([]);
      expect((await refusal(fields(stranger.account_id))).code).toBe('not_found');
      const c = foreignChange(stream, [set('project/name', 'Another', [entryName(made.id, 1)])], {
        hlc: '019b76daa800-0004',
      });
      await push(stream, c);
      const [contested] = await fields();
      await push(
        stream,
        foreignChange(
          stream,
          [
            {
              op: 'resolve',
              parents: contested!.heads.map(({ entry }) => entry),
              reg: 'project/name',
              value: 'Ours',
            },
          ],
          { why: 'agreed' },
        ),
      );
      expect(await findProject(id)).toMatchObject({ name: 'Ours' });
    });

    test('two projects of one name that were made apart stay two', async () => {
      const { store, human } = get();
      const id = projectId('twin');
      await store.transact((w) => w.projectWrites.upsert(human, { name: 'Twin' }, undefined));
      await push(
        `@project/${id}`,
        foreignChange(`@project/${id}`, [
          set('project/x', { deleted: false }),
          set('project/name', 'Twin'),
        ]),
      );
      const twins = (
        await store.read((r) => r.projects.list(get().account, { limit: 200, cursor: undefined }))
      ).data.filter((one) => one.name === 'Twin');
      expect(new Set(twins.map((one) => one.project_id)).size).toBe(2);
    });

    test('V7 a deleted case is still exchanged, and is there again when somebody says so', async () => {
      const { store, account } = get();
      const made = foreignChange(
        'gone',
        [
          ...caseFields('gone', get().projectId),
          set(cellReg('i', 'rule_a'), { raw_outcome: 'TRUE' }),
        ],
        { hlc: '019b76daa800-0001' },
      );
      const deleted = foreignChange(
        'gone',
        [set('case/x', { deleted: true }, [entryName(made.id, 0)])],
        { hlc: '019b76daa800-0002' },
      );
      await push('gone', made, deleted);
      expect(await findCase('gone')).toBeUndefined();
      expect(
        (await store.read((r) => r.log.changes(account, asStream('gone'), 0, 10, undefined)))
          .changes,
      ).toHaveLength(2);
      await push(
        'gone',
        foreignChange('gone', [set(cellReg('i', 'rule_b'), { raw_outcome: 'NA' })]),
      );
      await push(
        'gone',
        foreignChange('gone', [set('case/x', { deleted: false }, [entryName(deleted.id, 0)])], {
          hlc: '019b76daa800-0003',
        }),
      );
      expect(await get().cells('gone')).toEqual(['i/rule_a=TRUE', 'i/rule_b=NA']);
    });

    test('V12 S4 a profile that is announced is there; other content under its version is kept and listed', async () => {
      const { store, account } = get();
      const first = profile('far_profile', '1.0', ['rule_x']);
      const other = profile('far_profile', '1.0', ['rule_y']);
      const shipped = profile(SHIPPED.profileUid, SHIPPED.version, ['rule_z']);
      const results = await push(
        '@profiles',
        foreignChange('@profiles', [announce(first)]),
        foreignChange('@profiles', [announce(first)]),
        foreignChange('@profiles', [announce(other), announce(shipped)]),
      );
      expect(results.results.map((one) => one.status)).toEqual(['applied', 'applied', 'applied']);
      expect(
        (
          await store.read((r) => r.profiles.get(account, asProfile('far_profile'), '1.0'))
        )?.document.rules.map((rule) => rule.ruleUid),
      ).toEqual(['rule_x']);
      const listed = (
        await store.read((r) => r.profiles.list(account, { limit: 200, cursor: undefined }))
      ).data;
      expect(
        listed.filter((entry) => entry.contested === true).map((entry) => entry.profileUid),
      ).toEqual(['far_profile', 'far_profile']);
      // Shipped names are reserved: what stands under them besides is the account's own, and set
      // aside.
      expect(
        listed
          .filter((entry) => entry.profileUid === SHIPPED.profileUid)
          .map((entry) => [entry.access, entry.set_aside]),
      ).toEqual([
        ['public', undefined],
        ['private', true],
      ]);
      const misnamed = await push(
        '@profiles',
        foreignChange('@profiles', [{ ...announce(first), reg: 'profile/another_name@1.0' }]),
      );
      expect(misnamed.results[0]).toMatchObject({ status: 'quarantined', quarantined: [0] });
    });

    test('S5 S6 I16 what is not understood, or stands in another kind of log, is kept and given on byte for byte', async () => {
      const { store, account } = get();
      const id = projectId('strange');
      const stream = `@project/${id}`;
      const strange = foreignChange(stream, [
        set('weather/today', { rain: [1, 2] }),
        set('case/title', 'not here'),
        set('project/name', 'Strange'),
      ]);
      expect((await push(stream, strange)).results).toMatchObject([
        { status: 'quarantined', quarantined: [0, 1] },
      ]);
      expect(
        (await store.read((r) => r.log.changes(account, asStream(stream), 0, 10, undefined)))
          .changes,
      ).toMatchObject([{ id: strange.id, change: strange.text, quarantined: [0, 1] }]);
      expect(await findProject(id)).toMatchObject({ name: 'Strange' });
      expect(
        (await refusal(push('@weather', foreignChange('@weather', [set('weather/today', 1)]))))
          .code,
      ).toBe('validation_failed');
    });

    test('L7 the author keeps his name, and history tells who sent it', async () => {
      const { store, account, human } = get();
      const named = foreignChange('named', [set(cellReg('i', 'rule_a'), { raw_outcome: 'TRUE' })], {
        user: 'usr_ada',
        name: 'Ada',
      });
      const own = foreignChange(
        'named',
        [set(cellReg('i', 'rule_a'), { raw_outcome: 'NA' }, [entryName(named.id, 0)])],
        { user: human.user_id, name: 'Not my name' },
      );
      await push('named', named, own);
      const history = await store.read((r) =>
        r.evidence.history(
          account,
          {
            case_uid: asCase('named'),
            profile_uid: SHIPPED.profileUid,
            profile_version: undefined,
            item_uid: 'i',
            rule_uid: 'rule_a',
          },
          FIRST_PAGE,
        ),
      );
      expect(history.data.map((step) => [step.by, step.sent_by?.name, step.relayed])).toEqual([
        ['Local user', 'Local user', false],
        ['Ada', 'Local user', true],
      ]);
    });

    test('L1 I10 two connections that write one log at once leave it gapless, and each keeps its own', async () => {
      const { newCase, record, store, account } = get();
      await newCase('both');
      const items = Array.from({ length: 10 }, (_, index) => item(`i${index}`));
      await record({ case_uid: 'both', items });
      const writes = items.flatMap(({ item_uid }) => [
        () => record({ case_uid: 'both', outcomes: [outcome(item_uid, 'rule_a', 'TRUE')] }),
        () =>
          push(
            'both',
            foreignChange('both', [set(cellReg(item_uid, 'rule_b'), { raw_outcome: 'NA' })]),
          ),
        () =>
          push(
            'raced',
            foreignChange('raced', [set(cellReg(item_uid, 'rule_b'), { raw_outcome: 'NA' })]),
          ),
      ]);
      await Promise.all(writes.map((write) => write()));
      for (const [stream, count] of [
        ['both', 22],
        ['raced', 10],
      ] as const) {
        const { changes, position } = await store.read((r) =>
          r.log.changes(account, asStream(stream), 0, 1_000, undefined),
        );
        expect(changes.map(({ seq }) => seq)).toEqual(
          Array.from({ length: count }, (_, index) => index + 1),
        );
        expect(
          changes.reduce((chain, { id }) => nextChain(chain, id, testHasher), '0'.repeat(64)),
        ).toBe(position.chain);
      }
      expect(await get().cells('both')).toHaveLength(20);
      expect(await get().cells('raced')).toHaveLength(10);
    });

    test('L1 I3 two servers on one database that are sent the same changes at once store each of them once', async ({
      skip,
    }) => {
      const { store, account, human, openBeside, newCase } = get();
      skip(store.engine === 'sqlite', 'A file has one server.');
      await newCase('shared');
      const other = await openBeside();
      try {
        const changes = Array.from({ length: 30 }, (_, index) =>
          wire(
            foreignChange('shared', [
              set(cellReg(`i${index % 5}`, 'rule_a'), { raw_outcome: index < 15 ? 'TRUE' : 'NA' }),
            ]),
          ),
        );
        const send = async (to: typeof store, batch: typeof changes) =>
          (await to.transact((w) => w.log.push(human, asStream('shared'), batch, undefined)))
            .results;
        const batches = Array.from({ length: 6 }, (_, nth) => changes.slice(nth * 5, nth * 5 + 5));
        const results = (
          await Promise.all(
            batches.flatMap((batch, nth) => [
              send(store, batch),
              send(other, batches[batches.length - 1 - nth] ?? []),
            ]),
          )
        ).flat();
        expect(results.filter((result) => result.status === 'applied')).toHaveLength(30);
        expect(results.filter((result) => result.status === 'duplicate')).toHaveLength(30);
        const log = await other.read((r) =>
          r.log.changes(account, asStream('shared'), 0, 1_000, undefined),
        );
        expect(log.changes.map(({ seq }) => seq)).toEqual(
          Array.from({ length: 31 }, (_, index) => index + 1),
        );
        expect(new Set(log.changes.map(({ id }) => id)).size).toBe(31);
        expect(
          log.changes.reduce((chain, { id }) => nextChain(chain, id, testHasher), '0'.repeat(64)),
        ).toBe(log.position.chain);
        expect((await get().cells('shared')).filter((cell) => cell.endsWith('!'))).toHaveLength(5);
      } finally {
        await other.close();
      }
    });
  });
}
