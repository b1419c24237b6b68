import { asStream, asUser } from '../support/ids.ts';
import { describe, expect, test } from 'vitest';
import { type Change, type Entry, SCHEMA_VERSION } from '../../src/sync/change.ts';
import { appliedRegister } from '../../src/sync/status.ts';

const change = (entries: Entry[], extra: Partial<Change> = {}): Change => ({
  v: 1,
  case: asStream('c1'),
  hlc: '019b76daa800-0000',
  wall: '2026-01-01T00:00:00.000Z',
  by: { user: asUser('u'), kind: 'human', agent: null, key: null },
  at: { replica: 'r', app: '1', schema: 1 },
  txn: 't',
  why: null,
  nonce: '0'.repeat(32),
  entries,
  ...extra,
});
const entry = (reg: string, value: unknown, extra: Partial<Entry> = {}): Entry => ({
  op: 'set',
  parents: [],
  reg,
  value,
  ...extra,
});
const applies = (one: Entry, extra: Partial<Change> = {}): boolean =>
  appliedRegister(change([one], extra), 0) !== undefined;
const A = 'a/some_profile@1.0/some_rule/item';
const NAME = `c1_${'A'.repeat(43)}#0`;

describe('status of an entry', () => {
  test.each<[string, boolean, Entry, Partial<Change>?]>([
    ['an outcome', true, entry(A, { raw_outcome: 'TRUE' })],
    [
      'an outcome with its source',
      true,
      entry(A, { raw_outcome: null, source_value: 's', provenance: { a: [1] } }),
    ],
    ['a boolean for an outcome', false, entry(A, { raw_outcome: true })],
    ['padding', false, entry(A, { raw_outcome: 'TRUE ' })],
    ['an unknown member', false, entry(A, { raw_outcome: 'TRUE', mood: 1 })],
    ['notes', true, entry(A.replace('a/', 'n/'), 'text')],
    ['cleared notes', true, entry(A.replace('a/', 'n/'), null)],
    ['notes that are no text', false, entry(A.replace('a/', 'n/'), 5)],
    ['a bad rule uid', false, entry('a/some_profile@1.0/Bad-Rule/item', { raw_outcome: 'TRUE' })],
    ['a bad item uid', false, entry('item/label/ padded', 'x')],
    ['an unknown register', false, entry('future/x', 1)],
    ['a set with one parent', true, entry(A, { raw_outcome: 'NA' }, { parents: [NAME] })],
    [
      'S2 a set with two parents',
      false,
      entry(A, { raw_outcome: 'NA' }, { parents: [NAME, NAME.replace('#0', '#1')] }),
    ],
    [
      'S3 a resolve with a reason',
      true,
      entry(A, { raw_outcome: 'NA' }, { op: 'resolve', parents: [NAME] }),
      { why: 'because' },
    ],
    [
      'S3 a resolve without one',
      false,
      entry(A, { raw_outcome: 'NA' }, { op: 'resolve', parents: [NAME] }),
    ],
    [
      'S3 a resolve without parents',
      false,
      entry(A, { raw_outcome: 'NA' }, { op: 'resolve' }),
      { why: 'because' },
    ],
    ['an unknown operation', false, entry(A, { raw_outcome: 'NA' }, { op: 'merge' })],
    [
      'S4 an announced run',
      true,
      entry('run/r1', { content_hash: 'sha256:0' }, { op: 'announce' }),
    ],
    ['S4 a run that is set', false, entry('run/r1', { content_hash: 'sha256:0' })],
    ['S5 a project field in a case', false, entry('project/name', 'x')],
    [
      'S5 a project field in its stream',
      true,
      entry('project/name', 'x'),
      { case: asStream(`@project/prj_${'0'.repeat(26)}`) },
    ],
    [
      'S5 a project field in a stream of no project',
      false,
      entry('project/name', 'x'),
      { case: asStream('@project/prj_1') },
    ],
    [
      'S5 a cell outside a case',
      false,
      entry(A, { raw_outcome: 'TRUE' }),
      { case: asStream('@profiles') },
    ],
    [
      'S1 a newer schema',
      false,
      entry(A, { raw_outcome: 'TRUE' }),
      { at: { replica: 'r', app: '3', schema: SCHEMA_VERSION + 1 } },
    ],
    [
      'S1 a newer schema of the entry alone',
      false,
      { ...entry(A, { raw_outcome: 'TRUE' }), schema: SCHEMA_VERSION + 1 } as Entry,
    ],
    [
      'S1 the document of a matrix',
      true,
      entry('document/test_profile@1.0', { digest: `sha256:${'0'.repeat(64)}` }),
    ],
    [
      'the document of a matrix by something else than a digest',
      false,
      entry('document/test_profile@1.0', { digest: 'first' }),
    ],
    [
      'S5 the document of a matrix outside a case',
      false,
      entry('document/test_profile@1.0', { digest: `sha256:${'0'.repeat(64)}` }),
      { case: asStream('@profiles') },
    ],
    [
      'which document a version is',
      true,
      entry('version/test_profile@1.0', { digest: `sha256:${'0'.repeat(64)}` }),
      { case: asStream('@profiles') },
    ],
    [
      'S5 which document a version is, in a case',
      false,
      entry('version/test_profile@1.0', { digest: `sha256:${'0'.repeat(64)}` }),
    ],
    ['S7 an archived case', true, entry('case/archived', true)],
    ['an archive that is no flag', false, entry('case/archived', 'yes')],
    ['S7 a hidden run', true, entry('hidden/r1', true)],
    ['S5 a retired profile in a case', false, entry('retired/test_profile', true)],
    [
      'S7 a retired profile',
      true,
      entry('retired/test_profile', true),
      { case: asStream('@profiles') },
    ],
    [
      'S7 an archived project',
      true,
      entry('project/archived', true),
      { case: asStream(`@project/prj_${'0'.repeat(26)}`) },
    ],
    ['no profile in use', true, entry('case/profile', null)],
    ['existence', true, entry('case/x', { deleted: false, covers: [] })],
  ])('%s applies: %s', (_, expected, one, extra) => expect(applies(one, extra)).toBe(expected));

  test('S1 a version that knows the schema applies what an older one kept', () => {
    const newer = change([entry(A, { raw_outcome: 'TRUE' })], {
      at: { replica: 'r', app: '3', schema: 3 },
    });
    expect(appliedRegister(newer, 0, 2)).toBeUndefined();
    expect(appliedRegister(newer, 0, 3)).toMatchObject({ kind: 'assertion', item: 'item' });
  });

  test('S1 S7 a version that knows no documents of matrices applies what stands beside one', () => {
    const mixed = change([
      entry('document/test_profile@1.0', { digest: `sha256:${'0'.repeat(64)}` }),
      entry(A, { raw_outcome: 'TRUE' }),
    ]);
    expect([0, 1].map((index) => appliedRegister(mixed, index, 1)?.kind)).toEqual([
      undefined,
      'assertion',
    ]);
    expect([0, 1].map((index) => appliedRegister(mixed, index, 2)?.kind)).toEqual([
      'document',
      'assertion',
    ]);
  });

  test('S7 a version that knows no archive applies what stands beside it', () => {
    const mixed = change([
      entry('case/archived', true),
      entry('hidden/r1', true),
      entry('case/title', 'Closed'),
    ]);
    const kinds = (schema: number) =>
      [0, 1, 2].map((index) => appliedRegister(mixed, index, schema)?.kind);
    expect(kinds(2)).toEqual([undefined, undefined, 'case']);
    expect(kinds(3)).toEqual(['case', 'hidden', 'case']);
  });

  test('siblings are classified separately', () => {
    const mixed = change([entry('future/x', 1), entry(A, { raw_outcome: 'TRUE' })]);
    expect([
      appliedRegister(mixed, 0),
      appliedRegister(mixed, 1)?.kind,
      appliedRegister(mixed, 2),
    ]).toEqual([undefined, 'assertion', undefined]);
  });
});
