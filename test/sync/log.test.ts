import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addToDigest,
  addToSum,
  chainOver,
  EMPTY_CHAIN,
  EMPTY_SUM,
  isSameSet,
  nextChain,
} from '../../src/sync/log.ts';
import { testHasher } from '../support/hasher.ts';

const id = fc.string().map((text) => `c1_${testHasher.sha256Base64url(text)}`);

describe('arithmetic of logs', () => {
  test('L2 each link of the chain covers all before it', () => {
    fc.assert(
      fc.property(fc.array(id), (ids) => {
        let chain = EMPTY_CHAIN;
        for (const one of ids) chain = testHasher.sha256Hex(chain + one);
        expect(chainOver(EMPTY_CHAIN, ids, testHasher)).toBe(chain);
        expect(chainOver(nextChain(EMPTY_CHAIN, 'c1_x', testHasher), ids, testHasher)).not.toBe(
          chain,
        );
      }),
    );
  });

  test('L3 the sum is that of the ids as numbers modulo 2^256, in any order', () => {
    fc.assert(
      fc.property(fc.array(id), (ids) => {
        const total =
          ids.reduce(
            (sum, one) =>
              sum + BigInt(`0x${Buffer.from(one.slice(3), 'base64url').toString('hex')}`),
            0n,
          ) %
          2n ** 256n;
        expect(addToSum(EMPTY_SUM, ...ids)).toBe(total.toString(16).padStart(64, '0'));
        expect(addToSum(EMPTY_SUM, ...ids.toReversed())).toBe(addToSum(EMPTY_SUM, ...ids));
        expect(addToDigest({ count: 2, sum: EMPTY_SUM }, ids).count).toBe(2 + ids.length);
      }),
    );
  });

  test('L3 a set is not taken for another of the same size', () => {
    const [a, b] = ['a', 'b'].map((text) =>
      addToDigest({ count: 0, sum: EMPTY_SUM }, [`c1_${testHasher.sha256Base64url(text)}`]),
    );
    expect(isSameSet(a as NonNullable<typeof a>, b as NonNullable<typeof b>)).toBe(false);
  });
});
