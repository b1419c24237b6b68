import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareText,
  countColumns,
  countStates,
  orderItems,
  orderRules,
} from '../../../../src/shared/domain/matrix.ts';
import { CELL_STATES } from '../../../../src/shared/domain/outcome.ts';

describe('matrix order', () => {
  it('is position, then item_uid by code points', () => {
    const items = [
      { item_uid: 'b', position: 1 },
      { item_uid: 'ä', position: 1 },
      { item_uid: 'B', position: 1 },
      { item_uid: 'item_10', position: 0.5 },
      { item_uid: 'item_9', position: 0.5 },
      { item_uid: 'z', position: -3 },
    ];
    expect(orderItems(items).map((item) => item.item_uid)).toEqual([
      'z',
      'item_10',
      'item_9',
      'B',
      'b',
      'ä',
    ]);
  });

  it('orders text as the bytes of UTF-8 do, of which both databases make their order', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'ä', '\ud7ff', '\ue000', '\uffff', '😀', '𝔸', '\u{10ffff}'),
    });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
    expect(['😀', '\ue000'].sort(compareText)).toEqual(['\ue000', '😀']);
  });

  it('does not depend on the order of arrival and does not change its input', () => {
    const items = fc.uniqueArray(
      fc.record({
        item_uid: fc.string({ minLength: 1 }),
        position: fc.integer({ min: -2, max: 2 }),
      }),
      { selector: (item) => item.item_uid },
    );
    fc.assert(
      fc.property(items, (given) => {
        const before = [...given];
        expect(orderItems(given.toReversed())).toEqual(orderItems(given));
        expect(given).toEqual(before);
      }),
    );
  });

  it('puts rules by ruleOrder', () => {
    expect(
      orderRules([
        { ruleUid: 'bbb', ruleOrder: 10 },
        { ruleUid: 'aaa', ruleOrder: 9 },
      ]).map((rule) => rule.ruleUid),
    ).toEqual(['aaa', 'bbb']);
  });
});

describe('counts', () => {
  it('add up to the cells, over all and by column', () => {
    const raw = fc.array(fc.array(fc.constantFrom(...CELL_STATES), { minLength: 3, maxLength: 3 }));
    fc.assert(
      fc.property(raw, (matrix) => {
        const columns = countColumns(matrix, 3);
        for (const [column, counts] of columns.entries()) {
          expect(counts).toEqual(countStates(matrix.map((row) => row[column] ?? null)));
          expect(
            counts.evidence_present +
              counts.problem_found +
              counts.not_available +
              counts.unrecorded,
          ).toBe(matrix.length);
        }
      }),
    );
  });
});
