import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.resolve(import.meta.dirname, '../../src/renderer/text/de');

/** The German of the pages, read from its files. */
export const readGerman = (): Record<string, string> =>
  Object.assign(
    {},
    ...globSync('*.json', { cwd: FOLDER }).map((file): unknown =>
      JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')),
    ),
  ) as Record<string, string>;
