import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  CanonicalJsonError,
  MAX_DEPTH,
} from '../../../../src/shared/lib/canonical-json.ts';
import { lengthOf } from '../../../support/length.ts';

function failure(value: unknown): { code: string; path: string } | undefined {
  try {
    canonicalJson(value);
    return undefined;
  } catch (error) {
    if (error instanceof CanonicalJsonError) return { code: error.code, path: error.path };
    throw error;
  }
}

function double(bits: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${bits}`));
  return view.getFloat64(0);
}

/** RFC 8785, appendix B. */
const NUMBERS: readonly (readonly [bits: string, text: string])[] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
];

describe('canonicalJson', () => {
  it.each(NUMBERS)('writes the number 0x%s as %s', (bits, text) => {
    expect(canonicalJson(double(bits))).toBe(text);
  });

  it.each(['7fffffffffffffff', '7ff0000000000000', 'fff0000000000000'])(
    'refuses the number 0x%s',
    (bits) => {
      expect(failure({ a: [double(bits)] })).toEqual({ code: 'number_not_finite', path: '/a/0' });
    },
  );

  it('writes the sample of RFC 8785, 3.2.2', () => {
    const sample = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    );
    expect(canonicalJson(sample)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts members as RFC 8785, 3.2.3 does: by UTF-16 code units', () => {
    const sample = {
      '\u20ac': 1,
      '\r': 2,
      '\ufb33': 3,
      '1': 4,
      '\ud83d\ude00': 5,
      '\u0080': 6,
      '\u00f6': 7,
    };
    expect(canonicalJson(sample)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
  });

  it('sorts members that look like array indices as text', () => {
    expect(canonicalJson({ b: { 10: 1, 9: 2, a: 3 }, a: [] })).toBe(
      '{"a":[],"b":{"10":1,"9":2,"a":3}}',
    );
  });

  it('keeps __proto__, constructor and prototype as ordinary members', () => {
    expect(
      canonicalJson(JSON.parse('{"z":1,"prototype":2,"constructor":3,"__proto__":{"b":1,"a":2}}')),
    ).toBe('{"__proto__":{"a":2,"b":1},"constructor":3,"prototype":2,"z":1}');
  });

  it('leaves out undefined members, keeps composed and decomposed text apart, and does not change its input', () => {
    const input = { b: undefined, c: [{ z: 1, a: 2 }], a: 'e\u0301' };
    expect(canonicalJson(input)).toBe('{"a":"e\u0301","c":[{"a":2,"z":1}]}');
    expect(Object.keys(input)).toEqual(['b', 'c', 'a']);
    expect(Object.keys(input.c[0] ?? {})).toEqual(['z', 'a']);
  });

  it.each<[string, unknown, string, string]>([
    ['BigInt', { a: 1n }, 'unsupported_type', '/a'],
    ['function', [() => 1], 'unsupported_type', '/0'],
    ['symbol', { 'a/b~c': Symbol('x') }, 'unsupported_type', '/a~1b~0c'],
    ['undefined alone', undefined, 'undefined_value', ''],
    ['undefined in an array', { a: [1, undefined] }, 'undefined_value', '/a/1'],
    [
      'hole in an array',
      Object.assign(new Array<unknown>(3), { 0: 1, 2: 2 }),
      'undefined_value',
      '/1',
    ],
    ['lone high surrogate', ['\ud800'], 'lone_surrogate', '/0'],
    ['lone low surrogate', { a: 'x\udc00y' }, 'lone_surrogate', '/a'],
    ['lone surrogate in a key', { 'x\ud800': 1 }, 'lone_surrogate', '/x\ufffd'],
    ['Date', { at: new Date(0) }, 'not_plain_object', '/at'],
    ['Map', new Map(), 'not_plain_object', ''],
    ['boxed number', [Object(1)], 'not_plain_object', '/0'],
    ['inherited members', [Object.create({ a: 1 })], 'not_plain_object', '/0'],
    [
      'fault behind members that look like indices',
      { b: { 10: 1, 9: 2, a: 3 }, c: Number.NaN },
      'number_not_finite',
      '/c',
    ],
  ])('refuses %s', (_, value, code, path) => {
    expect(failure(value)).toEqual({ code, path });
  });

  it('refuses a cycle, and nesting beyond the limit, in bounded time', () => {
    const loop: Record<string, unknown> = { a: {} };
    loop['b'] = [loop, loop];
    expect(failure(loop)).toEqual({ code: 'cycle', path: '/b/0' });
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect(failure(nested(MAX_DEPTH))).toBeUndefined();
    expect(failure(nested(MAX_DEPTH + 1))?.code).toBe('too_deep');
    expect(failure(nested(5_000))?.code).toBe('too_deep');
  });

  it('allows one object in two places', () => {
    const shared = { y: 1, x: 2 };
    expect(canonicalJson([shared, shared])).toBe('[{"x":2,"y":1},{"x":2,"y":1}]');
  });

  const json = fc.jsonValue({ stringUnit: 'binary', maxDepth: 5 });

  it('agrees with an independent implementation', () => {
    const keys = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.nat().map(String),
      fc.constantFrom('__proto__', 'toString', '01', '-1'),
    );
    const value = fc.oneof(json, fc.dictionary(keys, fc.oneof(json, fc.dictionary(keys, json))));
    fc.assert(
      fc.property(value, (x) => canonicalJson(x) === canonicalize(x)),
      { numRuns: lengthOf(500, 20_000) },
    );
  });

  it('is a fixed point of parsing and writing, and says the same as its input', () => {
    fc.assert(
      fc.property(json, (x) => {
        const text = canonicalJson(x);
        const parsed: unknown = JSON.parse(text);
        expect(canonicalJson(parsed)).toBe(text);
        expect(parsed).toEqual(JSON.parse(JSON.stringify(x)));
      }),
    );
  });

  it('does not depend on the order in which members were added', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), json),
        (x) => canonicalJson(Object.fromEntries(Object.entries(x).reverse())) === canonicalJson(x),
      ),
    );
  });
});
