import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The built renderer, or undefined where nothing was built. Two folders up from `src/server` and
 * from `out/server` alike.
 */
export function builtRenderer(): string | undefined {
  const folder = new URL('../../out/renderer/', import.meta.url);
  return existsSync(new URL('index.html', folder)) ? fileURLToPath(folder) : undefined;
}
