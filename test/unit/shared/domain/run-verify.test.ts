import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash, RunRecord, verifyRun } from '../../../../src/shared/domain/run.ts';
import { testHasher } from '../../../support/hasher.ts';
import { contestedInput, leaves, replaced, sampleRecord } from './run-sample.ts';
import { asCase, asProfile, asRun } from '../../../support/ids.ts';

/** Members that say who, when and by what, and which run: outside the hash. */
const UNHASHED = new Set(['project_id', 'created_at', 'created_by', 'engine']);

function roundTrip(record: unknown): unknown {
  return JSON.parse(JSON.stringify(record));
}

/** Another value that the schema would still take where it can. */
function altered(value: unknown): unknown {
  if (value === 'FALSE') return 'TRUE';
  if (value === 'TRUE' || value === 'NA') return 'FALSE';
  if (typeof value === 'string') return `${value}x`;
  if (typeof value === 'number') return Number.isInteger(value) ? value + 1 : value * (1 + 1e-10);
  if (value === null) return 'FALSE';
  return Array.isArray(value) ? [{}] : { x: 1 };
}

function rehashed(record: RunRecord): RunRecord {
  return {
    ...record,
    content_hash: contentHash(
      { ...record.frozen, settings: record.settings, method: record.method, result: record.result },
      testHasher,
    ),
  };
}

describe('verifyRun', () => {
  const record = sampleRecord(contestedInput);

  it.each([sampleRecord(), record])(
    'accepts an untouched record after a round trip through JSON',
    (own) => {
      expect(RunRecord.safeParse(roundTrip(own)).error).toBeUndefined();
      expect(verifyRun(roundTrip(own), testHasher)).toEqual({
        valid_document: true,
        problems: [],
        content_hash: { ok: true, stated: own.content_hash, computed: own.content_hash },
        recomputed: { ok: true, differences: [] },
      });
    },
  );

  it('detects a change of any single member that the hash covers, or that repeats one', () => {
    const all = leaves(roundTrip(record));
    expect(all.length).toBeGreaterThan(100);
    for (const { path, value } of all) {
      if (UNHASHED.has(String(path[0]))) continue;
      const report = verifyRun(replaced(roundTrip(record), path, altered(value)), testHasher);
      expect(
        report.valid_document && report.content_hash.ok && report.recomputed.ok,
        path.join('/'),
      ).toBe(false);
    }
  });

  it('detects any member removed or added', () => {
    for (const { path } of leaves(roundTrip(record))) {
      const parent = path.slice(0, -1);
      const copy = roundTrip(record) as Record<string, unknown>;
      const owner = parent.reduce<Record<string | number, unknown>>(
        (at, key) => at[key] as Record<string, unknown>,
        copy,
      );
      if (Array.isArray(owner)) owner.splice(Number(path.at(-1)), 1);
      else delete owner[path.at(-1) ?? ''];
      const report = verifyRun(copy, testHasher);
      expect(
        report.valid_document && report.content_hash.ok && report.recomputed.ok,
        path.join('/'),
      ).toBe(false);
    }
    expect(verifyRun({ ...record, note: 'x' }, testHasher).valid_document).toBe(false);
  });

  it('leaves who, when, project and engine free: they are outside the hash', () => {
    const moved = {
      ...record,
      project_id: 'p2',
      created_by: 'Other',
      created_at: '2027-01-01T00:00:00.000Z',
      engine: { name: 'e', version: '9' },
      run_uid: 'run_2',
      url: '/studio/runs/run_2',
    };
    expect(verifyRun(moved, testHasher)).toMatchObject({
      valid_document: true,
      content_hash: { ok: true },
      recomputed: { ok: true },
    });
  });

  it('recomputes the result even where a forger has made the hash fit', () => {
    for (const { path, value } of leaves(record.result, ['result'])) {
      const report = verifyRun(
        rehashed(replaced(record, path, altered(value)) as RunRecord),
        testHasher,
      );
      expect(report.content_hash.ok, path.join('/')).toBe(true);
      expect(report.recomputed, path.join('/')).toMatchObject({
        ok: false,
        differences: [{ path: `/${path.join('/')}`, stated: altered(value), computed: value }],
      });
    }
    const plain = sampleRecord();
    const changedEvidence = rehashed({
      ...plain,
      frozen: {
        ...plain.frozen,
        raw: plain.frozen.raw.with(0, ['NA', 'NA', 'NA']),
        matrix: plain.frozen.matrix.with(0, [0, 0, 0]),
      },
    });
    expect(verifyRun(changedEvidence, testHasher)).toMatchObject({
      content_hash: { ok: true },
      recomputed: { ok: false },
    });
  });

  it('judges again which contested cells are material, and compares their shown heads with the matrix', () => {
    const [first, second] = record.frozen.contested ?? [];
    const denied = rehashed({
      ...record,
      frozen: { ...record.frozen, contested: [{ ...first, material: false }, second] },
    } as RunRecord);
    expect(verifyRun(denied, testHasher)).toMatchObject({
      content_hash: { ok: true },
      recomputed: {
        ok: false,
        differences: [{ path: '/frozen/contested/0/material', stated: false, computed: true }],
      },
    });
    const swapped = rehashed({
      ...record,
      frozen: {
        ...record.frozen,
        contested: [{ ...first, heads: first?.heads?.toReversed() }, second],
      },
    } as RunRecord);
    expect(verifyRun(swapped, testHasher).problems.map((problem) => problem.path)).toEqual([
      '/frozen/contested',
    ]);
  });

  it('allows for the last digits of another engine in quantiles, and not for more', () => {
    const nudged = (factor: number) => {
      const [first, ...rest] = record.result.items;
      return rehashed({
        ...record,
        result: {
          ...record.result,
          items: [
            {
              ...(first as NonNullable<typeof first>),
              theta_lower: (first?.theta_lower ?? 0) * factor,
            },
            ...rest,
          ],
        },
      });
    };
    expect(verifyRun(nudged(1 + 5e-13), testHasher).recomputed.ok).toBe(true);
    expect(verifyRun(nudged(1 + 2e-12), testHasher).recomputed.ok).toBe(false);
  });

  it.each<[string, (own: RunRecord) => RunRecord, string]>([
    ['case_uid', (own) => ({ ...own, case_uid: asCase('other') }), '/case_uid'],
    ['profile_uid', (own) => ({ ...own, profile_uid: asProfile('other') }), '/profile_uid'],
    ['profile_version', (own) => ({ ...own, profile_version: '2.0' }), '/profile_version'],
    ['url', (own) => ({ ...own, run_uid: asRun('run_9') }), '/url'],
    [
      'matrix',
      (own) => ({
        ...own,
        frozen: { ...own.frozen, matrix: own.frozen.matrix.with(0, [0, 0, 0]) },
      }),
      '/frozen/matrix',
    ],
    [
      'rules',
      (own) =>
        rehashed({ ...own, frozen: { ...own.frozen, rules: own.frozen.rules.toReversed() } }),
      '/frozen/rules',
    ],
  ])('names a contradiction in %s although the hash itself fits', (_, change, path) => {
    const report = verifyRun(change(record), testHasher);
    expect(report).toMatchObject({ valid_document: true, content_hash: { ok: false } });
    expect(report.content_hash.computed).toBe(report.content_hash.stated);
    expect(report.problems.map((problem) => problem.path)).toContain(path);
  });

  it.each<[string, (own: RunRecord) => unknown, string]>([
    ['a ragged matrix', (own) => replaced(own, ['frozen', 'raw', 0], ['NA']), '/frozen/raw'],
    ['a missing row', (own) => replaced(own, ['frozen', 'matrix'], []), '/frozen/matrix'],
    [
      'an item twice',
      (own) => replaced(own, ['frozen', 'items', 1], own.frozen.items[0]),
      '/frozen/items',
    ],
    [
      'a rule twice',
      (own) => replaced(own, ['frozen', 'rules', 1], own.frozen.rules[0]),
      '/frozen/rules',
    ],
    [
      'cells out of order',
      (own) => replaced(own, ['frozen', 'cells'], own.frozen.cells.toReversed()),
      '/frozen/cells',
    ],
    [
      'a cell of no item',
      (own) => replaced(own, ['frozen', 'cells', 0, 'item_uid'], 'nobody'),
      '/frozen/cells',
    ],
    [
      'a cell without details',
      (own) => replaced(own, ['frozen', 'cells', 1, 'notes'], null),
      '/frozen/cells',
    ],
    [
      'contested cells without a reason',
      (own) => replaced(own, ['frozen', 'contested_reason'], undefined),
      '/frozen/contested_reason',
    ],
    ['another method', (own) => ({ ...own, method: 'mean_v1' }), '/method'],
    [
      'settings out of bounds',
      (own) => replaced(own, ['settings', 'ci_level'], 1),
      '/settings/ci_level',
    ],
  ])('calls a record with %s no run record', (_, change, path) => {
    const report = verifyRun(change(record), testHasher);
    expect(report).toMatchObject({
      valid_document: false,
      content_hash: { ok: false, stated: null, computed: null },
      recomputed: { ok: false, differences: [] },
    });
    expect(report.problems.map((problem) => problem.path)).toContain(path);
  });

  it('answers any input with a report', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    for (const hostile of [
      undefined,
      null,
      0,
      'x',
      [],
      {},
      1n,
      { frozen: { items: 5 } },
      replaced(record, ['frozen', 'case', 'metadata'], { a: nested(5_000) }),
      replaced(record, ['frozen', 'case', 'title'], '\ud800'),
    ]) {
      expect(verifyRun(hostile, testHasher)).toMatchObject({
        valid_document: false,
        content_hash: { ok: false },
        recomputed: { ok: false },
      });
    }
    fc.assert(fc.property(fc.anything(), (value) => !verifyRun(value, testHasher).valid_document));
  });

  it('hashes members that a parser would drop', () => {
    const smuggled = JSON.parse(
      JSON.stringify(record).replace(
        '"metadata":{"batch":7',
        '"metadata":{"__proto__":{"admin":true},"batch":7',
      ),
    );
    const report = verifyRun(smuggled, testHasher);
    expect(report.valid_document && report.content_hash.ok).toBe(false);
  });
});
