import { describe, expect, test } from 'vitest';
import { type Author, type Change, type Entry, LAYERS_SCHEMA } from '../../../src/sync/change.ts';
import { participantOf } from '../../../src/sync/layers/authors.ts';
import {
  committedLayer,
  differingCells,
  type LayerChange,
  type Rating,
  ratingsOf,
  roundFigures,
} from '../../../src/sync/layers/committed.ts';
import { type AppliedEntry, originOf, recordedBy } from '../../../src/sync/layers/origin.ts';
import {
  commitmentOf,
  hidesRecord,
  layerDenial,
  mayReadLayer,
  type RecordingRound,
  roundDenial,
  type RoundEntry,
  roundOf,
} from '../../../src/sync/layers/rounds.ts';
import {
  acceptable,
  acceptanceOf,
  type CellView,
  lacksCitation,
  suggestionState,
  takenBack,
} from '../../../src/sync/layers/suggestions.ts';
import type { Commitment } from '../../../src/shared/domain/round.ts';
import type { Suggestion } from '../../../src/sync/layers/values.ts';
import { layerStream, parseRegister, type Register } from '../../../src/sync/register.ts';
import { roundId } from '../../../src/shared/domain/round.ts';
import { appliedRegister } from '../../../src/sync/status.ts';
import { asCase, asStream } from '../../support/ids.ts';
import { sameContent } from '../../../src/sync/assertion.ts';
import { mayConflict, rowOf } from '../../../src/sync/layers/record.ts';
import { hasher } from '../simulation/core.ts';
import { A, B, C, CASE, CELLS, G, idOf } from './cast.ts';
import { recordReg, termsOf } from './commands.ts';

const [CELL] = CELLS as [(typeof CELLS)[number]];
const REG = recordReg(CELL);
const idAt = (place: number): string => `c1_${String(place).padEnd(43, 'A')}`;
const registerOf = (reg: string): Register => parseRegister(reg) as Register;

describe('suggestions', () => {
  const value: Suggestion = { raw_outcome: 'TRUE', source_value: 's', basis: 'e1' };
  const view: CellView = {
    suggestion: { name: 's1', value },
    decision: undefined,
    record: { name: 'e1', value: { raw_outcome: 'NA' } },
    restored: [],
    document: undefined,
  };
  const shown = { name: 's1', value };
  const unrecorded = { ...value, basis: null };
  test.each<[string, string, typeof shown, Partial<CellView>]>([
    ['shows its basis', 'open', shown, {}],
    [
      'shows something else',
      'stale',
      shown,
      { record: { name: 'e2', value: { raw_outcome: 'NA' } } },
    ],
    ['shows nothing any more', 'stale', shown, { record: undefined }],
    [
      'shows its basis brought back',
      'open',
      shown,
      { record: { name: 'e3', value: { raw_outcome: 'NA' } }, restored: ['e2', 'e1'] },
    ],
    ['is still unrecorded', 'open', { name: 's1', value: unrecorded }, { record: undefined }],
    [
      'is unrecorded again',
      'open',
      { name: 's1', value: unrecorded },
      { record: { name: 'e2', value: { raw_outcome: null } } },
    ],
    ['was recorded since', 'stale', { name: 's1', value: unrecorded }, {}],
    [
      'is of another document now',
      'stale',
      { name: 's1', value: { ...value, document: 'sha256:a' } },
      { document: 'sha256:b' },
    ],
    ['names a document, and it said none', 'open', shown, { document: 'sha256:b' }],
    ['has a newer suggestion', 'superseded', shown, { suggestion: { name: 's2', value } }],
    [
      'was decided about',
      'accepted',
      shown,
      { decision: { name: 'd1', value: { entry: 's1', verdict: 'accepted' } } },
    ],
    [
      'was decided about before',
      'open',
      shown,
      { decision: { name: 'd1', value: { entry: 's0', verdict: 'refused' } } },
    ],
    ['has a decision taken back', 'open', shown, { decision: { name: 'd2', value: null } }],
  ])('YS4 YS5 where the record %s it is %s', (_, expected, entry, more) =>
    expect(suggestionState(entry, { ...view, ...more })).toBe(expected),
  );
  test('YS5 what was withdrawn is', () =>
    expect(suggestionState({ name: 's1', value: null }, view)).toBe('withdrawn'));

  test('YD6 an acceptance that stood before comes back with its outcome, or not at all', () => {
    const accepted = { entry: `${idAt(1)}#0`, verdict: 'accepted' as const };
    const record = { name: 'e0', value: { raw_outcome: 'NA' as const }, from: [accepted.entry] };
    const back = (before: Parameters<typeof takenBack>[3]) =>
      takenBack(idOf(G), CELL, view, before).map(({ value: of, restores, from }) => [
        of,
        restores,
        from,
      ]);
    expect(back({ record, decision: accepted })).toEqual([
      [record.value, 'e0', record.from],
      [accepted, undefined, undefined],
    ]);
    const other = { ...record, from: [`${idAt(2)}#0`] };
    expect(back({ record: other, decision: accepted })[1]).toEqual([null, undefined, undefined]);
    expect(back({ record: undefined, decision: null })).toEqual([
      [{ raw_outcome: null }, undefined, undefined],
      [null, undefined, undefined],
    ]);
    const refused = { entry: accepted.entry, verdict: 'refused' as const };
    expect(back({ record: undefined, decision: refused })[1]).toEqual([
      refused,
      undefined,
      undefined,
    ]);
  });

  test('Y6 YD5 a stale one is accepted by name alone', () => {
    const stale = { ...view, record: undefined };
    expect([acceptable(shown, stale, 'rule'), acceptable(shown, stale, 'name')]).toEqual([
      false,
      true,
    ]);
    expect(acceptable(shown, view, 'rule')).toBe(true);
  });
});

test('YS7 what rests on nothing that it shows', () => {
  expect(lacksCitation({})).toBe(true);
  expect(lacksCitation({ source_value: '' })).toBe(true);
  for (const shown of [{ source_value: '1' }, { quote: 'q' }, { provenance: { page: '1' } }])
    expect(lacksCitation(shown)).toBe(false);
});

test('YS2 YD4 YR3 which registers may be a conflict for people', () => {
  const may = (reg: string) => mayConflict(registerOf(reg));
  expect(may(`s/usr_a/${REG.slice(2)}`)).toBe(false);
  for (const what of ['done/usr_a', 'removed/usr_a', 'terms', 'state'])
    expect(may(`round/x/${what}`)).toBe(false);
  for (const reg of [REG, `d/usr_a/${REG.slice(2)}`, 'round/x/title']) expect(may(reg)).toBe(true);
  // One verdict about one entry is the same decision, whatever the reasons.
  const about = registerOf(`d/usr_a/${REG.slice(2)}`);
  const said = { entry: 'e', verdict: 'refused', reason: 'a' };
  expect(sameContent(about, said, { ...said, reason: 'b' })).toBe(true);
  expect(sameContent(about, said, { ...said, verdict: 'accepted' })).toBe(false);
  expect(sameContent(about, said, null)).toBe(false);
});

test('YS6 only what is recorded in a case makes a row', () => {
  const layer = layerStream({ case: asCase(CASE), round: 'rnd_x', recorder: 'usr_a' });
  expect(rowOf(registerOf(REG), CASE)).toBe('i0');
  expect(rowOf(registerOf('item/label/i1'), CASE)).toBe('i1');
  expect(rowOf(registerOf(REG), layer)).toBeUndefined();
  for (const kind of ['s', 'd'])
    expect(rowOf(registerOf(`${kind}/usr_a/${REG.slice(2)}`), CASE)).toBeUndefined();
});

/** A change of the case with these entries, as a store that knows layers has it. */
function originIn(
  entries: Entry[],
  found: Record<string, AppliedEntry>,
  more: Partial<Change> = {},
) {
  const change: Change = {
    v: 1,
    case: asStream(CASE),
    hlc: '019b76daa800-0000',
    wall: '2026-01-01T00:00:00.000Z',
    by: C,
    at: { replica: 'r', app: '1', schema: 1 },
    txn: 't',
    why: null,
    nonce: '0'.repeat(32),
    entries,
    ...more,
  };
  const registers = (index: number): Register | undefined =>
    appliedRegister(change, index, LAYERS_SCHEMA);
  return originOf({ change, index: 0, registers }, (name) => found[name]);
}

describe('what an outcome comes from', () => {
  const name = `${idAt(1)}#0`;
  const value: Suggestion = { raw_outcome: 'TRUE', source_value: 's', basis: null };
  const suggestion: AppliedEntry = {
    register: registerOf(REG.replace('a/', `s/${idOf(G)}/`)),
    value,
    stream: CASE,
    by: G,
  };
  const [outcome, decision] = acceptanceOf(
    idOf(G),
    CELL,
    { name, value },
    { record: undefined, decision: undefined },
  );
  const accepted = { kind: 'accepted', suggestion: name, source: idOf(G), author: G, by: C };

  test('YD3 an accepted suggestion, and who accepted it', () => {
    expect(originIn([outcome, decision], { [name]: suggestion })).toEqual({
      ...accepted,
      edited: false,
    });
    const edited = { ...outcome, value: { raw_outcome: 'TRUE', source_value: 'mine' } };
    expect(originIn([edited, decision], { [name]: suggestion })).toEqual({
      ...accepted,
      edited: true,
    });
  });
  test('YF1 Y5 whose the outcome is, and who accepted it', () => {
    const origin = originIn([outcome, decision], { [name]: suggestion });
    expect(recordedBy(origin, C)).toEqual({ author: G, acceptedBy: C });
    expect(recordedBy({ kind: 'own' }, C)).toEqual({ author: C });
  });
  test('YD3 a suggestion that is not here is awaited', () =>
    expect(originIn([outcome, decision], {})).toEqual({ kind: 'awaited' }));
  test.each<[string, Entry[], Partial<AppliedEntry>, Partial<Change>?]>([
    ['without a decision', [outcome], {}],
    ['with another outcome', [{ ...outcome, value: { raw_outcome: 'NA' } }, decision], {}],
    ['by a program', [outcome, decision], {}, { by: G }],
    ['with a refusal', [outcome, { ...decision, value: { entry: name, verdict: 'refused' } }], {}],
    [
      'of a suggestion of another cell',
      [outcome, decision],
      { register: registerOf(`s/${idOf(G)}/p@1.0/r/i`) },
    ],
    [
      'of another source’s',
      [outcome, decision],
      { register: registerOf(REG.replace('a/', `s/${idOf(A)}/`)) },
    ],
    ['of what was withdrawn', [outcome, decision], { value: null }],
    ['of an entry of the record', [outcome, decision], { register: registerOf(REG) }],
  ])('YD3 `from` %s means nothing', (_, entries, other, more) =>
    expect(originIn(entries, { [name]: { ...suggestion, ...other } }, more)).toEqual({
      kind: 'own',
    }),
  );

  const round = `rnd_${'r'.repeat(26)}`;
  const said = (recorder: string, raw_outcome: string, of = round): AppliedEntry => ({
    register: registerOf(REG),
    value: { raw_outcome },
    stream: layerStream({ case: asCase(CASE), round: of, recorder }),
    by: A,
  });
  const other = `${idAt(2)}#0`;
  const settled: Entry = { ...outcome, value: { raw_outcome: 'TRUE' }, from: [name, other] };
  const differ = { [name]: said('usr_a', 'TRUE'), [other]: said('usr_b', 'NA') };
  test('YC6 what recorders agree on, and what a person settled with a reason', () => {
    const agree = { ...differ, [other]: said('usr_b', 'TRUE') };
    const of = { entries: [name, other], round, by: C };
    expect(originIn([settled], agree)).toEqual({ kind: 'agreed', ...of });
    expect(originIn([settled], differ, { why: 'both' })).toEqual({ kind: 'adjudicated', ...of });
  });
  test.each<[string, Record<string, AppliedEntry>, Partial<Change>?]>([
    ['without a reason', differ],
    ['of one recorder twice', { ...differ, [other]: said('usr_a', 'NA') }, { why: 'so' }],
    [
      'of two rounds',
      { ...differ, [other]: said('usr_b', 'NA', `rnd_${'s'.repeat(26)}`) },
      { why: 'so' },
    ],
    ['by a program', differ, { why: 'so', by: G }],
    [
      'of the record',
      { ...differ, [other]: { ...said('usr_b', 'NA'), stream: CASE } },
      { why: 'so' },
    ],
  ])('YC6 `from` %s means nothing', (_, found, more) =>
    expect(originIn([settled], found, more)).toEqual({ kind: 'own' }),
  );
});

const TERMS = { ...termsOf(C, { b: 0, c: 1 }, 0), items: 'all' as const, rules: 'all' as const };
const ROUND = roundId(TERMS, hasher);
const entryOf = (what: string, value: unknown): RoundEntry => ({
  register: registerOf(`round/${ROUND}/${what}`),
  value,
});
const terms = entryOf('terms', TERMS);
const done = (recorder: string, more: object = {}): RoundEntry =>
  entryOf(`done/${recorder}`, { count: 0, sum: '0'.repeat(64), ...more });
const stateOf = (...entries: RoundEntry[]) => roundOf(ROUND, entries, hasher)?.state;

describe('rounds', () => {
  test('YR4 released by its quorum, or by an announcement', () => {
    expect(stateOf()).toBeUndefined();
    expect(stateOf(terms)).toBe('open');
    expect(stateOf(terms, done(idOf(A)))).toBe('open');
    expect(stateOf(terms, done(idOf(A)), done(idOf(A)))).toBe('open');
    expect(stateOf(done(idOf(B)), terms, done(idOf(A)))).toBe('released');
    expect(stateOf(terms, done(idOf(A)), done('usr_z'))).toBe('open');
    expect(stateOf(terms, done(idOf(A)), done(idOf(B), { after_release: true }))).toBe('open');
    expect(stateOf(terms, entryOf('state', 'released'))).toBe('released');
    const removed = entryOf(`removed/${idOf(A)}`, {});
    expect(stateOf(terms, done(idOf(A)), done(idOf(B)), removed)).toBe('released');
  });
  test('YR1 other terms under the id of a round are none', () => {
    const others = entryOf('terms', { ...TERMS, quorum: 1 });
    expect(stateOf(others)).toBeUndefined();
    expect(stateOf(terms, others, done(idOf(A)))).toBe('open');
  });

  const open = roundOf(ROUND, [terms], hasher) as RecordingRound;
  const released: RecordingRound = { ...open, state: 'released' };
  const layer = { case: asCase(CASE), round: ROUND, recorder: idOf(A) };
  const caller = (id: string, more = {}) => ({
    id,
    isStudio: false,
    isOwner: false,
    hasKey: (key: string) => key === idOf(G),
    ...more,
  });
  test('YR6 a layer is given to its recorder, and to everybody once released', () => {
    const may = (id: string, round: RecordingRound | undefined) =>
      mayReadLayer(layer, round, { id });
    expect([may(idOf(A), open), may(idOf(B), open), may(idOf(A), undefined)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(may(idOf(B), released)).toBe(true);
    expect(mayReadLayer({ ...layer, recorder: 'usr_z' }, released, { id: idOf(B) })).toBe(false);
  });
  test.each<[string, string | undefined, string, RecordingRound | undefined, object?, Author?]>([
    ['the recorder', undefined, idOf(A), open],
    // Else the answer would say how much there is.
    ['another’s studio, of their own', 'not_found', idOf(B), open, { isStudio: true }, B],
    ['their studio, of another’s', 'author_not_allowed', idOf(A), open, { isStudio: true }, B],
    [
      'the recorder, removed',
      'author_not_allowed',
      idOf(A),
      { ...open, removed: new Set([idOf(A)]) },
    ],
    ['the recorder, of no round', 'not_found', idOf(A), undefined],
    ['another', 'not_found', idOf(B), open],
    ['another, once released', 'author_not_allowed', idOf(B), released],
    ['an owner’s studio, sealed', 'not_found', idOf(C), open, { isStudio: true, isOwner: true }],
    [
      'an owner’s studio, once released',
      undefined,
      idOf(C),
      released,
      { isStudio: true, isOwner: true },
    ],
  ])('YR6 YR8 YR11 a change of a layer by %s: %s', (_, expected, id, round, more, by = A) =>
    expect(
      layerDenial(layer, round, caller(id, more), { id: participantOf(by), user: by.user }),
    ).toBe(expected),
  );

  const mayBring = (
    what: string,
    author: { id: string; user: string },
    by: ReturnType<typeof caller>,
  ) => roundDenial(registerOf(`round/${ROUND}/${what}`), author, by, open);
  const asA = { id: idOf(A), user: A.user };
  test('YR9 who brings what opens a round speaks for its author', () => {
    const studio = { isStudio: true };
    expect(mayBring(`done/${idOf(A)}`, asA, caller(idOf(A)))).toBeUndefined();
    expect(mayBring(`done/${idOf(A)}`, asA, caller(idOf(B), studio))).toBe('author_not_allowed');
    // A studio's own agent, and a key that the server knows itself.
    const own = { id: 'keyLkeyLke', user: A.user };
    expect(mayBring('done/keyLkeyLke', own, caller(idOf(A), studio))).toBeUndefined();
    const hosted = { id: idOf(G), user: G.user };
    expect(mayBring(`done/${idOf(G)}`, hosted, caller(G.user, studio))).toBe('author_not_allowed');
    expect(mayBring(`done/${idOf(G)}`, hosted, caller(idOf(G)))).toBeUndefined();
  });
  test('YR9 an owner releases; an owner or the opener removes', () => {
    const asC = { id: idOf(C), user: C.user };
    expect(mayBring('state', asC, caller(idOf(C), { isOwner: true }))).toBeUndefined();
    expect(mayBring('state', asC, caller(idOf(C)))).toBe('insufficient_scope');
    for (const isOwner of [false, true])
      expect(mayBring('state', asC, caller(idOf(B), { isStudio: true, isOwner }))).toBe(
        'author_not_allowed',
      );
    expect(mayBring('terms', asC, caller(idOf(B), { isStudio: true }))).toBeUndefined();
    expect(mayBring('removed/usr_b', asC, caller(idOf(C)))).toBeUndefined();
    expect(mayBring('removed/usr_b', asA, caller(idOf(A)))).toBe('insufficient_scope');
    expect(mayBring('title', asA, caller(idOf(B)))).toBeUndefined();
  });
  test('YR7 a recorder is not shown the record of an open round', () => {
    expect(hidesRecord(open, idOf(A), CELL)).toBe(true);
    expect(hidesRecord(open, 'usr_z', CELL)).toBe(false);
    expect(hidesRecord(released, idOf(A), CELL)).toBe(false);
    expect(hidesRecord({ ...open, removed: new Set([idOf(A)]) }, idOf(A), CELL)).toBe(false);
    expect(hidesRecord({ ...open, terms: { ...TERMS, record: 'shown' } }, idOf(A), CELL)).toBe(
      false,
    );
    expect(
      hidesRecord({ ...open, terms: { ...TERMS, items: ['i1'] as never } }, idOf(A), CELL),
    ).toBe(false);
  });
});

describe('what counts', () => {
  const rated = (
    place: number,
    outcome: string | null,
    parents: string[] = [],
    reg = REG,
  ): LayerChange => ({
    id: idAt(place),
    hlc: `019b76daa800-000${place}`,
    entries: [{ parents, value: { raw_outcome: outcome }, register: registerOf(reg) }],
  });
  const list = (sum: string, ids: string[], place = 9): LayerChange => ({
    id: idAt(place),
    hlc: `019b76daa800-000${place}`,
    entries: [
      { parents: [], value: { changes: ids }, register: registerOf(`committed/${sum}/${place}`) },
    ],
  });
  const [one, two] = [rated(1, 'TRUE'), rated(2, 'NA', [`${idAt(1)}#0`])];
  const ids = [one.id];
  const commitment = commitmentOf(ids);
  const fitOf = (stated: readonly Commitment[], changes: LayerChange[]) =>
    committedLayer(stated, changes).fit;

  test('YC2 whether a commitment fits its layer', () => {
    const listed = list(commitment.sum, ids);
    expect(fitOf([], [one])).toBe('none');
    expect(fitOf([commitment], [one])).toBe('awaited');
    expect(fitOf([commitment], [listed])).toBe('awaited');
    expect(fitOf([commitment], [one, listed])).toBe('fits');
    expect(fitOf([commitment], [one, two, listed])).toBe('fits');
    expect(fitOf([commitment], [one, two, listed, list(commitment.sum, [two.id], 8)])).toBe(
      'differs',
    );
    expect(fitOf([commitment], [two, list(commitment.sum, [two.id])])).toBe('differs');
    expect(fitOf([{ ...commitment, after_release: true }], [one, listed])).toBe('late');
    expect(fitOf([commitment, commitmentOf([])], [one, listed])).toBe('differs');
    expect(fitOf([commitmentOf([])], [])).toBe('fits');
  });
  test('YC3 what came after the commitment supersedes nothing', () => {
    const changes = [one, two, list(commitment.sum, ids)];
    const ratings = ratingsOf(TERMS, changes, committedLayer([commitment], changes));
    expect([...ratings]).toEqual([[REG, { name: `${idAt(1)}#0`, outcome: 'TRUE' }]]);
    const both = commitmentOf([one.id, two.id]);
    const all = [one, two, list(both.sum, [one.id, two.id])];
    expect(ratingsOf(TERMS, all, committedLayer([both], all)).get(REG)?.outcome).toBe('NA');
  });
  test('YC3 a cell outside of the round, and one cleared again, are missing', () => {
    const outside = rated(3, 'TRUE', [], REG.replace('rule_0', 'rule_1'));
    const cleared = rated(4, null, [`${idAt(1)}#0`]);
    const stated = commitmentOf([one.id, outside.id, cleared.id]);
    const all = [one, outside, cleared, list(stated.sum, [one.id, outside.id, cleared.id])];
    const only = { ...TERMS, rules: ['rule_0'] };
    expect(ratingsOf(only, all, committedLayer([stated], all)).size).toBe(0);
  });
  test('YC4 YC5 units, figures by rule, and what there is to adjudicate', () => {
    const second = REG.replace('rule_0', 'rule_1');
    const ratings = new Map<string, Map<string, Rating>>([
      [
        idOf(A),
        new Map([
          [REG, { name: 'x', outcome: 'TRUE' }],
          [second, { name: 'y', outcome: 'NA' }],
        ]),
      ],
      [idOf(B), new Map([[REG, { name: 'z', outcome: 'FALSE' }]])],
    ]);
    const { all, rules } = roundFigures({ terms: TERMS }, ratings);
    expect([all.units, all.units_with_two, all.percent]).toEqual([2, 1, 0]);
    expect(rules.map(({ rule, figures }) => [rule, figures.units])).toEqual([
      ['rule_0', 1],
      ['rule_1', 1],
    ]);
    expect(differingCells(ratings)).toEqual([REG]);
    const listed = { ...TERMS, items: ['i0', 'i1'] as never, rules: ['rule_0', 'rule_1'] };
    expect(roundFigures({ terms: listed }, ratings).all.units).toBe(4);
  });
});
