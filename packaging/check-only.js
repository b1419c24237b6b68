/**
 * First file of a package that is only for checks: its Electron is older than the one that users
 * get, and has no SQLite of its own. Never part of a package for people.
 */
import { existsSync } from 'node:fs';
import { register } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const substitute = path.join(process.resourcesPath, 'check-only/sqlite-shim.mjs');
if (process.getBuiltinModule?.('node:sqlite') === undefined && existsSync(substitute)) {
  const address = JSON.stringify(pathToFileURL(substitute).href);
  const hooks = `export const resolve = async (specifier, context, next) =>
    specifier === 'node:sqlite' ? { url: ${address}, shortCircuit: true } : next(specifier, context);`;
  register(`data:text/javascript,${encodeURIComponent(hooks)}`);
}
process.env.EVIDENCE_STUDIO_ALLOW_OLD_SQLITE = '1';
await import('./out/main/index.js');
