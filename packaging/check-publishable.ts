/**
 * `node packaging/check-publishable.ts FOLDER`: refuses packages that may not reach people, one
 * line for each reason. The release workflow runs it before anything is uploaded.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST } from './project.ts';

/** The reasons; none where all of it may be published. */
export function reasonsAgainst(folder: string): string[] {
  const names = readdirSync(folder);
  const reasons = names
    .filter((name) => /check-?only/i.test(name))
    .map((name) => `${name} is made for checks alone`);
  if (!names.includes('SHA256SUMS')) return [...reasons, 'there is no SHA256SUMS'];
  const sums = readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n');
  const stated = new Map(sums.map((line) => [line.slice(66), line.slice(0, 64)] as const));
  for (const name of names.filter((one) => !one.startsWith('SHA256SUMS'))) {
    const bytes = readFileSync(path.join(folder, name));
    const hash = createHash('sha256').update(bytes).digest('hex');
    if (stated.get(name) !== hash) reasons.push(`${name} is not what SHA256SUMS states`);
    if (!name.includes(MANIFEST.version) && !name.startsWith('update-'))
      reasons.push(`${name} is of another version than ${MANIFEST.version}`);
    if (
      name.endsWith('.cdx.json') &&
      /"evidence-studio:check-only",\s*"value": "true"/.test(String(bytes))
    )
      reasons.push(`${name} names a runtime for checks`);
  }
  return reasons;
}

if (import.meta.main) {
  const reasons = reasonsAgainst(process.argv[2] ?? '');
  for (const reason of reasons) console.error(`Not to be published: ${reason}.`);
  if (reasons.length > 0) process.exit(1);
  console.log('Nothing speaks against publishing.');
}
