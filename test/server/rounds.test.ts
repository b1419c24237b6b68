import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeHasher } from '../../src/server/instance/hasher.ts';
import { known } from '../../src/shared/contract/ids.ts';
import { formatRegister } from '../../src/sync/register.ts';
import { verifyRun } from '../../src/shared/domain/run.ts';
import { TRIO } from '../support/evidence.ts';
import { ENGINES } from '../support/length.ts';
import type { Json } from '../support/json.ts';
import { SHARED_POSTGRES } from '../support/plain-database.ts';
import type { TestAnswer } from '../support/server.ts';
import { CASE, layerOf, Play, SECRET, VERSION } from './rounds/play.ts';

const uid = encodeURIComponent;
const ITEMS = Array.from({ length: 300 }, (_, index) => `item-${String(index).padStart(3, '0')}`);
const [ONE = '', TWO = ''] = ITEMS;

interface Vector {
  name: string;
  recorders: number;
  cells: string[][];
  expected: Record<string, number | string | Record<string, number | string>[]>;
}
const VECTORS = JSON.parse(
  readFileSync(new URL('../fixtures/reference/agreement.json', import.meta.url), 'utf8'),
) as Vector[];

const distance = (ours: number | null, reference: number | string): number =>
  ours === null || reference === 'NaN'
    ? ours === null && reference === 'NaN'
      ? 0
      : Infinity
    : Math.abs(ours - Number(reference)) / Math.max(1e-3, Math.abs(Number(reference)));

describe.each(ENGINES)('rounds of independent recording on %s', (engine) => {
  let play: Play;
  beforeAll(async () => {
    play = await Play.begin(engine === 'PostgreSQL' ? SHARED_POSTGRES : undefined, ITEMS);
  }, 60_000);
  afterAll(() => play[Symbol.asyncDispose]());

  const path = (round: string, of = ''): string => `/cases/${CASE}/rounds/${round}${of}`;
  const finish = (round: string, who: Parameters<Play['call']>[2]): Promise<TestAnswer> =>
    play.call('POST', path(round, '/done'), who, {});
  const release = (round: string): Promise<TestAnswer> =>
    play.call('POST', path(round, '/release'), play.opener, { reason: 'r' });

  it.each(['hidden', 'shown'] as const)(
    'YR7 while it is open the record of its cells is %s to its recorders, and to nobody else otherwise',
    async (record) => {
      const [rule = '', other = ''] = play.rules.slice(-2);
      const profile = `profile_uid=${TRIO}`;
      const { body: receipt } = await play.call('POST', `/cases/${CASE}/evidence`, play.opener, {
        profile_uid: TRIO,
        outcomes: [ONE, TWO].flatMap((item_uid) =>
          [rule, other].map((rule_uid) => ({
            item_uid,
            rule_uid,
            raw_outcome: 'TRUE',
            notes: `${record} ${item_uid} ${rule_uid}`,
          })),
        ),
      });
      expect(receipt.outcomes_written + receipt.outcomes_unchanged).toBe(4);
      const round = await play.open({ items: [ONE], rules: [rule], record });
      const secret = `${record} ${ONE} ${rule}`;
      const cellOf = `${profile}&item_uid=${ONE}&rule_uid=${rule}`;
      const isHidden = record === 'hidden';
      const { status } = await play.call('POST', `/cases/${CASE}/suggestions`, play.agent, {
        profile_uid: TRIO,
        suggestions: [{ item_uid: ONE, rule_uid: rule, raw_outcome: 'NA', quote: secret }],
      });
      expect(status).toBe(200);
      const shows = async (who: Parameters<Play['call']>[2]) => {
        const page = await play.call('GET', `/cases/${CASE}/evidence?${profile}&limit=2`, who);
        const history = await play.call('GET', `/cases/${CASE}/history?${cellOf}`, who);
        const name = encodeURIComponent(page.body.items[0].evidence[0].updated_by);
        const filtered = await play.call(
          'GET',
          `/cases/${CASE}/evidence?${profile}&recorded_by_name=${name}`,
          who,
        );
        const log = await play.call('GET', `/cases/${CASE}/audit?format=csv`, who);
        const item = `/cases/${CASE}/items/${ONE}`;
        const open = `/cases/${CASE}/cells?${cellOf}&outcome=unrecorded`;
        const parts = [
          await play.call('GET', `/cases/${CASE}/cells?${cellOf}`, who),
          await play.call('GET', `/cases/${CASE}/cells?${cellOf}&outcome=TRUE`, who),
          await play.call('GET', `${item}?${profile}`, who),
          await play.call('GET', `${item}/outcomes/${rule}?${profile}`, who),
          await play.call('GET', `/cases/${CASE}/events`, who),
        ];
        expect(parts.map(({ text }) => text.includes(secret))).toEqual(
          parts.map(() => page.text.includes(secret)),
        );
        // What is hidden is nobody's to record beside the round, and not said to be unrecorded.
        expect((await play.call('GET', open, who)).body.data).toEqual([]);
        const toJudge = await play.call('GET', `/cases/${CASE}/to-judge?${profile}`, who);
        expect(toJudge.body.cells.length).toBeGreaterThan(0);
        expect(toJudge.body.cells).not.toContainEqual(
          expect.objectContaining({ item_uid: ONE, rule_uid: rule }),
        );
        const suggested = await play.call('GET', `/cases/${CASE}/suggestions?${profile}`, who);
        const skipped = await play.call('POST', `/cases/${CASE}/evidence`, who, {
          profile_uid: TRIO,
          on_conflict: 'skip',
          outcomes: [{ item_uid: ONE, rule_uid: rule, raw_outcome: 'NA', if_revision: 0 }],
        });
        if (skipped.status !== 200)
          expect(skipped.body.details).toMatchObject([
            { path: '/outcomes/0/if_revision', code: 'round_open' },
          ]);
        return [
          page.text.includes(secret),
          history.body.data.length > 0,
          filtered.text.includes(secret),
          log.text.includes(secret),
          suggested.text.includes(secret),
          skipped.status === 200 && skipped.body.outcomes[0].present !== null,
          await seesProgress(who),
          page.body.summary.problem_found,
        ];
      };
      const seesProgress = async (who: Parameters<Play['call']>[2]): Promise<boolean> => {
        const { body } = await play.call('GET', '/cases?progress=true', who);
        return body.data.find((one: Json) => one.case_uid === CASE).progress !== null;
      };
      const all = [true, true, true, true, true, true, true, 4];
      const tag = async () =>
        (await play.call('GET', `/cases/${CASE}/evidence?${profile}`, play.first)).headers.get(
          'etag',
        );
      expect(await shows(play.opener)).toEqual(all);
      expect(await shows(play.first)).toEqual(
        isHidden ? [false, false, false, false, false, false, false, 3] : all,
      );
      const before = await tag();
      await release(round);
      expect(await shows(play.first)).toEqual(all);
      expect((await tag()) === before).toBe(!isHidden);
    },
  );

  it('YR7 tells its recorders nothing of the hidden record by trying out', async () => {
    const [rule = '', other = ''] = play.rules.slice(-2);
    const write = (
      who: Parameters<Play['call']>[2],
      outcomes: object[],
      query = '?dry_run=true',
      more = {},
    ) =>
      play.call('POST', `/cases/${CASE}/evidence${query}`, who, {
        profile_uid: TRIO,
        outcomes: outcomes.map((one) => ({ item_uid: ONE, rule_uid: rule, ...one })),
        ...more,
      });
    expect((await write(play.opener, [{ raw_outcome: 'FALSE', notes: 'n' }], '')).status).toBe(200);
    const round = await play.open({
      items: [ONE],
      rules: [rule],
      recorders: [play.firstId, play.secondId, play.agent.id],
    });
    const tries: object[] = [
      ...['TRUE', 'FALSE', 'NA', null].map((raw_outcome) => ({ raw_outcome })),
      { notes: 'n' },
      { raw_outcome: 'FALSE', source_value: null },
    ];
    for (const who of [play.first, play.agent])
      for (const on_conflict of [undefined, 'refuse', 'skip'])
        for (const one of tries) {
          const { status, body } = await write(who, [one], undefined, { on_conflict });
          expect([status, body], JSON.stringify(one)).toMatchObject([
            200,
            { outcomes_written: 1, outcomes_unchanged: 0, changes: [expect.any(String)] },
          ]);
          expect(body.outcomes).toEqual([{ item_uid: ONE, rule_uid: rule, status: 'written' }]);
        }
    const beside = await write(play.first, [{ rule_uid: other, raw_outcome: null }]);
    expect(beside.body.outcomes[0].revision).toEqual(expect.any(Number));
    const shown = await write(play.opener, [{ raw_outcome: 'FALSE' }]);
    expect(shown.body.outcomes[0].status).toBe('unchanged');

    const policy = (requires_source: boolean) =>
      play.call('POST', `/cases/${CASE}/policy`, play.opener, { requires_source });
    await policy(true);
    for (const query of ['', '?dry_run=true'])
      for (const raw_outcome of ['FALSE', 'TRUE'])
        expect((await write(play.agent, [{ raw_outcome }], query)).body.error).toBe(
          'citation_required',
        );
    await policy(false);

    const freeze = (who: Parameters<Play['call']>[2], query: string) =>
      play.call('POST', `/runs${query}`, who, {
        case_uid: CASE,
        profile_uid: TRIO,
        accept_contested: true,
        reason: 'r',
      });
    for (const query of ['?dry_run=true', '']) {
      const { status, body } = await freeze(play.first, query);
      expect([status, body.error, body.details[0].code]).toEqual([409, 'conflict', 'round_open']);
      expect(body.result).toBeUndefined();
    }
    expect((await freeze(play.opener, '?dry_run=true')).status).toBe(201);
    await release(round);
    expect((await freeze(play.first, '?dry_run=true')).status).toBe(201);
  });

  it('YR7 tells its recorders nothing of the hidden record by what they write or suggest', async () => {
    const [rule = ''] = play.rules.slice(-1);
    const cell = { item_uid: ONE, rule_uid: rule };
    const evidence = `/cases/${CASE}/evidence`;
    const suggestions = `/cases/${CASE}/suggestions`;
    const round = await play.open({
      items: [ONE],
      rules: [rule],
      recorders: [play.firstId, play.secondId, play.agent.id],
    });
    const tries: [string, object][] = [
      [evidence, { outcomes: [{ ...cell, raw_outcome: 'FALSE', source_value: 's' }] }],
      [evidence, { outcomes: [{ ...cell, raw_outcome: 'FALSE' }], on_conflict: 'skip' }],
      [evidence, { outcomes: [{ ...cell, raw_outcome: null }] }],
      [evidence, { outcomes: [{ ...cell, notes: 'n' }], on_conflict: 'refuse' }],
      [suggestions, { suggestions: [{ ...cell, raw_outcome: 'FALSE', quote: 'q' }] }],
      [suggestions, { suggestions: [{ ...cell, raw_outcome: 'TRUE', basis: null }] }],
      ...['skip', 'refuse'].flatMap((on_conflict): [string, object][] =>
        [0, 1].flatMap((if_revision): [string, object][] => [
          [evidence, { outcomes: [{ ...cell, raw_outcome: 'NA', if_revision }], on_conflict }],
          [suggestions, { suggestions: [{ ...cell, raw_outcome: 'NA', if_revision }] }],
        ]),
      ),
    ];
    const answers = new Map<string, Set<string>>();
    for (const who of [play.first, play.agent])
      for (const [path, sent] of tries)
        for (const raw_outcome of ['TRUE', 'FALSE', 'FALSE', 'NA', null])
          for (const query of ['?dry_run=true', '']) {
            const told = { ...cell, raw_outcome, source_value: 's', notes: 'n' };
            const body = { profile_uid: TRIO, outcomes: [told] };
            expect((await play.call('POST', evidence, play.opener, body)).status).toBe(200);
            const answer = await play.call('POST', path + query, who, {
              profile_uid: TRIO,
              ...sent,
            });
            const asked = `${who === play.agent} ${query} ${JSON.stringify(sent)}`;
            const text = JSON.stringify([answer.status, answer.body]);
            answers.set(
              asked,
              (answers.get(asked) ?? new Set()).add(
                text.replaceAll(/\b(?:c1|req)_[A-Za-z0-9_-]+(?:#\d+)?/g, '*'),
              ),
            );
          }
    for (const [asked, of] of answers) expect([...of], asked).toHaveLength(1);
    expect([...answers.values()].flatMap((of) => [...of]).join()).not.toContain('unchanged":1');
    await release(round);
    const body = { profile_uid: TRIO, outcomes: [{ ...cell, raw_outcome: 'NA' }] };
    await play.call('POST', evidence, play.opener, body);
    const open = await play.call('POST', evidence, play.first, body);
    expect(open.body).toMatchObject({ outcomes_written: 0, outcomes_unchanged: 1 });
  });

  it('YR7 tells its recorders nothing of hidden suggestions by what they decide', async () => {
    const [rule = '', other = ''] = play.rules.slice(-2);
    const suggestions = `/cases/${CASE}/suggestions`;
    const said = await play.call('POST', suggestions, play.agent, {
      profile_uid: TRIO,
      suggestions: [rule, other].map((rule_uid) => ({
        item_uid: TWO,
        rule_uid,
        raw_outcome: 'NA',
        quote: rule_uid,
      })),
    });
    const [hidden, shown] = said.body.suggestions.map((one: Json) => one.suggestion_id);
    const round = await play.open({ items: [TWO], rules: [rule] });
    const decide = (body: object, query = '') =>
      play.call('POST', `${suggestions}/decisions${query}`, play.first, {
        profile_uid: TRIO,
        ...body,
      });
    const filter = { item_uid: TWO, raw_outcome: 'NA' };
    const rules = { verdict: 'refuse', filter, reason: 'r' };
    const named = async (): Promise<string[]> =>
      (await decide({ rule: rules, preview: true })).body.decisions.map(
        (one: Json) => one.suggestion_id,
      );
    expect(await named()).toEqual([shown]);
    for (const query of ['?dry_run=true', ''])
      for (const [body, path] of [
        [{ rule: { ...rules, suggestion_ids: [shown, hidden] } }, '/rule/suggestion_ids/1'],
        [
          { decisions: [{ suggestion_id: hidden, verdict: 'accept' }] },
          '/decisions/0/suggestion_id',
        ],
      ] as const) {
        const { status, body: told } = await decide(body, query);
        expect([status, told.details]).toMatchObject([409, [{ path, code: 'round_open' }]]);
      }
    await release(round);
    expect((await named()).sort()).toEqual([hidden, shown].sort());
  });

  it('YR1 is opened by a person, with terms that hold, and read by all who read the case', async () => {
    const round = await play.open({ items: [ONE], rules: [play.rules[0]], quorum: 1 });
    const { status, body } = await play.call('GET', path(round), play.others['a viewer']!);
    expect([status, body]).toEqual([
      200,
      {
        case_uid: CASE,
        round_id: round,
        title: 'Two readings',
        state: 'open',
        recorders: [play.firstId, play.secondId].map((recorder) => ({
          recorder,
          name: expect.any(String),
          kind: 'human',
          commitments: [],
          removed: false,
        })),
        profile_uid: TRIO,
        profile_version: VERSION,
        items: [ONE],
        rules: [play.rules[0]],
        quorum: 1,
        record: 'hidden',
        opened_by: play.world.owner.user_id,
        releases: [],
      },
    ]);
    const all = await play.call('GET', `/cases/${CASE}/rounds`, play.second);
    expect(all.body.data.map((one: { round_id: string }) => one.round_id)).toContain(round);
    const refused = await play.call('POST', `/cases/${CASE}/rounds`, play.opener, {
      title: 't',
      recorders: [play.firstId],
      profile_uid: TRIO,
      items: ['nobody'],
      rules: ['no_such_rule'],
      quorum: 2,
    });
    expect([
      refused.status,
      refused.body.details.map(({ path, code }: { path: string; code: string }) => [path, code]),
    ]).toEqual([
      422,
      [
        ['/rules/0', 'unknown_rule'],
        ['/items/0', 'unknown_item'],
        ['/quorum', 'invalid_value'],
      ],
    ]);
  });

  it('V3 keeps what a cell says of itself, names only cells of the round, and only its recorders write', async () => {
    const matrix = `/cases/${CASE}/evidence?profile_uid=${TRIO}`;
    const before = await play.call('GET', matrix, play.opener);
    const round = await play.open({ items: [ONE, TWO] });
    const write = (outcome: object) =>
      play.call('POST', path(round, '/evidence'), play.first, {
        outcomes: [{ item_uid: ONE, rule_uid: play.rules[0], ...outcome }],
      });
    const own = async () =>
      (await play.call('GET', path(round, '/evidence'), play.first)).body.data;
    expect(
      (await write({ raw_outcome: 'TRUE', source_value: 's', notes: 'n', provenance: { a: 1 } }))
        .body,
    ).toMatchObject({ outcomes_written: 1, outcomes_unchanged: 0 });
    expect((await write({ raw_outcome: 'TRUE' })).body).toMatchObject({
      outcomes_written: 0,
      outcomes_unchanged: 1,
      changes: [],
    });
    expect(await own()).toMatchObject([
      {
        raw_outcome: 'TRUE',
        source_value: 's',
        notes: 'n',
        provenance: { a: 1 },
        committed: false,
      },
    ]);
    await write({ raw_outcome: 'FALSE' });
    expect(await own()).toMatchObject([
      { raw_outcome: 'FALSE', source_value: null, notes: 'n', provenance: null },
    ]);
    const refused = await play.record(round, play.first, [
      { item: 'nobody', outcome: 'TRUE' },
      { item: ONE, rule: 'no_such_rule', outcome: 'TRUE' },
      { item: ITEMS[5]!, outcome: 'TRUE' },
    ]);
    expect([
      refused.status,
      refused.body.details.map(({ code }: { code: string }) => code),
    ]).toEqual([422, ['unknown_item', 'unknown_rule', 'outside_round']]);
    for (const [name, who] of Object.entries(play.others)) {
      if (name === 'the second recorder') continue;
      const { body } = await play.record(round, who, [{ item: ONE, outcome: 'NA' }]);
      expect([name, body.error]).toEqual([
        name,
        name === 'a viewer' ? 'read_only_role' : 'author_not_allowed',
      ]);
    }
    // The record has nothing of it.
    const { body } = await play.call(
      'GET',
      `/cases/${CASE}/evidence?profile_uid=${TRIO}`,
      play.opener,
    );
    expect(body.summary).toEqual(before.body.summary);
  });

  it('YS7 asks agents alone for a source in their recording, however they write it', async () => {
    const [rule = ''] = play.rules;
    const round = await play.open({ recorders: [play.firstId, play.agent.id] });
    const policy = (requires_source: boolean) =>
      play.call('POST', `/cases/${CASE}/policy`, play.opener, { requires_source });
    const write = (who: Parameters<Play['call']>[2], outcomes: object[], query = '') =>
      play.call('POST', `${path(round, '/evidence')}${query}`, who, {
        outcomes: outcomes.map((one, index) => ({
          item_uid: ITEMS[index],
          rule_uid: rule,
          ...one,
        })),
      });
    const pushed = (
      who: 'first' | 'agent',
      values: readonly object[],
      recorder = who === 'first' ? play.firstId : play.agent.id,
    ) =>
      play.push(
        layerOf(round, recorder),
        play[who],
        play.own(who),
        values.map((value, index) => ({
          op: 'set',
          parents: [],
          reg: formatRegister({
            kind: 'assertion',
            profile: known.profileUid.parse(TRIO),
            version: VERSION,
            rule,
            item: ITEMS[100 + index]!,
          }),
          value,
        })),
      );
    const recorded = async (): Promise<unknown> =>
      (await play.call('GET', path(round, '/evidence'), play.agent)).body.data;
    const none = await recorded();
    const uncited = [{ raw_outcome: 'TRUE' }, { raw_outcome: 'NA', source_value: '' }];
    const cited = [
      { raw_outcome: 'TRUE', source_value: 's' },
      { raw_outcome: 'FALSE', provenance: { page: 1 } },
      { raw_outcome: null },
    ];

    await policy(true);
    for (const query of ['?dry_run=true', '']) {
      const { status, body } = await write(play.agent, [...cited, ...uncited], query);
      expect([status, body.error, body.details.map((one: { path: string }) => one.path)]).toEqual([
        422,
        'citation_required',
        ['/outcomes/3', '/outcomes/4'],
      ]);
    }
    for (const value of uncited) {
      const { status, body } = await pushed('agent', [cited[0]!, value]);
      expect([status, body.error, body.details]).toEqual([
        422,
        'citation_required',
        [expect.objectContaining({ path: '/changes/0', code: 'citation_required' })],
      ]);
    }
    expect(await recorded()).toEqual(none);

    expect((await write(play.agent, cited)).body.outcomes_written).toBe(2);
    expect((await pushed('agent', cited)).body.results).toMatchObject([{ status: 'applied' }]);
    // What is written again as it stands keeps its source; another outcome needs its own (V3).
    expect((await write(play.agent, [{ raw_outcome: 'TRUE' }])).body).toMatchObject({
      outcomes_unchanged: 1,
    });
    expect((await write(play.agent, [{ raw_outcome: 'FALSE' }])).status).toBe(422);
    expect((await write(play.agent, [{ notes: 'n' }, { notes: 'n' }])).status).toBe(200);
    expect((await write(play.agent, [{ raw_outcome: null }])).status).toBe(200);
    // People are not asked.
    expect((await write(play.first, uncited)).body.outcomes_written).toBe(2);
    expect((await pushed('first', uncited)).body.results).toMatchObject([{ status: 'applied' }]);

    await policy(false);
    expect((await write(play.agent, uncited)).body.outcomes_written).toBe(2);
    expect((await pushed('agent', uncited)).status).toBe(200);
    await release(round);
  });

  it('Y9 YR4 YC2 is released by its quorum; later changes and later commitments are kept and do not count', async () => {
    const round = await play.open({
      recorders: [play.firstId, play.secondId, play.agent.id],
      quorum: 2,
    });
    await play.record(round, play.first, [{ item: ONE, outcome: 'TRUE' }]);
    await play.record(round, play.second, [{ item: ONE, outcome: 'FALSE' }]);
    await play.record(round, play.agent, [{ item: ONE, outcome: 'NA' }]);
    expect((await finish(round, play.first)).body.state).toBe('open');
    expect((await finish(round, play.first)).body.error).toBe('conflict');
    expect((await play.call('GET', path(round, '/agreement'), play.opener)).body.error).toBe(
      'conflict',
    );
    await play.record(round, play.first, [{ item: ONE, outcome: 'NA' }]);
    expect((await finish(round, play.second)).body.state).toBe('released');
    await finish(round, play.agent);
    const { body } = await play.call('GET', path(round, '/agreement'), play.others['a viewer']!);
    expect(
      body.recorders.map(({ fit, rated }: { fit: string; rated: number }) => [fit, rated]),
    ).toEqual([
      ['fits', 1],
      ['fits', 1],
      ['late', 0],
    ]);
    expect([body.differ, body.differing]).toEqual([
      1,
      [{ item_uid: ONE, rule_uid: play.rules[0], outcomes: ['TRUE', 'FALSE', null] }],
    ]);
    const shown = await play.call('GET', path(round, '/evidence'), play.others['a viewer']!);
    expect(
      shown.body.data.map((cell: { raw_outcome: string; committed: boolean }) => [
        cell.raw_outcome,
        cell.committed,
      ]),
    ).toEqual([
      ['NA', false],
      ['FALSE', true],
      ['NA', false],
    ]);
  });

  it('Y12 YR11 ends a removed recorder’s writing, and keeps their layer and their commitment', async () => {
    const round = await play.open();
    await play.record(round, play.first, [{ item: ONE, outcome: 'TRUE' }]);
    const remove = (who: Parameters<Play['call']>[2], recorder: string) =>
      play.call('POST', path(round, '/removals'), who, { recorder, reason: 'left' });
    expect((await remove(play.second, play.firstId)).body.error).toBe('insufficient_scope');
    expect((await remove(play.opener, play.world.viewer.user_id)).body.error).toBe(
      'validation_failed',
    );
    expect((await remove(play.opener, play.firstId)).body.recorders[0].removed).toBe(true);
    const layer = layerOf(round, play.firstId);
    const cell = `a/${TRIO}@${VERSION}/${play.rules[0]}/${ONE}`;
    const entry = { op: 'set', parents: [], reg: cell, value: { raw_outcome: 'NA' } };
    for (const refused of [
      await play.record(round, play.first, [{ item: ONE, outcome: 'NA' }]),
      await finish(round, play.first),
      await play.push(layer, play.first, play.own('first'), [entry]),
      await play.push(CASE, play.first, play.own('first'), [
        {
          op: 'announce',
          parents: [],
          reg: `round/${round}/done/${play.firstId}`,
          value: { count: 0, sum: '0'.repeat(64) },
        },
      ]),
    ])
      expect(refused.body.error).toBe('author_not_allowed');
    const own = await play.call('GET', path(round, '/evidence'), play.first);
    expect(own.body.data).toMatchObject([{ raw_outcome: 'TRUE' }]);
    await release(round);
    const all = await play.call('GET', path(round, '/evidence'), play.second);
    expect(all.body.data).toMatchObject([{ raw_outcome: 'TRUE', committed: false }]);
  });

  it('YR9 takes what opens a round from those alone who speak for its author', async () => {
    const round = await play.open();
    await play.record(round, play.first, [{ item: ONE, outcome: 'TRUE' }]);
    const announce = (reg: string, value: unknown) => [{ op: 'announce', parents: [], reg, value }];
    const done = { count: 0, sum: '0'.repeat(64) };
    const studio = play.others['their studio']!;
    const owner = { ...play.own('first'), user: play.world.owner.user_id };
    for (const [who, author, entries] of [
      // Not theirs; not an owner; of another user; for a key that the server itself has.
      [play.second, play.own('second'), announce(`round/${round}/done/${play.firstId}`, done)],
      [studio, play.own('first'), announce(`round/${round}/done/${play.firstId}`, done)],
      [studio, owner, announce(`round/${round}/state`, 'released')],
      [studio, play.own('agent'), announce(`round/${round}/done/${play.agent.id}`, done)],
      [
        play.others["an owner's studio"]!,
        play.own('first'),
        announce(`round/${round}/done/${play.firstId}`, done),
      ],
    ] as const)
      expect((await play.push(CASE, who, author, entries)).body.error).toBe('author_not_allowed');
    const { body } = await play.push(
      CASE,
      play.second,
      play.own('second'),
      announce(`round/${round}/state`, 'released'),
    );
    expect(body.error).toBe('insufficient_scope');
    expect((await play.call('GET', path(round), play.first)).body.state).toBe('open');
  });

  it.each(VECTORS)(
    'Y10 reckons the figures of $name to 1e-12',
    async ({ recorders, cells, expected }) => {
      const people: { id: string; who: Parameters<Play['call']>[2] }[] = [
        { id: play.firstId, who: play.first },
        { id: play.secondId, who: play.second },
        { id: play.agent.id, who: play.agent },
      ];
      while (people.length < recorders) {
        const person = { ...play.world.member, user_id: await play.world.newcomer() };
        const { headers } = await play.world.session(person as typeof play.world.member);
        people.push({ id: person.user_id, who: { headers } });
      }
      const items = ITEMS.slice(0, cells.length);
      const round = await play.open({
        recorders: people.slice(0, recorders).map(({ id }) => id),
        items,
        rules: [play.rules[1]],
      });
      for (const [place, { who }] of people.slice(0, recorders).entries()) {
        const outcomes = items.flatMap((item, row) => {
          const outcome = cells[row]?.[place];
          return outcome === undefined || outcome === '-'
            ? []
            : [{ item, rule: play.rules[1]!, outcome }];
        });
        expect((await play.record(round, who, outcomes)).status).toBe(200);
        expect((await finish(round, who)).status).toBe(200);
      }
      const { body } = await play.call('GET', path(round, '/agreement'), play.second);
      const { pairs, ...ours } = body.figures.all;
      const { pairs: pairsExpected, ...figures } = expected;
      for (const [name, reference] of Object.entries(figures))
        expect(distance(ours[name], reference as number | string), name).toBeLessThan(1e-12);
      for (const [place, { a: _a, b: _b, ...reference }] of (
        pairsExpected as Record<string, number | string>[]
      ).entries())
        for (const [name, value] of Object.entries(reference))
          expect(distance(pairs[place][name], value), name).toBeLessThan(1e-12);
      expect(body.figures.rules.map(({ rule }: { rule: string }) => rule)).toEqual([play.rules[1]]);
    },
  );

  it('YF2 YC6 Y11 is frozen with a run that names it, and its figures are reckoned again by whoever verifies', async () => {
    const [rule = ''] = play.rules.slice(2);
    const items = ITEMS.slice(20, 23);
    // One that is still open hides the record from those who record in it.
    const { data: rounds } = (await play.call('GET', `/cases/${CASE}/rounds`, play.opener)).body;
    for (const one of rounds) if (one.state === 'open') await release(one.round_id);
    const round = await play.open({ items, rules: [rule] });
    const run = (more: object) =>
      play.call('POST', '/runs', play.opener, { case_uid: CASE, profile_uid: TRIO, ...more });
    expect((await run({ round_id: round })).body.error).toBe('conflict');
    expect((await play.call('GET', path(round, '/ratings'), play.first)).body.error).toBe(
      'conflict',
    );
    const said = { first: ['TRUE', 'NA', 'FALSE'], second: ['TRUE', 'FALSE', 'FALSE'] } as const;
    for (const who of ['first', 'second'] as const) {
      await play.record(
        round,
        play[who],
        items.map((item, row) => ({ item, rule, outcome: said[who][row]! })),
      );
      await finish(round, play[who]);
    }
    const { body: layers } = await play.call('GET', path(round, '/evidence'), play.first);
    const entry = (recorder: string, item: string): string =>
      layers.data.find(
        (cell: { recorder: string; item_uid: string }) =>
          cell.recorder === recorder && cell.item_uid === item,
      ).entry;
    const [agreed = '', settled = ''] = items;
    const of = (item: string) => [entry(play.firstId, item), entry(play.secondId, item)];
    for (const [item, raw_outcome, why] of [
      [agreed, 'TRUE', null],
      [settled, 'NA', 'read again together'],
    ] as const)
      expect(
        (
          await play.push(
            CASE,
            play.first,
            play.own('first'),
            [
              {
                op: 'set',
                parents: [],
                reg: `a/${TRIO}@${VERSION}/${rule}/${item}`,
                value: { raw_outcome },
                from: of(item),
              },
            ],
            why,
          )
        ).status,
      ).toBe(200);
    // An agent's word settles nothing, whatever it says it comes from.
    const third = items[2]!;
    const { status: pushed } = await play.push(CASE, play.agent, play.own('agent'), [
      {
        op: 'set',
        parents: [],
        reg: `a/${TRIO}@${VERSION}/${rule}/${third}`,
        value: { raw_outcome: 'FALSE' },
        from: of(third),
      },
    ]);
    expect(pushed).toBe(200);
    const ratings = (query = '') => play.call('GET', path(round, `/ratings${query}`), play.second);
    const { body: rated } = await ratings();
    expect(
      rated.data.map(({ item_uid, agreement, ratings: said, settled: as }: Json) => [
        item_uid,
        agreement,
        said.map(({ entry: name }: Json) => name),
        as && [as.kind, as.by, as.reason],
      ]),
    ).toEqual([
      [agreed, 'agreed', of(agreed), ['agreed', play.firstId, null]],
      [settled, 'differing', of(settled), ['adjudicated', play.firstId, 'read again together']],
      [third, 'agreed', of(third), null],
    ]);
    const paged = await ratings('?agreement=agreed&limit=1');
    const rest = await ratings(`?agreement=agreed&cursor=${paged.body.next_cursor}`);
    expect([...paged.body.data, ...rest.body.data]).toEqual([rated.data[0], rated.data[2]]);
    expect(rest.body.next_cursor).toBeNull();
    // What the record has is not told to whom an open round hides it.
    const hiding = await play.open({ items, rules: [rule] });
    expect((await ratings()).body.data.map((cell: Json) => cell.settled)).toEqual([
      null,
      null,
      null,
    ]);
    await release(hiding);
    const without = (await run({ run_uid: 'without' })).body;
    expect(JSON.stringify(without)).not.toContain('"round"');
    const { status, body } = await run({ run_uid: 'with', round_id: round });
    expect([status, body.frozen.round.round_id, body.result]).toEqual([201, round, without.result]);
    expect(body.content_hash).not.toBe(without.content_hash);
    const agreement = await play.call('GET', path(round, '/agreement'), play.first);
    expect(body.frozen.round.figures).toEqual(agreement.body.figures);
    expect(body.frozen.round.settled).toEqual(
      [
        [agreed, 'TRUE', 'agreed', null],
        [settled, 'NA', 'adjudicated', 'read again together'],
      ].map(([item_uid, raw_outcome, kind, reason]) => ({
        item_uid,
        rule_uid: rule,
        raw_outcome,
        kind,
        by: play.firstId,
        reason,
      })),
    );
    // Y11: nothing that was settled changes what the recorders said.
    expect(body.frozen.round.recorders.map(({ ratings }: { ratings: string }) => ratings)).toEqual([
      'TNF',
      'TFF',
    ]);
    const read = (await play.call('GET', '/runs/with', play.first)).body;
    expect(read.frozen.round).toEqual(body.frozen.round);
    expect(verifyRun(read, nodeHasher)).toMatchObject({
      content_hash: { ok: true },
      recomputed: { ok: true },
    });
    for (const forged of [
      { figures: { ...read.frozen.round.figures, rules: [] } },
      { recorders: read.frozen.round.recorders.toReversed() },
      { terms: { ...read.frozen.round.terms, quorum: 1 } },
    ]) {
      const frozen = { ...read.frozen, round: { ...read.frozen.round, ...forged } };
      expect(verifyRun({ ...read, frozen }, nodeHasher)).toMatchObject({
        content_hash: { ok: false },
        recomputed: { ok: false, differences: [{ path: '/frozen/round' }] },
      });
    }
  });

  it('carries a layer of a thousand cells through pull, digest and commitment', async () => {
    const round = await play.open();
    const outcomes = play.rules
      .slice(0, 4)
      .flatMap((rule) =>
        ITEMS.slice(0, 250).map((item) => ({ item, rule, outcome: 'NA', text: SECRET })),
      );
    expect((await play.record(round, play.first, outcomes)).body.outcomes_written).toBe(1_000);
    const stream = uid(layerOf(round, play.firstId));
    const pulled = await play.call('GET', `/sync/cases/${stream}/changes?after=0`, play.first);
    const digest = await play.call('GET', `/sync/cases/${stream}/digest?buckets=1`, play.first);
    expect([digest.body.buckets[0].count, pulled.body.sum]).toEqual([
      pulled.body.count,
      digest.body.buckets[0].sum,
    ]);
    const { body } = await finish(round, play.first);
    expect(body.recorders[0].commitments).toEqual([
      { count: pulled.body.count, sum: pulled.body.sum },
    ]);
    const paged = await play.call('GET', path(round, '/evidence?limit=200'), play.first);
    expect([paged.body.data.length, paged.body.layers]).toEqual([
      200,
      [
        {
          recorder: play.firstId,
          name: expect.any(String),
          changes: pulled.body.count + 1,
          fit: 'fits',
        },
      ],
    ]);
  });
});
