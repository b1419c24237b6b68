import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const words = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

const RECORDS = globSync('docs/decisions/0*.md', { cwd: ROOT }).toSorted();
const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'src/sync/SPEC.md'].concat(
  globSync('docs/**/*.md', { cwd: ROOT }).toSorted(),
);

describe.each(PAGES)('%s', (page) => {
  const text = read(page);

  test('links to files that exist', () => {
    const links = [...text.matchAll(/\]\(([^)\s]+?)(?:#[^)]*)?\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => link !== '' && !/^[a-z]+:/.test(link));
    const missing = links.filter((link) => !existsSync(path.join(ROOT, path.dirname(page), link)));
    expect(missing).toEqual([]);
  });

  test('names folders and files of the repository that exist', () => {
    const named = [...text.matchAll(/`((?:src|test|scripts|deploy|docs)\/[\w./-]+)`/g)];
    const missing = named
      .map(([, name = '']) => name)
      .filter((name) => !existsSync(path.join(ROOT, name)));
    expect(missing).toEqual([]);
  });
});

describe('decision records', () => {
  test.each(RECORDS)('%s is listed under its title, and at most a page', (record) => {
    const text = read(record);
    const title = /^# (.+)$/m.exec(text)?.[1] ?? '';
    const number = path.basename(record).slice(0, 4);
    expect(title.startsWith(`${number} `)).toBe(true);
    const line = `- ${number} [${title.slice(5)}](${path.basename(record)})`;
    expect(read('docs/decisions/README.md').split('\n')).toContain(line);
    expect(words(text)).toBeLessThan(620);
  });

  test('are at most 20,000 words together', () => {
    const all = [...RECORDS, 'docs/decisions/README.md'].map((record) => words(read(record)));
    expect(all.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(20_000);
  });
});

test('the glossary has at most 25 words', () => {
  const [, glossary = ''] = read('docs/architecture.md').split('\n## Words\n');
  const rows = (glossary.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '));
  expect(rows.length - 1).toBeLessThanOrEqual(25);
});

test('README.md has short lines, at most 150', () => {
  const lines = read('README.md').trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(150);
  expect(lines.filter((line) => line.length >= 120)).toEqual([]);
});

test('style sheets have at most 300 lines, as other files', () => {
  const long = globSync('{src,scripts}/**/*.css', { cwd: ROOT }).filter(
    (file) => read(file).trimEnd().split('\n').length > 300,
  );
  expect(long).toEqual([]);
});
