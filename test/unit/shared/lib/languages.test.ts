import { describe, expect, test } from 'vitest';
import { acceptedLanguages, languageFor } from '../../../../src/shared/lib/languages.ts';
import { sayFrom } from '../../../../src/shared/lib/say.ts';

describe('the language', () => {
  test.each([
    [['de-AT', 'en'], 'de'],
    [['fr', 'en-GB', 'de'], 'en'],
    [['fr'], 'en'],
    [[], 'en'],
  ] as const)('of a reader of %j is %s', (wished, language) =>
    expect(languageFor('system', wished)).toBe(language),
  );

  test('that was chosen goes before', () => expect(languageFor('en', ['de'])).toBe('en'));

  test.each([
    ['de', ['de']],
    ['en;q=0.5, de-CH;q=0.8, fr', ['fr', 'de-CH', 'en']],
    ['de;q=0, *, en', ['en']],
    ['<script>, de;level=1;q=0.1', ['de']],
    ['', []],
    [undefined, []],
  ])('%s is asked for in this order', (header, tags) =>
    expect(acceptedLanguages(header)).toEqual(tags),
  );
});

describe('a text', () => {
  const say = sayFrom({ 'Open {name}': '{name} öffnen' });

  test('is said in the catalogue’s words, with its values', () =>
    expect(say('Open {name}', { name: '{name}' })).toBe('{name} öffnen'));
  test('stays English where the catalogue lacks it', () =>
    expect(say('Close {name}', { name: 'x' })).toBe('Close x'));
  test('keeps braces that are no value', () => expect(say('{a} {b}', { a: 1 })).toBe('1 {b}'));
});
