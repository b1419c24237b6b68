import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitmentOf } from '../../src/sync/layers/rounds.ts';
import { TRIO } from '../support/evidence.ts';
import { ENGINES } from '../support/length.ts';
import { SHARED_POSTGRES } from '../support/plain-database.ts';
import { unseenOutcome, wireChange } from '../support/sync-change.ts';
import type { Json } from '../support/json.ts';
import type { Credentials } from './isolation/world.ts';
import { CASE, layerOf, Play, SECRET, VERSION } from './rounds/play.ts';

const ITEMS = ['one', 'two'];

describe.each(ENGINES)('YR12 a layer as a file on %s', (engine) => {
  let play: Play;
  beforeAll(async () => {
    play = await Play.begin(engine === 'PostgreSQL' ? SHARED_POSTGRES : undefined, ITEMS);
  }, 60_000);
  afterAll(() => play[Symbol.asyncDispose]());

  const at = (round: string, of = ''): string => `/cases/${CASE}/rounds/${round}${of}`;
  const ask = (round: string, who: Credentials) => play.call('GET', at(round, '/layer'), who);
  const bring = (round: string, who: Credentials, file: unknown, query = '') =>
    play.call('POST', at(round, `/layer${query}`), who, file);

  /** What the first recorder would carry from a studio that this server has not heard. */
  function carried(round: string, outcome = 'TRUE') {
    const by = play.own('first');
    const stream = layerOf(round, play.firstId);
    const said = ITEMS.map((item) =>
      wireChange(stream, by, [
        {
          ...unseenOutcome(
            { profile: TRIO, version: VERSION, rule: play.rules[0]!, item },
            outcome,
          ),
          value: { raw_outcome: outcome, source_value: SECRET },
        },
      ]),
    );
    const ids = said.map(({ id }) => id).sort();
    const { count, sum } = commitmentOf(ids);
    const announce = (of: string, reg: string, value: unknown) =>
      wireChange(of, by, [{ op: 'announce', parents: [], reg, value }]);
    return {
      format: 'evidence-studio layer 1',
      case_uid: CASE,
      round_id: round,
      recorder: play.firstId,
      done: announce(CASE, `round/${round}/done/${play.firstId}`, { count, sum }),
      changes: [...said, announce(stream, `committed/${sum}/0`, { changes: ids })],
    };
  }

  it('is taken whole from its recorder alone, stays sealed, and is theirs to take out again', async () => {
    const round = await play.open();
    const file = carried(round);
    expect((await ask(round, play.first)).body).toMatchObject({
      error: 'conflict',
      details: [{ code: 'not_done' }],
    });
    for (const [name, who] of Object.entries(play.others)) {
      const { body } = await bring(round, who, file);
      expect([name, body.error]).toEqual([
        name,
        name === 'a viewer' ? 'read_only_role' : 'author_not_allowed',
      ]);
    }
    expect((await bring(round, play.first, file, '?dry_run=true')).status).toBe(200);
    expect((await play.call('GET', at(round), play.first)).body.recorders[0].commitments).toEqual(
      [],
    );
    for (const _ of ['first', 'again']) {
      const { status, body, text } = await bring(round, play.first, file);
      expect([status, body.state], text).toEqual([200, 'open']);
      expect(body.recorders[0].commitments).toHaveLength(1);
    }
    expect((await ask(round, play.first)).body).toEqual(file);
    const own = await play.call('GET', at(round, '/evidence'), play.first);
    expect(own.body.data.map((cell: Json) => [cell.source_value, cell.committed])).toEqual(
      ITEMS.map(() => [SECRET, true]),
    );
    for (const [name, who] of Object.entries(play.others)) {
      const answers = [
        await ask(round, who),
        await play.call('GET', at(round, '/evidence'), who),
        await play.call('GET', '/sync/cases', who),
        await play.call('GET', `/sync/cases/${CASE}/changes?after=0`, who),
        await play.call('GET', `/cases/${CASE}/events`, who),
        await play.call('GET', `/cases/${CASE}/evidence?profile_uid=${TRIO}`, who),
      ];
      expect([name, answers[0]!.body.error]).toEqual([
        name,
        name === 'the second recorder' || name === 'their studio'
          ? 'conflict'
          : 'author_not_allowed',
      ]);
      expect(answers.map(({ text }) => text).join()).not.toMatch(new RegExp(`${SECRET}|@layer`));
    }
    // What is recorded later is not carried.
    await play.record(round, play.first, [{ item: 'one', outcome: 'NA' }]);
    expect((await ask(round, play.first)).body).toEqual(file);
    await play.record(round, play.second, [{ item: 'one', outcome: 'TRUE' }]);
    const released = await play.call('POST', at(round, '/done'), play.second, {});
    expect(released.body.state).toBe('released');
    const { body } = await play.call('GET', at(round, '/agreement'), play.others['a viewer']!);
    expect(body.recorders.map((one: Json) => [one.fit, one.rated])).toEqual([
      ['fits', 2],
      ['fits', 1],
    ]);
  });

  it('is refused where it is damaged, of something else, or does not fit, and then nothing is stored', async () => {
    const [round, other] = [await play.open(), await play.open()];
    const file = carried(round);
    const of = carried(other);
    const [change, ...rest] = file.changes as [Json, ...Json[]];
    const tries: [string, object, string][] = [
      ['another round', of, 'other_round'],
      ["another round's changes", { ...file, changes: of.changes }, 'other_layer'],
      ["another round's commitment", { ...file, done: of.done }, 'other_commitment'],
      ['a change less', { ...file, changes: rest }, 'does_not_fit'],
      ['no changes', { ...file, changes: [] }, 'does_not_fit'],
      [
        'a byte altered',
        { ...file, changes: [{ ...change, change: `${change.change} ` }, ...rest] },
        'damaged_change',
      ],
      ['another commitment', { ...file, done: carried(round).done }, 'does_not_fit'],
    ];
    for (const [name, sent, code] of tries) {
      const { status, body } = await bring(round, play.first, sent);
      expect([name, status, body.details?.[0].code]).toEqual([name, 422, code]);
    }
    for (const sent of [{}, { ...file, mood: 1 }, { ...file, format: 'evidence-studio layer 2' }])
      expect((await bring(round, play.first, sent)).body.error).toBe('validation_failed');
    const own = await play.call('GET', at(round, '/evidence'), play.first);
    expect([own.body.data, own.body.layers[0].changes]).toEqual([[], 0]);
    expect((await ask(round, play.first)).body.details[0].code).toBe('not_done');

    // Of two commitments neither would count.
    await play.record(round, play.first, [{ item: 'one', outcome: 'NA' }]);
    await play.call('POST', at(round, '/done'), play.first, {});
    const { status, body } = await bring(round, play.first, file);
    expect([status, body.details[0].code]).toEqual([409, 'already_done']);
    expect(JSON.stringify((await ask(round, play.first)).body)).not.toContain(SECRET);
  });
});
