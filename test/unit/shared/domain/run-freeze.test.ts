import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  contentHash,
  FrozenRun,
  freezeRun,
  RunError,
  verifyRun,
} from '../../../../src/shared/domain/run.ts';
import { testHasher } from '../../../support/hasher.ts';
import { contestedInput, sampleInput, sampleProfile, sampleRecord } from './run-sample.ts';

/** Changes only with a new `method` or content format: stored runs everywhere depend on them. */
const KNOWN_HASH = 'sha256:ecb07cdcde6c645436f75f90177c8f3cc67907a831a61c3f92c795c23fa21718';
const KNOWN_CONTESTED_HASH =
  'sha256:e0484fa9de574c2b8ce05a556475396abd6632dfb1c780d05c0171191d62d577';
const KNOWN_ADDRESSES_HASH =
  'sha256:d921cae8974fb1205470b6ff8aca19d02a8636d20fd4fe01f24fdfc1f09b4cbc';

describe('freezeRun', () => {
  const { frozen, result, settings, method, content_hash } = freezeRun(sampleInput, testHasher);

  it('puts items and rules in order and fills the matrices', () => {
    expect(frozen.items).toEqual([
      { item_uid: 'item_a', item_type: 'claim', label: 'A', metadata: { n: 0.1 } },
      { item_uid: 'item_b', item_type: 'claim', label: 'B', metadata: {} },
      { item_uid: 'item_c', item_type: 'claim', label: 'C', metadata: {} },
    ]);
    expect(frozen.rules).toEqual(['sample_traced', 'assay_repeated', 'controls_run']);
    expect(frozen.raw).toEqual([
      ['FALSE', 'TRUE', null],
      ['FALSE', null, 'NA'],
      [null, null, null],
    ]);
    expect(frozen.matrix).toEqual([
      [1, 0, 0],
      [1, 0, 0],
      [0, 0, 0],
    ]);
    expect(frozen.profile).toBe(sampleProfile);
  });

  it('lists, in order, only the cells that have a source value, notes or provenance', () => {
    expect(frozen.cells).toEqual([
      {
        item_uid: 'item_a',
        rule_uid: 'sample_traced',
        source_value: 'tube 12',
        notes: null,
        provenance: { tool: 'scanner', version: 2 },
      },
      {
        item_uid: 'item_b',
        rule_uid: 'controls_run',
        source_value: null,
        notes: 'Not asked for.',
        provenance: null,
      },
      {
        item_uid: 'item_c',
        rule_uid: 'sample_traced',
        source_value: null,
        notes: null,
        provenance: 'cleared by hand',
      },
    ]);
  });

  it('is a valid frozen document, and leaves out members that a stored record has beyond it', () => {
    const stored = {
      ...sampleInput,
      case: { ...sampleInput.case, created_at: 'x', version: 3 },
      items: [...sampleInput.items].map((item) => ({ ...item, updated_at: 'x' })),
    };
    const again = freezeRun(stored, testHasher);
    expect(FrozenRun.safeParse(again.frozen).error).toBeUndefined();
    expect(again.content_hash).toBe(content_hash);
  });

  it('has the known content hash, which anyone can compute from the documented parts', () => {
    const { case: frozenCase, profile, items, rules, raw, cells } = frozen;
    const text = canonicalize({
      case: frozenCase,
      profile,
      items,
      rules,
      raw,
      cells,
      settings,
      method,
      result,
    });
    expect(content_hash).toBe(`sha256:${testHasher.sha256Hex(text ?? '')}`);
    expect(content_hash).toBe(KNOWN_HASH);
  });

  it('puts contested cells, in order, and the reason into the content and its hash', () => {
    const contested = freezeRun(contestedInput, testHasher);
    expect(contested.frozen.contested).toMatchObject([
      {
        item_uid: 'item_a',
        rule_uid: 'sample_traced',
        material: true,
        heads: [{ raw_outcome: 'FALSE' }, { raw_outcome: 'TRUE' }],
      },
      {
        item_uid: 'item_b',
        rule_uid: 'controls_run',
        material: false,
        notes: [{ notes: 'Not asked for.' }, { notes: null }],
      },
    ]);
    expect(contested.content_hash).toBe(KNOWN_CONTESTED_HASH);
    expect(
      freezeRun({ ...contestedInput, contested_reason: 'Another.' }, testHasher).content_hash,
    ).not.toBe(KNOWN_CONTESTED_HASH);
    expect('contested' in frozen || 'contested_reason' in frozen).toBe(false);
  });

  it('hashes contested cells of the first versions, which held addresses alone, as those versions did', () => {
    const addresses = [
      { item_uid: 'item_a', rule_uid: 'sample_traced' },
      { item_uid: 'item_b', rule_uid: 'controls_run' },
    ];
    const old = {
      ...frozen,
      contested: addresses,
      contested_reason: 'Both readings are kept for the audit.',
    };
    const hash = contentHash({ ...old, settings, method, result }, testHasher);
    expect(hash).toBe(KNOWN_ADDRESSES_HASH);
    expect(
      verifyRun({ ...sampleRecord(), frozen: old, content_hash: hash }, testHasher),
    ).toMatchObject({ problems: [], content_hash: { ok: true }, recomputed: { ok: true } });
  });

  it('does not depend on the order in which items and cells are given', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...sampleInput.items], { minLength: 3 }),
        fc.shuffledSubarray([...sampleInput.cells], { minLength: 5 }),
        (items, cells) => {
          expect(freezeRun({ ...sampleInput, items, cells }, testHasher).content_hash).toBe(
            content_hash,
          );
        },
      ),
    );
  });

  it.each<[string, object, string]>([
    ['an item twice', { items: [...sampleInput.items, ...sampleInput.items] }, 'duplicate_item'],
    ['a cell twice', { cells: [...sampleInput.cells, ...sampleInput.cells] }, 'duplicate_cell'],
    [
      'a cell of no item',
      { cells: [{ item_uid: 'nobody', rule_uid: 'controls_run', raw_outcome: 'NA' }] },
      'unknown_cell',
    ],
    [
      'a cell of no rule',
      { cells: [{ item_uid: 'item_a', rule_uid: 'nothing', raw_outcome: 'NA' }] },
      'unknown_cell',
    ],
    [
      'a contested cell of no rule',
      {
        contested: [
          { item_uid: 'item_a', rule_uid: 'nothing', heads: [] },
          { item_uid: 'item_a', rule_uid: 'controls_run', heads: [] },
        ],
        contested_reason: 'x',
      },
      'unknown_cell',
    ],
    [
      'contested cells without a reason',
      { contested: contestedInput.contested, contested_reason: ' ' },
      'reason_missing',
    ],
  ])('refuses %s', (_, change, code) => {
    expect(() => freezeRun({ ...sampleInput, ...change }, testHasher)).toThrow(
      expect.objectContaining({ constructor: RunError, code }),
    );
  });

  it('refuses a case without items', () => {
    expect(() => freezeRun({ ...sampleInput, items: [], cells: [] }, testHasher)).toThrow(
      expect.objectContaining({ code: 'empty_matrix' }),
    );
  });
});
