import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CELL_STATES } from '../../../../src/shared/domain/outcome.ts';
import { blobsOf, ManifestError, RunManifest } from '../../../../src/shared/domain/run-manifest.ts';
import { joinRun } from '../../../../src/shared/domain/run-join.ts';
import { splitRun } from '../../../../src/shared/domain/run-split.ts';
import { contentHash, freezeRun, type FreezeInput } from '../../../../src/shared/domain/run.ts';
import type { ContentParts } from '../../../../src/shared/domain/run-freeze.ts';
import { canonicalJson } from '../../../../src/shared/lib/canonical-json.ts';
import { testHasher } from '../../../support/hasher.ts';
import { contestedInput, sampleInput, sampleProfile } from './run-sample.ts';

function split(input: FreezeInput) {
  const { frozen, settings, method, result, content_hash } = freezeRun(input, testHasher);
  const content: ContentParts = { ...frozen, settings, method, result };
  return { content, content_hash, ...splitRun(content, content_hash, testHasher) };
}

/** items x rules with a source in every cell; `changed` items say something else. */
function matrix(
  items: number,
  rules: number,
  changed: (item: number) => boolean = () => false,
  uids = Array.from({ length: items }, (_, index) => `chr7:${index * 131}:A>G`),
): FreezeInput {
  const own = Array.from({ length: rules }, (_, index) => ({
    ...(sampleProfile.rules[0] as (typeof sampleProfile.rules)[number]),
    ruleOrder: index + 1,
    ruleUid: `rule_${index}`,
  }));
  return {
    ...sampleInput,
    profile: { ...sampleProfile, rules: own },
    items: uids.map((item_uid, position) => ({
      item_uid,
      item_type: 'variant',
      label: '',
      metadata: {},
      position,
    })),
    cells: uids.flatMap((item_uid, item) =>
      own.map(({ ruleUid }, column) => ({
        item_uid,
        rule_uid: ruleUid,
        raw_outcome:
          (item * 7 + column + (changed(item) ? 1 : 0)) % 3 === 0
            ? ('TRUE' as const)
            : ('FALSE' as const),
        source_value: `depth ${(item + column) % 40}`,
      })),
    ),
  };
}

function shared(before: readonly string[], after: readonly string[]): number {
  const known = new Set(before);
  return after.filter((name) => known.has(name)).length;
}

describe('a run in chunks', () => {
  it.each([
    ['plain', sampleInput],
    ['contested', contestedInput],
  ])('comes back as it was: %s', (_, input) => {
    const { content, content_hash, manifest, blobs } = split(input);
    expect(RunManifest.parse(JSON.parse(canonicalJson(manifest)))).toEqual(manifest);
    expect([...blobs.keys()].toSorted()).toEqual(blobsOf(manifest).toSorted());
    for (const [name, text] of blobs) {
      expect(testHasher.sha256Hex(text)).toBe(name);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }
    const joined = joinRun(manifest, blobs);
    expect(joined).toEqual(content);
    expect(contentHash(joined, testHasher)).toBe(content_hash);
  });

  it('F1 comes back as it was, whatever its size and its cells', () => {
    const text = fc.option(fc.string({ maxLength: 20 }), { nil: null });
    const cell = fc.record({
      raw_outcome: fc.constantFrom(...CELL_STATES),
      source_value: text,
      notes: text,
      provenance: fc.option(
        fc.dictionary(
          fc.string({ maxLength: 4 }),
          fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<string>,
          { maxKeys: 3 },
        ),
        { nil: null },
      ),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.stringMatching(/^[a-z0-9:>]{1,8}$/), { minLength: 1, maxLength: 40 }),
        fc.array(cell, { minLength: 1, maxLength: 30 }),
        (uids, cells) => {
          const rules = sampleProfile.rules.map((rule) => rule.ruleUid);
          const input: FreezeInput = {
            ...sampleInput,
            items: uids.map((item_uid, position) => ({
              item_uid,
              item_type: 'x',
              label: '',
              metadata: {},
              position,
            })),
            cells: uids.flatMap((item_uid, item) =>
              rules.map((rule_uid, column) => ({
                item_uid,
                rule_uid,
                ...(cells[(item * 3 + column) % cells.length] as (typeof cells)[number]),
              })),
            ),
          };
          const { content_hash, manifest, blobs } = split(input);
          expect(contentHash(joinRun(manifest, blobs), testHasher)).toBe(content_hash);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('holds a result that does not follow from the evidence, as it was stated', () => {
    const { content } = split(sampleInput);
    const stated = {
      ...content,
      result: {
        ...content.result,
        items: content.result.items.map((item, index) => ({ ...item, theta_mean: 0.1 * index })),
      },
    };
    const hash = contentHash(stated, testHasher);
    const { manifest, blobs } = splitRun(stated, hash, testHasher);
    expect(contentHash(joinRun(manifest, blobs), testHasher)).toBe(hash);
  });

  it('has about 2,000 cells a chunk, and never more than twice as many', () => {
    const { manifest, blobs } = split(matrix(2_000, 10));
    const sizes = manifest.chunks.map(
      (name) => (JSON.parse(blobs.get(name) as string) as { rows: unknown[] }).rows.length * 10,
    );
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4_000);
    expect(manifest.chunks.length).toBeGreaterThan(5);
    expect(manifest.chunks.length).toBeLessThan(18);
  });

  it('F2 shares the chunks of rows that are as they were: 1 % of the items changed, added, removed and moved', () => {
    const before = split(matrix(2_000, 10)).manifest.chunks;
    const uids = Array.from({ length: 10_000 }, (_, index) => `chr7:${index * 131}:A>G`);
    const changed = split(matrix(2_000, 10, (item) => item >= 700 && item < 720)).manifest.chunks;
    expect(changed.length - shared(before, changed)).toBeLessThanOrEqual(2);
    // Cells follow the item's place in `matrix`, so that here only a row that is gone tells.
    const rowsOf = (own: readonly string[]): string[] =>
      split({
        ...matrix(0, 10),
        items: own.map((item_uid, position) => ({
          item_uid,
          item_type: 'variant',
          label: '',
          metadata: {},
          position,
        })),
        cells: [],
      }).manifest.chunks;
    const plain = rowsOf(uids);
    const removed = rowsOf(uids.filter((_, index) => index < 600 || index >= 620));
    expect(removed.length - shared(plain, removed)).toBeLessThanOrEqual(3);
    const added = rowsOf([...Array.from({ length: 20 }, (_, index) => `new ${index}`), ...uids]);
    expect(added.length - shared(plain, added)).toBeLessThanOrEqual(4);
    const moved = rowsOf([
      ...uids.slice(0, 400),
      ...uids.slice(420, 1_400),
      ...uids.slice(400, 420),
      ...uids.slice(1_400),
    ]);
    expect(moved.length - shared(plain, moved)).toBeLessThanOrEqual(6);
  });

  it('goes on with a row in the next chunk where its cells are long', () => {
    const long = 'x'.repeat(10_000);
    const input = matrix(3, 60);
    const { content_hash, manifest, blobs } = split({
      ...input,
      cells: [...input.cells].map((cell) => ({ ...cell, source_value: long, notes: long })),
    });
    expect(manifest.chunks.length).toBeGreaterThan(5);
    for (const text of blobs.values()) expect(text.length).toBeLessThan(320_000);
    expect(contentHash(joinRun(manifest, blobs), testHasher)).toBe(content_hash);
  });

  it('F4 refuses blobs that are missing, damaged, or no rows', () => {
    const { manifest, blobs } = split(contestedInput);
    const [chunk = ''] = manifest.chunks;
    const text = blobs.get(chunk) as string;
    const others = [
      undefined,
      '',
      'null',
      '{"rows":[]}',
      `${text} `,
      text.replace('"F', '"FF'),
      text.replace('"column":0', '"column":9'),
      text.replace('"item":', '"thing":'),
      '{"rows":[{"cells":[]}]}',
    ];
    for (const other of others) {
      const changed = new Map(blobs);
      if (other === undefined) changed.delete(chunk);
      else changed.set(chunk, other);
      expect(() => joinRun(manifest, changed), other ?? 'missing').toThrow(ManifestError);
    }
    expect(() =>
      joinRun(
        { ...manifest, result: { ...manifest.result, items: { rows: [], of: null } } },
        blobs,
      ),
    ).toThrow(ManifestError);
    expect(() =>
      joinRun(
        {
          ...manifest,
          result: { ...manifest.result, items: { ...manifest.result.items, of: [0] } },
        },
        blobs,
      ),
    ).toThrow(ManifestError);
  });
});
