import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

test('each rule of the change log is covered by a test that cites it', () => {
  const spec = read('src/sync/SPEC.md');
  const ids = [...spec.matchAll(/^- ([A-Z]{1,2}\d+) /gm)].map(([, id]) => id);
  const rules = new Set(ids);
  expect(ids).toEqual([...rules]);
  expect(rules.size).toBeGreaterThan(60);
  const rows = [...spec.matchAll(/^\| `(test\/[^`]+)` \| ([A-Z0-9, ]+) \|$/gm)].map(
    ([, file = '', ids = '']) => ({ file, ids: ids.split(', ') }),
  );
  for (const { file, ids } of rows)
    for (const id of ids)
      expect(read(file), `${id} in ${file}`).toMatch(new RegExp(`(?<!\\w)${id}(?!\\w)`));
  const covered = new Set(rows.flatMap(({ ids }) => ids));
  expect([...rules].filter((id) => id !== undefined && !covered.has(id))).toEqual([]);
});
