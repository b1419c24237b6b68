import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashOf, TextIndex } from '../../../src/renderer/files/text-index.ts';
import { NASTY_TEXTS } from '../../fixtures/names-that-spreadsheets-break.ts';

/** Numbers each text twice, as a part of a longer one, and looks that a `Map` says the same. */
function expectAsMap(texts: readonly string[]): void {
  const index = new TextIndex();
  const known = new Map<string, number>();
  for (const text of [...texts, ...texts]) {
    const expected = known.get(text) ?? known.size + 1;
    known.set(text, expected);
    if (index.number(`<${text}>`, 1, 1 + text.length) !== expected) expect.fail(text);
  }
  for (const [text, number] of known) if (index.textOf(number) !== text) expect.fail(text);
}

describe('texts by number', () => {
  it('gives each different text one number, and knows it again', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom(...NASTY_TEXTS)), {
          maxLength: 60,
        }),
        (texts) => expectAsMap(texts.filter((text) => text !== '')),
      ),
      { seed: 17, numRuns: 200 },
    );
  });

  it('keeps the numbers while it grows', () => {
    expectAsMap(Array.from({ length: 20_000 }, (_, at) => `text ${at}`));
  });

  it('knows texts that all fall on one place, before and after it has grown', () => {
    const place = hashOf('0', 0, 1) & 0xfff;
    const meeting = Array.from({ length: 500_000 }, (_, at) => String(at)).filter(
      (text) => (hashOf(text, 0, text.length) & 0xfff) === place,
    );
    expect(meeting.length).toBeGreaterThan(64);
    const others = Array.from({ length: 5_000 }, (_, at) => `other ${at}`);
    expectAsMap([...meeting, ...others, ...meeting]);
  });
});
