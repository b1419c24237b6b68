import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateProblem } from '../../../src/renderer/features/matrix/model/date.ts';
import {
  hasMarkup,
  type Inline,
  parseInline,
  parseNotes,
} from '../../../src/renderer/features/matrix/panel/markup.ts';
import {
  addressOf,
  referencesIn,
  webAddress,
} from '../../../src/renderer/features/matrix/model/reference.ts';

const textOf = (parts: readonly Inline[]): string => parts.map((part) => part.text).join('');

describe('references', () => {
  it('leads to DOIs, PMIDs and web addresses', () => {
    expect(addressOf('10.1186/s13059-016-1044-7')).toBe(
      'https://doi.org/10.1186/s13059-016-1044-7',
    );
    expect(addressOf(' doi: 10.1000/182 ')).toBe('https://doi.org/10.1000/182');
    expect(addressOf('https://doi.org/10.1000/(SICI)1#2')).toBe(
      'https://doi.org/10.1000/(SICI)1%232',
    );
    expect(addressOf('PMID: 27552985')).toBe('https://pubmed.ncbi.nlm.nih.gov/27552985/');
    expect(addressOf('https://example.org/a?b=1')).toBe('https://example.org/a?b=1');
  });

  it('leads nowhere else', () => {
    for (const text of [
      '',
      'page 4',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'data:text/html,x',
      'https://name:pass@example.org/',
      'https://',
      'mailto:a@b.c',
      'doi:11.5/x',
      'PMID 0',
      '10.1',
      `https://example.org/${'x'.repeat(3_000)}`,
    ])
      expect(addressOf(text), text).toBeUndefined();
    expect(webAddress('//example.org')).toBeUndefined();
  });

  it('ends before the sentence does', () => {
    expect(
      referencesIn('See https://example.org/a_(b), or (https://example.org/c). PMID 12!').map(
        ({ text }) => text,
      ),
    ).toEqual(['https://example.org/a_(b)', 'https://example.org/c', 'PMID 12']);
  });
});

describe('notes', () => {
  it('reads bold, italic, code and links', () => {
    expect(parseInline('a **b c** *d* _e_ `f*g*` [h](https://example.org/x)')).toEqual([
      { kind: 'text', text: 'a ' },
      { kind: 'strong', text: 'b c' },
      { kind: 'text', text: ' ' },
      { kind: 'em', text: 'd' },
      { kind: 'text', text: ' ' },
      { kind: 'em', text: 'e' },
      { kind: 'text', text: ' ' },
      { kind: 'code', text: 'f*g*' },
      { kind: 'text', text: ' ' },
      { kind: 'link', text: 'h', address: 'https://example.org/x' },
    ]);
  });

  it('leaves what it does not understand as it is written', () => {
    for (const text of [
      '2 * 3 * 4',
      'snake_case_name and CYP2D6*4/*10',
      '<b onclick="x">bold</b>',
      '[x](javascript:alert)',
      '[x](data:text/html,y)',
      'a ** b **',
      '`open',
      '-not a list',
      '2024. was a year of',
    ]) {
      expect(hasMarkup(parseNotes(text)), text).toBe(false);
      expect(textOf(parseInline(text))).toBe(text);
    }
    expect(parseInline('https://example.org/a_b_c').map((part) => part.kind)).toEqual(['link']);
  });

  it('reads lists, code blocks and paragraphs', () => {
    expect(
      parseNotes('one\ntwo\n\n- a\n- b\n3. c\n```\nx *y*\n```\nend').map((block) =>
        block.kind === 'list'
          ? [block.ordered, block.start, block.items.length]
          : block.kind === 'code'
            ? block.text
            : block.lines.length,
      ),
    ).toEqual([2, [false, 1, 2], [true, 3, 1], 'x *y*', 1]);
    expect(parseNotes('```\nopen to the end')).toEqual([{ kind: 'code', text: 'open to the end' }]);
  });

  it('keeps every letter and only links to the web, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(
            '*',
            '_',
            '`',
            '[',
            ']',
            '(',
            ')',
            ' ',
            '\n',
            '-',
            'a',
            'é',
            'https://a.b/',
            'javascript:',
            '1.',
          ),
        }),
        (text) => {
          for (const block of parseNotes(text)) {
            const lines =
              block.kind === 'code' ? [] : block.kind === 'list' ? block.items : block.lines;
            for (const part of lines.flat())
              if (part.kind === 'link') expect(part.address).toMatch(/^https?:\/\//);
          }
          const letters = (value: string): number =>
            value.split('a').length + value.split('é').length;
          const shown = parseNotes(text)
            .map((block) =>
              block.kind === 'code'
                ? block.text
                : (block.kind === 'list' ? block.items : block.lines)
                    .map((line) =>
                      line.map((part) => (part.kind === 'link' ? text : part.text)).join(''),
                    )
                    .join(''),
            )
            .join('');
          if (!text.includes('[') && !text.includes('http'))
            expect(letters(shown)).toBeLessThanOrEqual(letters(text));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('reads ten thousand signs in no time', () => {
    expect(parseNotes(`https://a.b/${'.)'.repeat(5_000)}x`)).toHaveLength(1);
    for (const sign of [
      '*',
      '_',
      '[',
      '`',
      '[](',
      '**a',
      'https://a.b/(',
      'https://a.b/)',
      '.',
      ')',
      '- ',
    ])
      expect(parseNotes(sign.repeat(Math.ceil(10_000 / sign.length))).length).toBeGreaterThan(0);
  });
});

describe('dates of a source', () => {
  it('are a day, a month or a year', () => {
    for (const text of ['', '2024', '2024-02', '2024-02-29'])
      expect(dateProblem(text)).toBeUndefined();
    for (const text of ['2023-02-29', '2024-13', '2024-00-01', '0000'])
      expect(dateProblem(text), text).toBe('There is no such day.');
    for (const text of ['02/03/2024', '24', '1 Mar', '2024-2-9'])
      expect(dateProblem(text), text).toContain('YYYY');
  });
});
