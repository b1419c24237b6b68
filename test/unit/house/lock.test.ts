import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { checkLock } from '../../../scripts/check-lock.ts';
import { ROOT } from '../../support/served.ts';

const read = (name: string) => JSON.parse(readFileSync(path.join(ROOT, name), 'utf8'));
const manifest = read('package.json');
const lock = read('package-lock.json');
const without = (place: string) => {
  const { [place]: _, ...packages } = lock.packages;
  return { packages };
};

it('finds the place of every dependency', () => {
  expect(checkLock(lock, manifest)).toEqual([]);
});

it('misses one that only another system would install', () => {
  const name = `@oxfmt/binding-${process.platform === 'win32' ? 'linux-x64-gnu' : 'win32-x64-msvc'}`;
  expect(checkLock(without(`node_modules/${name}`), manifest)).toEqual([
    `node_modules/oxfmt needs ${name}, which is missing`,
  ]);
});

it('misses one of another version, and one that package.json alone names', () => {
  const changed = {
    dependencies: { ...manifest.dependencies, zod: '0.0.1', 'left-out': '1.0.0' },
    devDependencies: manifest.devDependencies,
  };
  expect(checkLock(lock, changed)).toEqual([
    `zod: package.json has 0.0.1, the lock ${manifest.dependencies.zod}`,
    `zod: package.json has 0.0.1, the lock installs ${manifest.dependencies.zod}`,
    'left-out: package.json has 1.0.0, the lock undefined',
  ]);
});
