import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/shared/lib/canonical-json.ts';
import { CASE_STAGES, NEXT_STAGES, STATEMENT_FORMAT } from '../../src/shared/domain/sign-off.ts';
import { type Change, type Entry, SIGN_OFF_SCHEMA } from '../../src/sync/change.ts';
import { HLC_ZERO, nextHlc } from '../../src/sync/clock.ts';
import { approvedSpans, mayMove, type PlacedMove, stageOf } from '../../src/sync/sign-off.ts';
import { appliedRegister } from '../../src/sync/status.ts';
import { lengthOf, seedOf } from '../support/length.ts';
import { asStream } from '../support/ids.ts';
import { A, CASE, G, idOf } from './layers/cast.ts';

const RUN = { run_uid: 'run-1', content_hash: `sha256:${'a'.repeat(64)}` };
const clock = (ms: number): string => nextHlc(HLC_ZERO, ms);
const name = (letter: string, index = 0): string => `c1_${letter.repeat(43)}#${index}`;

const STATEMENT = {
  format: STATEMENT_FORMAT,
  case_uid: CASE,
  ...RUN,
  items_root: 'b'.repeat(64),
  meaning: 'review',
  signer: { user_id: idOf(A), name: 'Ada' },
  signed_at: '2026-01-01T00:00:00.000Z',
  confirmed_by: 'password',
};
const signed = (statement: string): Record<string, string> => ({
  statement,
  signature: 'untrusted comment: x',
  public_key: `RW${'A'.repeat(54)}`,
});
const entry = (reg: string, value: unknown, op = 'announce'): Entry => ({
  op,
  parents: [],
  reg,
  value,
});
const change = (one: Entry, more: Partial<Change> = {}): Change => ({
  v: 1,
  case: asStream(CASE),
  hlc: '019b76daa800-0000',
  wall: '2026-01-01T00:00:00.000Z',
  by: A,
  at: { replica: 'r', app: '1', schema: 1 },
  txn: 't',
  why: 'because',
  nonce: '0'.repeat(32),
  entries: [one],
  ...more,
});

describe('Z5 status of moves, signatures and time-stamps', () => {
  const text = canonicalJson(STATEMENT);
  const SIGNATURE = entry('signature/run-1', signed(text));
  const STAMPED = { covers: 'c'.repeat(64), token: 'MAA=' };
  const STAMP = entry('time_stamp/run-1', STAMPED);
  test.each<[string, boolean, Entry, Partial<Change>?]>([
    ['Z1 a move', true, entry('stage/case', { stage: 'in_review', after: null })],
    [
      'Z1 an approval of a run',
      true,
      entry('stage/case', { stage: 'approved', after: name('A'), run: RUN }),
    ],
    ['Z1 an approval of nothing', false, entry('stage/case', { stage: 'approved', after: null })],
    [
      'Z1 another move with a run',
      false,
      entry('stage/case', { stage: 'amended', after: null, run: RUN }),
    ],
    [
      'Z1 without a reason',
      false,
      entry('stage/case', { stage: 'in_review', after: null }),
      { why: ' ' },
    ],
    ['Z1 by a program', false, entry('stage/case', { stage: 'in_review', after: null }), { by: G }],
    ['Z1 set like a field', false, entry('stage/case', { stage: 'in_review', after: null }, 'set')],
    ['Z6 a signature', true, SIGNATURE],
    ['Z6 by a program', false, SIGNATURE, { by: G }],
    [
      'Z6 in another’s name',
      false,
      entry(
        'signature/run-1',
        signed(canonicalJson({ ...STATEMENT, signer: { user_id: 'usr_other', name: 'B' } })),
      ),
    ],
    ['Z6 under another run', false, entry('signature/run-2', signed(text))],
    [
      'Z6 on another case',
      false,
      entry('signature/run-1', signed(canonicalJson({ ...STATEMENT, case_uid: 'other' }))),
    ],
    [
      'Z6 on what is not canonical',
      false,
      entry('signature/run-1', signed(JSON.stringify(STATEMENT))),
    ],
    ['Z7 a time-stamp', true, STAMP],
    ['Z7 by a program', false, STAMP, { by: G }],
    ['Z7 that is set', false, { ...STAMP, op: 'set' }],
    [
      'Z7 of something without a hash',
      false,
      entry('time_stamp/run-1', { ...STAMPED, covers: 'x' }),
    ],
    ['Z7 that is no base64', false, entry('time_stamp/run-1', { ...STAMPED, token: '{}' })],
    ['Z6 on what is no JSON', false, entry('signature/run-1', signed('{'))],
  ])('%s applies: %s', (_, expected, one, more) => {
    expect(appliedRegister(change(one, more), 0, SIGN_OFF_SCHEMA) !== undefined).toBe(expected);
    expect(appliedRegister(change(one, more), 0, SIGN_OFF_SCHEMA - 1)).toBeUndefined();
  });
});

const moves = fc.uniqueArray(
  fc.record({
    at: fc.nat(20),
    letter: fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F'),
    stage: fc.constantFrom(...CASE_STAGES),
    after: fc.option(fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F').map((one) => name(one))),
  }),
  { selector: ({ letter }) => letter },
);
const placed = (
  drawn: {
    at: number;
    letter: string;
    stage: (typeof CASE_STAGES)[number];
    after: string | null;
  }[],
): PlacedMove[] =>
  drawn.map(({ at, letter, stage, after }) => ({
    name: name(letter),
    hlc: clock(1_000 + at),
    value: { stage, after },
  }));

describe('stage of a case', () => {
  test('Z1 Z2 Z4 are functions of the set of moves', () => {
    fc.assert(
      fc.property(moves, fc.nat(21), fc.infiniteStream(fc.nat()), (drawn, at, order) => {
        const all = placed(drawn);
        const keys = new Map(all.map((move) => [move, order.next().value as number]));
        const other = all.toSorted((a, b) => keys.get(a)! - keys.get(b)!);
        const hlc = clock(1_000 + at);
        const one = stageOf(all);
        expect(stageOf(other)).toMatchObject({ stage: one.stage, move: one.move });
        expect(approvedSpans(other)).toEqual(approvedSpans(all));
        // The spans say of each clock value what the moves before it do.
        const isIn = approvedSpans(all).some(
          ({ from, to }) => from.hlc < hlc && (to === undefined || hlc <= to.hlc),
        );
        expect(isIn).toBe(stageOf(all.filter((move) => move.hlc < hlc)).stage === 'approved');
        // A move that comes later counts, unless it would take an approval away.
        const later: PlacedMove = {
          name: name('Z'),
          hlc: clock(2_000),
          value: { stage: 'in_review', after: one.move?.name ?? null },
        };
        const then = stageOf([...all, later]);
        expect(then.move).toBe(one.stage === 'approved' ? one.move : later);
        expect(then.unaware.includes(later)).toBe(one.stage === 'approved');
      }),
      { seed: seedOf(), numRuns: lengthOf(200, 20_000) },
    );
  });

  test('Z1 only an amendment supersedes an approval', () => {
    const approved = {
      name: name('A'),
      hlc: clock(1_000),
      value: { stage: 'approved', after: null },
    };
    for (const stage of CASE_STAGES)
      for (const after of [name('A'), null]) {
        const next = { name: name('B'), hlc: clock(2_000), value: { stage, after } };
        const shown = stageOf([next, approved] as PlacedMove[]);
        expect(shown.move).toBe(stage === 'amended' ? next : approved);
      }
  });

  test('Z3 no stage leads to itself, and approval only from review', () => {
    for (const from of CASE_STAGES) {
      expect(mayMove(from, from)).toBe(false);
      expect(mayMove(from, 'approved')).toBe(from === 'in_review');
      expect(NEXT_STAGES[from].length).toBeGreaterThan(0);
    }
  });
});
