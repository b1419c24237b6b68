import { describe, expect, test } from 'vitest';
import {
  type Change,
  DISCUSSION_SCHEMA,
  type Entry,
  LAYERS_SCHEMA,
} from '../../../src/sync/change.ts';
import { formatRegister, layerOf, layerStream, parseRegister } from '../../../src/sync/register.ts';
import { appliedRegister } from '../../../src/sync/status.ts';
import { asCase, asStream } from '../../support/ids.ts';
import { A, B, CASE, G, idOf } from './cast.ts';

const CELL = 'test_profile@1.0/rule_0/i0';
const NAME = `c1_${'A'.repeat(43)}#0`;
const OTHER = `c1_${'B'.repeat(43)}#0`;
const ROUND = `rnd_${'r'.repeat(26)}`;
const SUM = '0'.repeat(64);
const LAYER = layerStream({ case: asCase(CASE), round: ROUND, recorder: idOf(A) });

const entry = (reg: string, value: unknown, more: Partial<Entry> = {}): Entry => ({
  op: 'set',
  parents: [],
  reg,
  value,
  ...more,
});
const announced = (reg: string, value: unknown): Entry => entry(reg, value, { op: 'announce' });
const change = (entries: Entry[], more: Partial<Change> = {}): Change => ({
  v: 1,
  case: asStream(CASE),
  hlc: '019b76daa800-0000',
  wall: '2026-01-01T00:00:00.000Z',
  by: A,
  at: { replica: 'r', app: '1', schema: 1 },
  txn: 't',
  why: null,
  nonce: '0'.repeat(32),
  entries,
  ...more,
});
/** Which entries are applied by a version that knows layers. */
const applied = (entries: Entry[], more: Partial<Change> = {}): boolean[] =>
  entries.map(
    (_, index) => appliedRegister(change(entries, more), index, LAYERS_SCHEMA) !== undefined,
  );

const SAYS = { raw_outcome: 'TRUE', basis: null };
const OUTCOME = entry(`a/${CELL}`, { raw_outcome: 'TRUE' }, { from: [NAME] });
const ACCEPTED = entry(`d/${idOf(G)}/${CELL}`, { entry: NAME, verdict: 'accepted' });
const REFUSED = entry(`d/${idOf(G)}/${CELL}`, { entry: NAME, verdict: 'refused', reason: 'no' });
const TERMS = {
  recorders: [idOf(A), idOf(B)],
  profile_uid: 'test_profile',
  profile_version: '1.0',
  items: 'all',
  rules: 'all',
  quorum: 2,
  opened_by: idOf(A),
  record: 'hidden',
  na_is_a_category: true,
  nonce: '0'.repeat(32),
};
const IMPORT = { ...A, kind: 'import' as const };

describe('status of entries of layers', () => {
  test.each<[string, boolean, Entry, Partial<Change>?]>([
    ['YS1 a suggestion of the author', true, entry(`s/${idOf(A)}/${CELL}`, SAYS)],
    ['YS1 one of an agent', true, entry(`s/${idOf(G)}/${CELL}`, SAYS), { by: G }],
    ['YS1 one of an import', true, entry(`s/${idOf(A)}/${CELL}`, SAYS), { by: IMPORT }],
    [
      'YS1 under the name of the key that one holds',
      false,
      entry(`s/${idOf(G)}/${CELL}`, SAYS),
      { by: B },
    ],
    ['YS1 of a program in its person’s name', false, entry(`s/${G.user}/${CELL}`, SAYS), { by: G }],
    ['a source that is no id', false, entry(`s/someone/${CELL}`, SAYS)],
    ['YS3 a suggestion withdrawn', true, entry(`s/${idOf(A)}/${CELL}`, null)],
    ['YS3 of nothing', false, entry(`s/${idOf(A)}/${CELL}`, { ...SAYS, raw_outcome: null })],
    ['YS3 without a basis', false, entry(`s/${idOf(A)}/${CELL}`, { raw_outcome: 'TRUE' })],
    ['YS3 surer than sure', false, entry(`s/${idOf(A)}/${CELL}`, { ...SAYS, confidence: 1.1 })],
    ['an unknown member', false, entry(`s/${idOf(A)}/${CELL}`, { ...SAYS, mood: 1 })],
    [
      'YS3 a suggestion with everything',
      true,
      entry(`s/${idOf(A)}/${CELL}`, {
        ...SAYS,
        basis: NAME,
        source_value: '1',
        quote: 'q',
        locator: 'p. 14',
        provenance: { page: '14' },
        confidence: 0.9,
        model: { name: 'm', version: '1' },
        prompt_sha256: 'a'.repeat(64),
        document: `sha256:${'a'.repeat(64)}`,
      }),
    ],
    ['YD1 a refusal', true, REFUSED],
    ['YD1 a refusal by a program', false, REFUSED, { by: G }],
    ['YD1 a refusal by an import', false, REFUSED, { by: IMPORT }],
    ['YD2 a decision taken back', true, entry(`d/${idOf(G)}/${CELL}`, null)],
    ['YD2 an acceptance without an outcome', false, ACCEPTED],
    ['YS7 a case that asks for sources', true, entry('policy/requires_source', true)],
    ['YS7 set by a program', false, entry('policy/requires_source', false), { by: G }],
    ['YR1 terms by whom they name', true, announced(`round/${ROUND}/terms`, TERMS)],
    ['YR1 terms by another', false, announced(`round/${ROUND}/terms`, TERMS), { by: B }],
    ['YR1 terms that are set', false, entry(`round/${ROUND}/terms`, TERMS)],
    [
      'YR1 a quorum of more than there are',
      false,
      announced(`round/${ROUND}/terms`, { ...TERMS, quorum: 3 }),
    ],
    [
      'YR1 a recorder twice',
      false,
      announced(`round/${ROUND}/terms`, { ...TERMS, recorders: [idOf(A), idOf(A)] }),
    ],
    ['YR1 a title', true, entry(`round/${ROUND}/title`, 'First')],
    [
      'YR2 a commitment of the recorder',
      true,
      announced(`round/${ROUND}/done/${idOf(A)}`, { count: 0, sum: SUM }),
    ],
    [
      'YR2 a commitment by another',
      false,
      announced(`round/${ROUND}/done/${idOf(B)}`, { count: 0, sum: SUM }),
    ],
    [
      'YR2 a release with a reason',
      true,
      announced(`round/${ROUND}/state`, 'released'),
      { why: 'so' },
    ],
    ['YR2 a release without one', false, announced(`round/${ROUND}/state`, 'released')],
    [
      'YR2 a release by a program',
      false,
      announced(`round/${ROUND}/state`, 'released'),
      { why: 'so', by: G },
    ],
    [
      'YR2 a round that is opened again',
      false,
      announced(`round/${ROUND}/state`, 'open'),
      { why: 'so' },
    ],
    ['YR2 a removal', true, announced(`round/${ROUND}/removed/${idOf(B)}`, {})],
    [
      'YR5 an outcome in the own layer',
      true,
      entry(`a/${CELL}`, { raw_outcome: 'TRUE' }),
      { case: LAYER },
    ],
    [
      'YR5 in another’s',
      false,
      entry(`a/${CELL}`, { raw_outcome: 'TRUE' }),
      { case: LAYER, by: B },
    ],
    [
      'YR5 a list of changes',
      true,
      announced(`committed/${SUM}/0`, { changes: [] }),
      { case: LAYER },
    ],
    ['YR5 such a list in the case', false, announced(`committed/${SUM}/0`, { changes: [] })],
    ['YR5 an item in a layer', false, entry('item/label/i0', 'x'), { case: LAYER }],
    ['YR5 a suggestion in a layer', false, entry(`s/${idOf(A)}/${CELL}`, SAYS), { case: LAYER }],
  ])('%s applies: %s', (_, expected, one, more) => {
    expect(applied([one], more)).toEqual([expected]);
    expect(appliedRegister(change([one], more), 0, LAYERS_SCHEMA - 1)).toBeUndefined();
  });

  const PLACE = { on: 'item', item_uid: 'i/0' };
  const BEGIN = {
    does: 'open',
    place: PLACE,
    kind: 'query',
    text: 'Why?',
    opened_by: idOf(A),
    nonce: '0'.repeat(32),
  };
  const THREAD = `thread/thr_${'t'.repeat(26)}`;
  test.each<[string, boolean, Entry, Partial<Change>?]>([
    ['YT3 a beginning by whom it names', true, announced(THREAD, BEGIN)],
    ['YT3 a beginning by another', false, announced(THREAD, BEGIN), { by: B }],
    ['YT3 one of an agent', true, announced(THREAD, { ...BEGIN, opened_by: idOf(G) }), { by: G }],
    [
      'YT3 one of an agent that assigns',
      false,
      announced(THREAD, { ...BEGIN, opened_by: idOf(G), assigned_to: idOf(A) }),
      { by: G },
    ],
    ['YT2 one that is set', false, entry(THREAD, BEGIN)],
    ['YT2 a place that is none', false, announced(THREAD, { ...BEGIN, place: { on: 'case' } })],
    ['YT2 a thread that is no id', false, announced('thread/x', BEGIN)],
    ['YT1 an act that is not known', false, announced(THREAD, { does: 'delete' })],
    ['YT1 a comment without words', false, announced(THREAD, { does: 'comment', text: ' ' })],
    [
      'YT3 an answer of an agent',
      true,
      announced(THREAD, { does: 'answer', text: 'x' }),
      { by: G },
    ],
    ['YT3 a thread closed by an agent', false, announced(THREAD, { does: 'close' }), { by: G }],
    ['YT3 by a person', true, announced(THREAD, { does: 'close' })],
    ['YT3 by an import', false, announced(THREAD, { does: 'close' }), { by: IMPORT }],
    ['YT6 an assigned row', true, announced('assigned/item/i/0', { to: idOf(B) })],
    ['YT6 by an agent', false, announced('assigned/item/i/0', { to: idOf(B) }), { by: G }],
    ['YT6 a rule', true, announced('assigned/rule/test_profile@1.0/rule_0', { to: null })],
    ['YT6 to nobody known', false, announced('assigned/item/i', { to: 'someone' })],
    ['YT1 in a layer', false, announced(THREAD, BEGIN), { case: LAYER }],
  ])('%s applies: %s', (_, expected, one, more) => {
    const at = (schema: number) => appliedRegister(change([one], more), 0, schema) !== undefined;
    expect([at(DISCUSSION_SCHEMA), at(LAYERS_SCHEMA)]).toEqual([expected, false]);
  });

  test.each<[string, boolean[], Entry[], Partial<Change>?]>([
    ['behind its outcome', [true, true], [OUTCOME, ACCEPTED]],
    ['before it', [false, true], [ACCEPTED, OUTCOME]],
    ['by a program', [true, false], [OUTCOME, ACCEPTED], { by: G }],
    ['from another entry', [true, false], [{ ...OUTCOME, from: [OTHER] }, ACCEPTED]],
    ['from several', [true, false], [{ ...OUTCOME, from: [NAME, OTHER] }, ACCEPTED]],
    ['from what is no list', [true, false], [{ ...OUTCOME, from: NAME as never }, ACCEPTED]],
    ['of another cell', [true, false], [{ ...OUTCOME, reg: `a/${CELL}x` }, ACCEPTED]],
    [
      'of an outcome that is none',
      [true, false],
      [{ ...OUTCOME, value: { raw_outcome: null } }, ACCEPTED],
    ],
    [
      'of an outcome in quarantine',
      [false, false],
      [{ ...OUTCOME, value: { raw_outcome: 'MAYBE' } }, ACCEPTED],
    ],
  ])('YD2 an acceptance %s', (_, expected, entries, more) =>
    expect(applied(entries, more)).toEqual(expected),
  );

  test('YD3 YV1 an earlier version applies the outcome, and keeps the decision', () => {
    const both = change([OUTCOME, ACCEPTED]);
    expect([0, 1].map((index) => appliedRegister(both, index, 3)?.kind)).toEqual([
      'assertion',
      undefined,
    ]);
  });

  test('YR1 a round whose layers could not be named is none', () => {
    const recorder = `usr_${'a'.repeat(64)}`;
    const terms = announced(`round/${ROUND}/terms`, { ...TERMS, recorders: [idOf(A), recorder] });
    expect(applied([terms], { case: asStream('c'.repeat(128)) })).toEqual([false]);
    expect(applied([terms])).toEqual([true]);
  });

  test('A1 a layer’s stream names case, round and recorder', () => {
    expect(layerOf(LAYER)).toEqual({ case: CASE, round: ROUND, recorder: idOf(A) });
    for (const name of ['@layer/', '@layer/c/r', '@layer/c//x', '@layer/c/r/x/y', CASE])
      expect(layerOf(name), name).toBeUndefined();
  });

  test.each([
    `s/${idOf(G)}/p@1.0/r/i/with/slashes`,
    `d/usr_a/${CELL}`,
    'policy/requires_source',
    `round/${ROUND}/terms`,
    `round/${ROUND}/done/usr_a`,
    `round/${ROUND}/removed/usr_a`,
    `committed/${SUM}/12`,
    'thread/thr_x',
    'assigned/item/i/with/slashes',
    'assigned/rule/p@1.0/r',
  ])('A1 %s is written as it is read', (address) => {
    const register = parseRegister(address);
    expect(register && formatRegister(register)).toBe(address);
  });

  test.each([
    's/',
    's/usr_a',
    's/usr_a/p@1.0/r',
    's//p@1.0/r/i',
    'd/usr_a/p/r/i',
    'policy/x',
    'round/x',
    'round/x/colour',
    'round//terms',
    'round/x/done',
    'round/x/done/',
    'round/x/done/y/z',
    'committed/x',
    'committed/x/01',
    'committed/x/-1',
    'committed/x/1/2',
    'thread/',
    'thread/x/y',
    'assigned/item/',
    'assigned/cell/x',
    'assigned/rule/p@1.0/r/i',
    'assigned/rule/p/r',
  ])('A2 %j is no address', (address) => expect(parseRegister(address)).toBeUndefined());
});
