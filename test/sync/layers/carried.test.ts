import { describe, expect, test } from 'vitest';
import { FrozenRound, isReproduced, roundId } from '../../../src/shared/domain/round.ts';
import { type Change, type Entry, seal, type SealedChange } from '../../../src/sync/change.ts';
import { committedLayer, freezeRound, ratingsOf } from '../../../src/sync/layers/committed.ts';
import { layerChangeOf, LayerFileError, readLayerFile } from '../../../src/sync/layers/file.ts';
import { commitmentOf, roundOf } from '../../../src/sync/layers/rounds.ts';
import { layerStream, parseRegister, type Register } from '../../../src/sync/register.ts';
import { asCase } from '../../support/ids.ts';
import { hasher } from '../simulation/core.ts';
import { A, B, C, CASE, CELLS, idOf } from './cast.ts';
import { recordReg, termsOf } from './commands.ts';

/** What leaves the log: a layer in a file, a round in a run. */

const TERMS = { ...termsOf(C, { b: 0, c: 2 }, 0), items: 'all' as const, rules: 'all' as const };
const ROUND = roundId(TERMS, hasher);

function layerOf(by: typeof A, outcomes: readonly string[]) {
  const stream = layerStream({ case: asCase(CASE), round: ROUND, recorder: idOf(by) });
  const write = (place: number, entry: Entry): SealedChange =>
    seal(
      {
        v: 1,
        case: stream,
        hlc: `019b76daa800-000${place}`,
        wall: '2026-01-01T00:00:00.000Z',
        by,
        at: { replica: 'r', app: '1', schema: 1 },
        txn: `t${place}`,
        why: null,
        nonce: String(place).padStart(32, '0'),
        entries: [entry],
      },
      hasher,
    );
  const said = outcomes.map((raw_outcome, place) =>
    write(place, {
      op: 'set',
      parents: [],
      reg: recordReg(CELLS[place] as (typeof CELLS)[number]),
      value: { raw_outcome },
    }),
  );
  const ids = said.map(({ id }) => id);
  const commitment = commitmentOf(ids);
  const list = write(9, {
    op: 'announce',
    parents: [],
    reg: `committed/${commitment.sum}/0`,
    value: { changes: ids },
  });
  const done = seal(
    {
      ...list.change,
      case: asCase(CASE),
      entries: [
        { op: 'announce', parents: [], reg: `round/${ROUND}/done/${idOf(by)}`, value: commitment },
      ],
    },
    hasher,
  );
  return { said, commitment, sealed: [...said, list], done };
}

describe('a layer as a file', () => {
  const { sealed, said, done } = layerOf(A, ['TRUE', 'NA', 'FALSE']);
  const wire = (changes: readonly SealedChange[]) =>
    changes.map(({ id, text }) => ({ id, change: text }));
  const commitTo = (value: unknown, more: Partial<Change> = {}) => {
    const [entry] = done.change.entries as [Entry];
    return wire([seal({ ...done.change, entries: [{ ...entry, value }], ...more }, hasher)])[0];
  };
  const file = {
    format: 'evidence-studio layer 1',
    case_uid: CASE,
    round_id: ROUND,
    recorder: idOf(A),
    done: wire([done])[0],
    changes: wire(sealed),
  };
  const refusal = (one: unknown): [string, number | undefined] | undefined => {
    try {
      readLayerFile(one, hasher);
      return undefined;
    } catch (error) {
      return error instanceof LayerFileError ? [error.code, error.place] : undefined;
    }
  };
  test('YR12 is read where it is whole, and what came later may be in it', () => {
    expect(readLayerFile(file, hasher).sealed.map(({ id }) => id)).toEqual(
      sealed.map(({ id }) => id),
    );
    const [first] = said as [SealedChange];
    const later = seal({ ...first.change, nonce: 'f'.repeat(32) }, hasher);
    expect(refusal({ ...file, changes: wire([...sealed, later]) })).toBeUndefined();
  });
  test.each<[string, unknown, [string, number?]]>([
    ['nothing', null, ['malformed']],
    ['an unknown member', { ...file, mood: 1 }, ['malformed']],
    ['one change less', { ...file, changes: wire(sealed.slice(1)) }, ['does_not_fit']],
    ['no list', { ...file, changes: wire(said) }, ['does_not_fit']],
    [
      'another commitment',
      { ...file, done: commitTo(commitmentOf([])), changes: [] },
      ['nothing refused'],
    ],
    [
      'a commitment made late',
      {
        ...file,
        done: commitTo({ ...commitmentOf(said.map(({ id }) => id)), after_release: true }),
      },
      ['does_not_fit'],
    ],
    ['another recorder', { ...file, recorder: idOf(B) }, ['other_commitment']],
    [
      'a commitment by somebody else',
      { ...file, done: commitTo(commitmentOf([]), { by: B }) },
      ['other_commitment'],
    ],
    [
      'a commitment that says more',
      { ...file, done: commitTo(1, { entries: [...done.change.entries, ...done.change.entries] }) },
      ['other_commitment'],
    ],
    [
      'a commitment of another case',
      { ...file, done: commitTo(1, { ...done.change, case: asCase('other') }) },
      ['other_commitment'],
    ],
    [
      'a change of the layer for its commitment',
      { ...file, done: wire(sealed)[0] },
      ['other_commitment'],
    ],
    [
      'a commitment cut off',
      { ...file, done: { ...wire([done])[0], change: '{' } },
      ['damaged_change'],
    ],
    [
      'a change of another round',
      { ...file, changes: wire([done, ...sealed]) },
      ['other_layer', 0],
    ],
    [
      'a flipped letter',
      {
        ...file,
        changes: wire(sealed).map((one, place) =>
          place === 1 ? { ...one, change: one.change.replace('NA', 'NB') } : one,
        ),
      },
      ['damaged_change', 1],
    ],
    [
      'a change of the layer by somebody else',
      {
        ...file,
        changes: wire([seal({ ...(said[0] as SealedChange).change, by: B }, hasher), ...sealed]),
      },
      ['other_layer', 0],
    ],
  ])('YR12 with %s', (_, one, [code, place]) =>
    expect(refusal(one)).toEqual(code === 'nothing refused' ? undefined : [code, place]),
  );
});

describe('a round in a run', () => {
  const of = new Map([
    [idOf(A), layerOf(A, ['TRUE', 'NA', 'FALSE', 'TRUE'])],
    [idOf(B), layerOf(B, ['TRUE', 'FALSE', 'FALSE'])],
  ]);
  const entry = (what: string, value: unknown) => ({
    register: parseRegister(`round/${ROUND}/${what}`) as Register,
    value,
  });
  const round = roundOf(
    ROUND,
    [
      entry('terms', TERMS),
      ...[...of].map(([recorder, { commitment }]) => entry(`done/${recorder}`, commitment)),
    ],
    hasher,
  );
  if (round === undefined) throw new Error('The terms are those of the round.');
  const layers = [...of].map(([recorder, { sealed }]) => {
    const changes = sealed.map((one) => layerChangeOf(one));
    const committed = committedLayer(round.commitments.get(recorder) ?? [], changes);
    return { recorder, fit: committed.fit, ratings: ratingsOf(TERMS, changes, committed) };
  });
  const frozen = freezeRound(
    round,
    new Map(layers.map(({ recorder, ratings }) => [recorder, ratings])),
    new Map(layers.map(({ recorder, fit }) => [recorder, fit])),
    [],
  );
  test('YF2 holds what its figures come from, and they come out again', () => {
    const parsed = FrozenRound.parse(JSON.parse(JSON.stringify(frozen)));
    expect(parsed).toEqual(frozen);
    expect(frozen.recorders.map(({ ratings, fit }) => [ratings, fit])).toEqual([
      ['TNFT', 'fits'],
      ['TFF-', 'fits'],
    ]);
    expect([frozen.figures.all.units, frozen.figures.all.units_with_two]).toEqual([4, 3]);
    expect(isReproduced(parsed, hasher)).toBe(true);
  });
  const [first, second] = frozen.recorders as [
    (typeof frozen.recorders)[0],
    (typeof frozen.recorders)[0],
  ];
  test.each<[string, Partial<typeof frozen>]>([
    ['another rating', { recorders: [{ ...first, ratings: 'TTFT' }, second] }],
    ['a rating less', { recorders: [{ ...first, ratings: 'TNF' }, second] }],
    ['a recorder less', { recorders: [first] }],
    ['recorders in another order', { recorders: [second, first] }],
    ['ratings where nothing fits', { recorders: [{ ...first, fit: 'differs' }, second] }],
    ['other terms', { terms: { ...TERMS, quorum: 1 } }],
    [
      'another figure',
      { figures: { ...frozen.figures, all: { ...frozen.figures.all, percent: 1 } } },
    ],
  ])('YF2 with %s does not come out', (_, other) =>
    expect(isReproduced({ ...frozen, ...other }, hasher)).toBe(false),
  );
});
