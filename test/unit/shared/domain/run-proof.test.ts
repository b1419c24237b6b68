import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { itemsRoot, proveItem, provenRoot } from '../../../../src/shared/domain/run-proof.ts';
import { freezeRun } from '../../../../src/shared/domain/run.ts';
import { testHasher } from '../../../support/hasher.ts';
import { lengthOf, seedOf } from '../../../support/length.ts';
import { sampleInput } from './run-sample.ts';

const RULES = ['controls_run', 'sample_traced', 'assay_repeated'];

/** A run of so many items, with outcomes drawn from a number. */
function runOf(count: number, drawn: number) {
  const items = Array.from({ length: count }, (_, at) => ({
    item_uid: `item_${String(at)}`,
    item_type: 'claim',
    label: `Item ${String(at)}`,
    metadata: {},
    position: at,
  }));
  const cells = items.map(({ item_uid }, at) => ({
    item_uid,
    rule_uid: RULES[(at + drawn) % 3] as string,
    raw_outcome: (['TRUE', 'FALSE', 'NA'] as const)[(at * 7 + drawn) % 3] ?? null,
    source_value: `source ${String(at)}`,
  }));
  const { frozen, result } = freezeRun({ ...sampleInput, items, cells } as never, testHasher);
  return { frozen, result, profile_uid: frozen.profile.profileUid, profile_version: '1.0' };
}

describe('proof of one item', () => {
  test('leads to the root of the run, and nothing else does', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.nat(100),
        fc.nat(1_000),
        (count, drawn, pick) => {
          const run = runOf(count, drawn);
          const root = itemsRoot(run, testHasher);
          const index = pick % count;
          const proof = proveItem(run, `item_${String(index)}`, testHasher);
          if (proof === undefined) throw new Error('The run has the item.');
          expect(proof.beside.length).toBeLessThanOrEqual(Math.ceil(Math.log2(count)));
          expect(provenRoot(proof, testHasher)).toBe(root);
          const wrongs = [
            { ...proof, leaf: proof.leaf.replace('source', 'origin') },
            { ...proof, index: (index + 1) % count },
            { ...proof, index: count },
            { ...proof, beside: [...proof.beside, root] },
            { ...proof, beside: proof.beside.slice(1) },
            { ...proof, beside: proof.beside.toReversed() },
          ].filter((wrong) => JSON.stringify(wrong) !== JSON.stringify(proof));
          for (const wrong of wrongs) expect(provenRoot(wrong, testHasher)).not.toBe(root);
        },
      ),
      { seed: seedOf(), numRuns: lengthOf(40, 3_000) },
    );
  });

  test('says of the item what is frozen of it, and of no other', () => {
    const run = runOf(5, 1);
    const proof = proveItem(run, 'item_3', testHasher);
    const leaf = JSON.parse(proof?.leaf ?? '') as Record<string, unknown>;
    expect(leaf['item']).toMatchObject({ item_uid: 'item_3' });
    expect(Object.keys(leaf['outcomes'] as object).toSorted()).toEqual(RULES.toSorted());
    expect(leaf['cells']).toMatchObject([{ source_value: 'source 3' }]);
    expect(leaf['result']).toMatchObject({ item_uid: 'item_3' });
    expect(proof?.leaf).not.toContain('item_2');
    expect(proveItem(run, 'item_9', testHasher)).toBeUndefined();
  });

  test('changes the root with any outcome', () => {
    const run = runOf(6, 2);
    const raw = run.frozen.raw.map((row) => [...row]);
    (raw[4] as (string | null)[])[0] = raw[4]?.[0] === 'TRUE' ? 'NA' : 'TRUE';
    const other = { ...run, frozen: { ...run.frozen, raw } } as typeof run;
    expect(itemsRoot(other, testHasher)).not.toBe(itemsRoot(run, testHasher));
  });
});
