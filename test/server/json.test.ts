import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/server/context/errors.ts';
import { MAX_DEPTH, MAX_MEMBERS, parseJson } from '../../src/server/http/json-scan.ts';

function codeOf(text: string): string {
  try {
    parseJson(text);
    return 'ok';
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error);
  }
}
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('reading JSON', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (text) => {
        const value: unknown = JSON.parse(text);
        const unsafe = JSON.stringify(value).match(/-?\d{16,}/) !== null;
        if (!unsafe && !text.includes('__proto__')) expect(parseJson(text)).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  it('finds a repeated key wherever it is put and however it is written', () => {
    const object = fc.dictionary(
      fc.string({ minLength: 1 }).filter((key) => key !== '__proto__'),
      fc.integer({ min: 0, max: 9 }),
      { minKeys: 1, maxKeys: 6 },
    );
    const escape = (key: string): string =>
      [...key].map((_, i) => `\\u${key.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');
    fc.assert(
      fc.property(object, fc.nat(), fc.boolean(), (value, at, escaped) => {
        const keys = Object.keys(value);
        const key = keys[at % keys.length]!;
        fc.pre([...key].length === key.length);
        const written = escaped ? `"${escape(key)}"` : JSON.stringify(key);
        const text = JSON.stringify({ outer: [value] });
        expect(codeOf(text)).toBe('ok');
        expect(codeOf(text.replace('[{', () => `[{${written}:1,`))).toBe('duplicate_key');
      }),
      { numRuns: 300 },
    );
  });

  it.each<[string, string, string]>([
    ['nothing', '', 'invalid_json'],
    ['white space', ' \n', 'invalid_json'],
    ['a byte order mark', '\ufeff{}', 'invalid_json'],
    ['a comment', '{}//', 'invalid_json'],
    ['a trailing comma', '[1,]', 'invalid_json'],
    ['single quotes', "{'a':1}", 'invalid_json'],
    ['two values', '{} {}', 'invalid_json'],
    ['NaN', '[NaN]', 'invalid_json'],
    ['an open string', '{"a":"', 'invalid_json'],
    ['an escape at the end', '"\\', 'invalid_json'],
    ['as deep as allowed', nested(MAX_DEPTH), 'ok'],
    ['one level deeper', nested(MAX_DEPTH + 1), 'json_too_deep'],
    ['a hundred thousand levels', '['.repeat(100_000), 'json_too_deep'],
    ['brackets inside a string', JSON.stringify('['.repeat(100)), 'ok'],
    ['a repeated key', '{"a":1,"a":1}', 'duplicate_key'],
    ['a repeated key by escape', '{"a":1,"\\u0061":2}', 'duplicate_key'],
    ['a repeated key that hides an object', '{"a":{"b":1},"a":1}', 'duplicate_key'],
    ['equal keys of two objects', '[{"a":1},{"a":1}]', 'ok'],
    ['colons in strings', '{"a:b":"c:d","e":":"}', 'ok'],
    ['a quote behind backslashes', '{"a":"\\\\","b":"\\\\\\"","c":1}', 'ok'],
    ['__proto__', '{"__proto__":{"a":1}}', 'forbidden_key'],
    ['__proto__ by escape', '{"a":{"\\u005f_proto__":1}}', 'forbidden_key'],
    [
      'constructor and prototype, ordinary names',
      '{"constructor":1,"prototype":2,"toString":3}',
      'ok',
    ],
    ['the largest safe integer', '[9007199254740991,-9007199254740991]', 'ok'],
    ['an integer beyond it', '{"a":9007199254740993}', 'invalid_json'],
    ['a negative one', '[-9007199254740993]', 'invalid_json'],
    ['an overflow', '[1e400]', 'invalid_json'],
    ['an overflow in long digits', `[${'9'.repeat(400)}]`, 'invalid_json'],
    ['a long fraction', '[0.12345678901234567890]', 'ok'],
    ['a big number by exponent', '[1e300]', 'ok'],
    [
      'too many members',
      `{${Array.from({ length: MAX_MEMBERS + 1 }, (_, i) => `"k${i}":0`).join(',')}}`,
      'invalid_json',
    ],
    ['too many values', `[${'0,'.repeat(1_000_001)}0]`, 'invalid_json'],
  ])('judges %s', (_, text, expected) => expect(codeOf(text)).toBe(expected));

  it('leaves Object.prototype alone', () => {
    codeOf('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    expect({}).not.toHaveProperty('polluted');
  });
});
