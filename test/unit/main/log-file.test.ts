import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openLog } from '../../../src/main/log-file.ts';
import { newFolder } from './start.ts';

it('the log of a desktop that runs for weeks stays two files, and loses no line of the last one', () => {
  const folder = newFolder();
  const log = openLog(folder, 1_000);
  for (let line = 0; line < 500; line += 1) log.write(`{"line":${line}}\n`);
  const file = path.join(folder, 'logs/desktop.log');
  for (const part of [file, `${file}.1`]) expect(statSync(part).size).toBeLessThan(1_100);
  const lines = [`${file}.1`, file].flatMap((part) =>
    readFileSync(part, 'utf8').trim().split('\n'),
  );
  const numbers = lines.map((line) => Number(/\d+/.exec(line)?.[0]));
  expect(numbers).toEqual(numbers.map((_, index) => 500 - numbers.length + index));
  expect(numbers.length).toBeGreaterThan(80);
});
