import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './served.ts';

/** A file of deploy/ in which each of these, which is there, has become the other. */
export function deployFile(name: string, replacements: Record<string, string>): string {
  let text = readFileSync(path.join(ROOT, 'deploy', name), 'utf8');
  for (const [from, to] of Object.entries(replacements)) {
    if (!text.includes(from)) throw new Error(`${name} has no ${from}.`);
    text = text.replaceAll(from, () => to);
  }
  return text;
}
