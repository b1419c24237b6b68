import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from '@formatjs/icu-messageformat-parser';
import { describe, expect, test } from 'vitest';
import {
  allTexts,
  compareTexts,
  readCatalogue,
  ROOT,
  textsOf,
} from '../../../scripts/check-texts.ts';

const problemsOf = (text: string): string[] => textsOf('a.tsx', text).problems;
const keysOf = (text: string): string[] => textsOf('a.tsx', text).said.map(({ key }) => key);

describe('texts of a source', () => {
  test.each([
    ["t('Open')", ['Open']],
    ["t('Open ' + 'it')", ['Open it']],
    ['t(`Open`)', ['Open']],
    ["t('{n} of them', { n })", ['{n} of them']],
    ["rich('<b>Open</b> it', { b })", ['<b>Open</b> it']],
    ["tAs('verb', 'Run')", ['Run [verb]']],
    ["format.t('none of the catalogue')", []],
  ])('%s', (source, keys) => expect(keysOf(source)).toEqual(keys));

  test.each([
    ['t(`Open ${name}`)', 'a.tsx:1 t() without a text that stands there'],
    ['t(text)', 'a.tsx:1 t() without a text that stands there'],
    ['<p>Open it</p>', 'a.tsx:1 says "Open it" without a catalogue'],
    ['<p title="Open it" />', 'a.tsx:1 has title "Open it" without a catalogue'],
    ["x = {\n label: 'Open' }", 'a.tsx:2 has label "Open" without a catalogue'],
  ])('%s is not in any catalogue', (source, problem) =>
    expect(problemsOf(source)).toEqual([problem]),
  );

  test.each(['<p>{name} · 5 %</p>', '<p title={title} />', "x = { name: 'Open', label: '–' }"])(
    '%s needs none',
    (source) => expect(problemsOf(source)).toEqual([]),
  );
});

describe('a catalogue beside what is said', () => {
  const said = textsOf(
    'a.ts',
    "t('{n, plural, one {# row} other {# rows}} of {name}', {}); t('A {b}')",
  );
  const compare = (catalogue: Record<string, string>) =>
    compareTexts(said.said, catalogue, new Set(['Made elsewhere']));

  test('is whole', () =>
    expect(
      compare({
        '{n, plural, one {# row} other {# rows}} of {name}':
          '{n, plural, one {# Zeile} other {# Zeilen}} von {name}',
        'A {b}': 'Ein {c}, als Text',
        'Made elsewhere': 'Anderswo gemacht',
      }),
    ).toEqual([]));

  test('lacks a text, loses a value, and has one too many', () =>
    expect(
      compare({
        '{n, plural, one {# row} other {# rows}} of {name}': '{n} Zeilen',
        'Said no more': 'Nicht mehr gesagt',
      }),
    ).toEqual([
      '"{n, plural, one {# row} other {# rows}} of {name}" has the values n,name, its translation n',
      'a.ts "A {b}" is not translated',
      '"Said no more" is translated and said nowhere',
    ]));
});

describe('the studio', () => {
  const { said, problems } = allTexts();
  const parts = readCatalogue('de');
  const german: Record<string, string> = Object.assign({}, ...Object.values(parts));

  test('says nothing without a catalogue', () => expect(problems).toEqual([]));

  test('is whole in German, and no more is translated than it says', () =>
    expect(compareTexts(said, german, new Set(Object.keys(parts['shared'] ?? {})))).toEqual([]));

  test('translates each text in one file', () => {
    const keys = Object.values(parts).flatMap((part) => Object.keys(part));
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  });

  test('has messages that can be read', () => {
    const withValues = new Set(said.filter(({ hasValues }) => hasValues).map(({ key }) => key));
    const broken = Object.entries(german).flatMap(([key, message]) => {
      if (!withValues.has(key)) return [];
      try {
        parse(key);
        parse(message);
        return [];
      } catch {
        return [key];
      }
    });
    expect(broken).toEqual([]);
  });
});

describe.each(['src/main/de.json', 'src/server/pages/text/de.json'])('%s', (file) => {
  const catalogue = JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')) as Record<
    string,
    string
  >;
  const folder = file
    .split('/')
    .slice(0, file.includes('pages') ? 3 : 2)
    .join('/');
  const said = globSync(`${folder}/**/*.ts`, { cwd: ROOT }).flatMap(
    (source) =>
      textsOf(source, readFileSync(path.join(ROOT, source), 'utf8'), new Set(['say', 'own'])).said,
  );

  test('has what is said there', () =>
    expect(said.map(({ key }) => key).filter((key) => !(key in catalogue))).toEqual([]));

  test('has the same values in both languages', () =>
    expect(
      Object.entries(catalogue)
        .map(([key, message]) => [key, message].map((text) => text.match(/\{\w+\}/g)?.sort() ?? []))
        .filter(([left, right]) => String(left) !== String(right)),
    ).toEqual([]));
});
