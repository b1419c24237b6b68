import { readFileSync } from 'node:fs';

/** The package's version: two folders up from `src/server` and from `out/server` alike. */
export function packageVersion(): string {
  return (
    JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    }
  ).version;
}
