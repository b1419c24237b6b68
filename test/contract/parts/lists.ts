import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Case, CaseSort } from '../../../src/shared/contract/v1/cases.ts';
import type { Project, ProjectSort } from '../../../src/shared/contract/v1/projects.ts';
import type { Reader } from '../../../src/server/storage/repositories.ts';
import type { Page } from '../../../src/server/storage/db/cursor.ts';
import {
  cellReg,
  FIRST_PAGE,
  foreignChange,
  profile,
  refusal,
  set,
  SHIPPED,
  wire,
  type World,
} from '../world.ts';
import { asCase, asProfile, asRun, asStream } from '../../support/ids.ts';
import type { ProjectId } from '../../../src/shared/contract/ids.ts';

interface Listed<T> {
  data: T[];
  next_cursor: string | null;
}
type Order = 'asc' | 'desc';
type ProfileFilter = Parameters<Reader['profiles']['list']>[2];

/** Titles that engines and people sort differently: cases, signs, other scripts, long ones. */
const TITLES = [
  'Beta',
  'alpha',
  'ALPHA',
  'Álpha',
  'alpha 2',
  'alpha 10',
  '100% of _all_ \\ "rules"',
  'with \t tab',
  '\u{1f9ec} gene',
  '｡half width',
  'Ωmega',
  `${'x'.repeat(60)}a`,
  `${'x'.repeat(60)}B`,
  `${'\u{1f9ec}'.repeat(500)}`,
];
const folded = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
const beginning = (text: string): string => [...folded(text)].slice(0, 60).join('');
/** In the order of code points, as both engines compare. */
const compareTexts = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Walks all pages; `between` runs before each but the first. */
async function walk<T>(
  list: (page: Page) => Promise<Listed<T>>,
  limit: number,
  between: () => Promise<void> = async () => {},
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await list({ limit, cursor });
    expect(page.data.length).toBeLessThanOrEqual(limit);
    all.push(...page.data);
    if (page.next_cursor === null) return all;
    cursor = page.next_cursor;
    await between();
  }
}

/** The order that was asked for, computed here: `records` are in the order of their making. */
function inOrder<T>(records: readonly T[], key: (record: T) => string, order: Order): T[] {
  const sorted = records
    .map((record, made) => ({ record, made }))
    .sort((a, b) => compareTexts(key(a.record), key(b.record)) || a.made - b.made)
    .map(({ record }) => record);
  return order === 'desc' ? sorted.reverse() : sorted;
}

const CASE_KEY: Record<CaseSort, (record: Case) => string> = {
  created: () => '',
  title: ({ title }) => beginning(title),
  changed: ({ updated_at }) => updated_at,
  // Nothing is recorded in them but their own fields.
  active: ({ updated_at }) => updated_at,
};
const PROJECT_KEY: Record<ProjectSort, (record: Project) => string> = {
  created: () => '',
  name: ({ name }) => beginning(name),
  changed: ({ updated_at }) => updated_at,
};
const sorts = ['created', 'title', 'changed', 'active'] as const;
const orders = ['asc', 'desc'] as const;

/** Order, filter and pages of every list that is sorted on the server. */
export function listTests(get: () => World): void {
  describe('lists', () => {
    let projects: [ProjectId, ProjectId];
    let made: Case[] = [];
    let besides = 0;

    const upsert = async (case_uid: string, project_id: ProjectId, title: string) => {
      const { store, human, ports } = get();
      ports.advance(1_000);
      const { record } = await store.transact((w) =>
        w.caseWrites.upsert(human, { project_id, case_uid: asCase(case_uid), title }, undefined),
      );
      return record;
    };

    beforeAll(async () => {
      const { store, human } = get();
      const project = async (name: string): Promise<ProjectId> =>
        (await store.transact((w) => w.projectWrites.upsert(human, { name }, undefined))).record
          .project_id;
      projects = [await project('sorted one'), await project('Sorted two')];
      made = [];
      for (const [index, title] of [...TITLES, ...TITLES].entries())
        made.push(await upsert(`sorted-${index}`, projects[index % 3 === 0 ? 1 : 0], title));
      // Some are changed afterwards, so that this order is not that of their making.
      for (const index of [3, 20, 7])
        made[index] = await upsert(
          `sorted-${index}`,
          made[index]!.project_id,
          `${made[index]!.title}!`.slice(0, 400),
        );
    });

    test('cases come in the order asked for, page by page, in a project and in all', async () => {
      const { store, account } = get();
      for (const sort of sorts)
        for (const order of orders) {
          for (const project_id of projects) {
            const found = await walk(
              (page) => store.read((r) => r.cases.list(account, { project_id, sort, order }, page)),
              5,
            );
            const wanted = inOrder(
              made.filter((one) => one.project_id === project_id),
              CASE_KEY[sort],
              order,
            );
            expect(found, `${sort} ${order}`).toEqual(wanted);
          }
          const everywhere = await walk(
            (page) =>
              store.read((r) =>
                r.cases.list(account, { project_id: undefined, sort, order }, page),
              ),
            7,
          );
          expect(everywhere.filter(({ case_uid }) => case_uid.startsWith('sorted-'))).toEqual(
            inOrder(made, CASE_KEY[sort], order),
          );
        }
    });

    test('a search finds what title or identifier hold, and takes no sign for a pattern', async () => {
      const { store, account } = get();
      const words = fc.oneof(
        fc.constantFrom('ALPHA', 'á', '%', '_', '\\', '"rules"', 'sorted-1', 'x', '2', '\u{1f9ec}'),
        fc.string({ minLength: 1, maxLength: 3 }).filter((text) => /^[ -~]*\S[ -~]*$/.test(text)),
      );
      await fc.assert(
        fc.asyncProperty(
          words,
          fc.constantFrom(...sorts),
          fc.constantFrom(...orders),
          async (search, sort, order) => {
            const found = await walk(
              (page) =>
                store.read((r) =>
                  r.cases.list(account, { project_id: projects[0], search, sort, order }, page),
                ),
              4,
            );
            expect(found).toEqual(
              inOrder(
                made.filter(
                  ({ project_id, title, case_uid }) =>
                    project_id === projects[0] &&
                    [title, case_uid].some((text) => folded(text).includes(folded(search))),
                ),
                CASE_KEY[sort],
                order,
              ),
            );
          },
        ),
        { numRuns: 40 },
      );
    });

    test('beside writers a page after another repeats nothing and leaves out nothing that stayed', async () => {
      const { store, human, account } = get();
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...sorts),
          fc.constantFrom(...orders),
          fc.integer({ min: 1, max: 6 }),
          fc.array(fc.tuple(fc.nat(), fc.constantFrom(...TITLES)), { maxLength: 6 }),
          async (sort, order, limit, writes) => {
            const { record } = await store.transact((w) =>
              w.projectWrites.upsert(human, { name: `Beside ${(besides += 1)}` }, undefined),
            );
            const tag = record.project_id.slice(-8);
            const all: Case[] = [];
            for (const [index, title] of TITLES.entries())
              all.push(await upsert(`${tag}-${index}`, record.project_id, title));
            const written = new Set<string>();
            const queue = [...writes];
            const found = await walk(
              (page) =>
                store.read((r) =>
                  r.cases.list(account, { project_id: record.project_id, sort, order }, page),
                ),
              limit,
              async () => {
                const [place, title] = queue.shift() ?? [];
                if (place === undefined || title === undefined) return;
                // Another title for one that is there, and one that is new.
                const uid = `${tag}-${place % TITLES.length}`;
                for (const one of [uid, `${tag}-new-${queue.length}`]) {
                  written.add(one);
                  await upsert(one, record.project_id, title);
                }
              },
            );
            const stayed = (list: readonly Case[]): string[] =>
              list.map(({ case_uid }) => case_uid).filter((uid) => !written.has(uid));
            expect(stayed(found)).toEqual(stayed(inOrder(all, CASE_KEY[sort], order)));
          },
        ),
        { numRuns: 8 },
      );
    });

    test('projects come in the order asked for, and are found by their names', async () => {
      const { store, human, account, ports } = get();
      for (const title of TITLES.slice(0, 10)) {
        ports.advance(1_000);
        await store.transact((w) =>
          w.projectWrites.upsert(human, { name: `listed ${title.slice(0, 90)}` }, undefined),
        );
      }
      const all = await walk((page) => store.read((r) => r.projects.list(account, page)), 6);
      expect(all.length).toBeGreaterThan(12);
      for (const sort of ['created', 'name', 'changed'] as const)
        for (const order of orders)
          for (const search of [undefined, 'LISTED', 'alpha', '%']) {
            const found = await walk(
              (page) => store.read((r) => r.projects.list(account, page, { sort, order, search })),
              3,
            );
            expect(found, `${sort} ${order} ${search}`).toEqual(
              inOrder(
                all.filter(
                  ({ name }) => search === undefined || folded(name).includes(folded(search)),
                ),
                PROJECT_KEY[sort],
                order,
              ),
            );
          }
    });

    test('a cursor of one order is refused by the others', async () => {
      const { store, account } = get();
      const page = await store.read((r) =>
        r.cases.list(
          account,
          { project_id: undefined, sort: 'title' },
          { limit: 1, cursor: undefined },
        ),
      );
      const cursor = page.next_cursor ?? undefined;
      expect(cursor).toBeDefined();
      for (const filter of [{}, { sort: 'changed' }, { sort: 'title', order: 'desc' }] as const)
        expect(
          await refusal(
            store.read((r) =>
              r.cases.list(account, { project_id: undefined, ...filter }, { limit: 1, cursor }),
            ),
          ),
        ).toMatchObject({ code: 'invalid_query', details: [{ path: 'cursor' }] });
    });

    test('every cursor of a list fits into a request', async () => {
      const { store, account } = get();
      await walk(async (page) => {
        const answer = await store.read((r) =>
          r.cases.list(account, { project_id: undefined, sort: 'title' }, page),
        );
        expect((answer.next_cursor ?? '').length).toBeLessThanOrEqual(512);
        return answer;
      }, 1);
    });

    test('cases are listed by the profile in use', async () => {
      const { store, human, account } = get();
      const uid = 'listed_by_profile';
      for (const version of ['1.0', '1.1']) {
        const document = profile(uid, version, ['rule_a']);
        await store.transact((w) =>
          w.profileWrites.create(human, document, JSON.stringify(document), true),
        );
        await store.transact((w) =>
          w.caseWrites.upsert(
            human,
            {
              project_id: projects[0],
              case_uid: asCase(`uses-${version}`),
              profile_uid: asProfile(uid),
              profile_version: version,
            },
            undefined,
          ),
        );
      }
      const uses = async (profile_version?: string): Promise<string[]> =>
        (
          await store.read((r) =>
            r.cases.list(
              account,
              {
                project_id: undefined,
                profile_uid: asProfile(uid),
                profile_version,
                sort: 'changed',
              },
              FIRST_PAGE,
            ),
          )
        ).data.map(({ case_uid }) => case_uid);
      expect(await uses()).toEqual(['uses-1.0', 'uses-1.1']);
      expect(await uses('1.1')).toEqual(['uses-1.1']);
    });

    test('profiles are listed by name, newest versions alone, and by what they say', async () => {
      const { store, human, account } = get();
      for (const [uid, version, name] of [
        ['sorted_b', '1.0', 'beta'],
        ['sorted_b', '1.10', 'Beta'],
        ['sorted_b', '1.9', 'beta'],
        ['sorted_a', '2.0', 'Alpha'],
        ['sorted_c', '1.0', 'alpha'],
      ] as const) {
        const document = profile(uid, version, ['rule_a'], {
          name: `Sorted ${name}`,
          domain: 'wet_lab',
        });
        await store.transact((w) =>
          w.profileWrites.create(human, document, JSON.stringify(document), true),
        );
      }
      const list = (filter: ProfileFilter) =>
        walk((page) => store.read((r) => r.profiles.list(account, page, filter)), 2);
      const words = (entries: Awaited<ReturnType<typeof list>>): string[] =>
        entries.map(
          ({ profileUid, version, older_versions }) =>
            `${profileUid} ${version}${older_versions === undefined ? '' : ` +${older_versions}`}`,
        );
      const newest = { versions: 'newest', sort: 'name', search: 'SORTED' } as const;
      expect(words(await list(newest))).toEqual([
        'sorted_a 2.0 +0',
        'sorted_c 1.0 +0',
        'sorted_b 1.10 +2',
      ]);
      expect(words(await list({ ...newest, order: 'desc' }))).toEqual([
        'sorted_b 1.10 +2',
        'sorted_c 1.0 +0',
        'sorted_a 2.0 +0',
      ]);
      expect(words(await list({ profile_uid: asProfile('sorted_b') }))).toEqual([
        'sorted_b 1.0',
        'sorted_b 1.10',
        'sorted_b 1.9',
      ]);
      expect(words(await list({ ...newest, domain: 'wet_lab' }))).toHaveLength(3);
      expect(words(await list({ ...newest, domain: 'other' }))).toEqual([]);
      expect(words(await list({ ...newest, access: 'public' }))).toEqual([]);
      expect(words(await list({ ...newest, access: 'private' }))).toHaveLength(3);
      expect((await list({ versions: 'newest' })).map(({ profileUid }) => profileUid)).toContain(
        SHIPPED.profileUid,
      );
    });

    test('runs are listed in both directions', async () => {
      const { store, human, account, newCase, record } = get();
      await newCase('sorted-runs');
      for (let n = 0; n < 5; n += 1) {
        await record({
          case_uid: 'sorted-runs',
          items: [{ item_uid: `i${n}` }],
          outcomes: [{ item_uid: `i${n}`, rule_uid: 'rule_a', raw_outcome: 'TRUE' }],
        });
        await store.transact((w) =>
          w.runWrites.create(human, {
            case_uid: asCase('sorted-runs'),
            profile_uid: SHIPPED.profileUid,
            run_uid: asRun(`sorted-run-${n}`),
          }),
        );
      }
      const list = async (order?: Order): Promise<string[]> =>
        (
          await walk(
            (page) =>
              store.read((r) =>
                r.runs.list(
                  account,
                  {
                    case_uid: asCase('sorted-runs'),
                    project_id: undefined,
                    profile_uid: undefined,
                    order,
                  },
                  page,
                ),
              ),
            2,
          )
        ).map(({ run_uid }) => run_uid);
      const oldest = [0, 1, 2, 3, 4].map((n) => `sorted-run-${n}`);
      expect(await list('asc')).toEqual(oldest);
      expect(await list()).toEqual(oldest.toReversed());
      expect(await list('desc')).toEqual(oldest.toReversed());
    });

    test('contested matrices are counted for the cases that are asked for alone', async () => {
      const { store, account, human, newCase, record } = get();
      for (const uid of ['contested-a', 'contested-b']) {
        await newCase(uid);
        await record({ case_uid: uid, items: [{ item_uid: 'i' }] });
        const changes = (['TRUE', 'FALSE'] as const).map((raw_outcome) =>
          wire(foreignChange(uid, [set(cellReg('i', 'rule_a'), { raw_outcome })])),
        );
        await store.transact((w) => w.log.push(human, asStream(uid), changes, undefined));
      }
      const contested = async (cases: string[]): Promise<[string, number][]> =>
        (
          await store.read((r) =>
            r.cases.contested(
              account,
              { project_id: undefined, cases: cases.map(asCase) },
              FIRST_PAGE,
            ),
          )
        ).data.map(({ case_uid, cells }) => [case_uid, cells]);
      expect(await contested(['contested-a', 'nowhere'])).toEqual([['contested-a', 1]]);
      expect(await contested(['contested-b', 'contested-a'])).toEqual([
        ['contested-a', 1],
        ['contested-b', 1],
      ]);
      expect(await contested(['nowhere'])).toEqual([]);
    });
  });
}
