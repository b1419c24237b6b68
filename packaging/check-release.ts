/**
 * Run by `npm version X.Y.Z` before it changes anything: CHANGELOG.md must begin with that version,
 * and every change must be committed.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');

/** Why this version cannot be released, or undefined. */
export function releaseProblem(
  version: string,
  changelog: string,
  uncommitted: string,
): string | undefined {
  const [, newest] = /^## (\S+)$/m.exec(changelog) ?? [];
  if (newest !== version)
    return `CHANGELOG.md begins with ${newest ?? 'no version'}, not ${version}`;
  return uncommitted.trim() === '' ? undefined : 'there are changes that are not committed';
}

if (import.meta.main) {
  const problem = releaseProblem(
    process.env.npm_new_version ?? '',
    readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8'),
    execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' }),
  );
  if (problem !== undefined) {
    console.error(`Not released: ${problem}.`);
    process.exit(1);
  }
}
