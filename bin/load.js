import { existsSync, readFileSync, statSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
export const SOURCE = `${ROOT}src/server/commands/bin.ts`;
const BUILT = `${ROOT}out/server/index.js`;
/** Written last by the build (scripts/built-from.ts): when each file was written that it is of. */
const BUILT_FROM = `${ROOT}out/server/built-from.json`;

/** Whether there is a build, of the very files that are here. */
export function isCurrent() {
  try {
    /** @type {Record<string, number>} */
    const files = JSON.parse(readFileSync(BUILT_FROM, 'utf8'));
    return Object.entries(files).every(
      ([file, time]) => statSync(ROOT + file, { throwIfNoEntry: false })?.mtimeMs === time,
    );
  } catch {
    return false;
  }
}

/** Where there is no source, as in an image, the build is all there is. */
export const programFile = () => (!existsSync(`${ROOT}src`) || isCurrent() ? BUILT : SOURCE);

/**
 * The program: its build, which loads in half the time, or its source where that has changed.
 * Compiled code is kept in a folder of this name, where it can be written: later starts are faster
 * and need less memory.
 *
 * @param {string} cache
 */
export async function loadProgram(cache, file = programFile()) {
  enableCompileCache(`${ROOT}node_modules/.cache/${cache}`);
  /** @type {typeof import('../src/server/commands/bin.ts')} */
  const program = await import(pathToFileURL(file).href);
  flushCompileCache();
  return program;
}
