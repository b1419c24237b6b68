import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asAscii } from '../../../scripts/plain-ascii.ts';

const ASCII = /^[\u0000-\u007f]*$/;

describe('a program in ASCII', () => {
  it('says the same in strings, templates and patterns', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const quoted = JSON.stringify(text);
        const template = `\`${text.replaceAll(/[\\`$]/g, String.raw`\$&`)}\``;
        for (const code of [quoted, template]) {
          const ascii = asAscii(code);
          expect(ascii).toMatch(ASCII);
          expect(runInNewContext(ascii)).toBe(runInNewContext(code));
        }
      }),
    );
    for (const pattern of ['/^[→…é]+$/', '/^[😀-😂→]+$/u', '/^[\\p{L}–😀]+$/v', '/^😀+$/']) {
      const ascii = asAscii(pattern);
      expect(ascii).toMatch(ASCII);
      const [ours, theirs] = [ascii, pattern].map((code): RegExp => runInNewContext(code));
      for (const text of ['→…', 'é', '😀😁', '–a', 'b', '\ud83d', '😀\ude00'])
        expect([pattern, text, ours!.test(text)]).toEqual([pattern, text, theirs!.test(text)]);
    }
  });

  it('is refused where an escape would say something else', () => {
    expect(() => asAscii('const a = "\\é";')).toThrow('A backslash before é');
    expect(asAscii('const a = "\\\\é";')).toBe('const a = "\\\\\\u00e9";');
    expect(() => asAscii('String.raw`é`')).toThrow('raw template');
  });
});
