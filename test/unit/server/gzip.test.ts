import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unzip, zip } from '../../../src/server/network/gzip.ts';

/** About where a body is no longer unpacked on its own thread, as it is and packed. */
const LENGTHS = [0, 1, 512, 4_095, 4_097, 8_191, 8_192, 8_193, 100_000];
const body = fc
  .tuple(fc.constantFrom(...LENGTHS), fc.constantFrom('one', 'random'), fc.integer())
  .map(([length, kind, seed]) =>
    Buffer.from(
      Array.from({ length }, (_, n) => (kind === 'one' ? 97 : Math.imul(seed ^ n, 2_654_435_761))),
    ),
  );

describe('bodies on the network', () => {
  test('any body is what it was, and one longer than allowed is refused', () =>
    fc.assert(
      fc.asyncProperty(body, fc.constantFrom(...LENGTHS), async (bytes, limit) => {
        const packed = await zip(bytes);
        expect(gunzipSync(packed).equals(bytes)).toBe(true);
        const unpacked = unzip(packed, Math.max(1, limit));
        if (bytes.length > Math.max(1, limit)) await expect(unpacked).rejects.toThrow(RangeError);
        else expect((await unpacked).equals(bytes)).toBe(true);
      }),
    ));

  test('a body that is cut or damaged is refused, and no RangeError', () =>
    fc.assert(
      fc.asyncProperty(
        body.filter(({ length }) => length > 0),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        async (bytes, at) => {
          const packed = gzipSync(bytes);
          const cut = packed.subarray(0, Math.floor(packed.length * at));
          // Nothing at all unpacks to nothing.
          if (cut.length === 0) return;
          const refusal: unknown = await unzip(cut, 1_000_000).catch((error: unknown) => error);
          expect(refusal).toBeInstanceOf(Error);
          expect(refusal).not.toBeInstanceOf(RangeError);
        },
      ),
    ));

  test('a short body that would fill the memory stops at its limit', async () => {
    const bomb = gzipSync(Buffer.alloc(3_000_000));
    expect(bomb.length).toBeLessThan(4_096);
    await expect(unzip(bomb, 1_000_000)).rejects.toThrow(RangeError);
    expect(await unzip(bomb, 3_000_000)).toHaveLength(3_000_000);
  });
});
