/**
 * Called by electron-builder on a packed folder, before anything is signed: sets the fuses of
 * `fuses.json`, each of them by name. A fuse that Electron has and the file lacks is an error, but
 * in a package that is only for checks, whose Electron may be older.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { flipFuses, FuseV1Options, FuseVersion, getCurrentFuseWire } from '@electron/fuses';

/** @type {Record<string, boolean>} */
const FUSES = JSON.parse(readFileSync(new URL('fuses.json', import.meta.url), 'utf8'));
const SUFFIX = { darwin: '.app', mas: '.app', win32: '.exe', linux: '' };

export async function afterPack({ appOutDir, electronPlatformName, packager }) {
  const program =
    electronPlatformName === 'linux' ? packager.executableName : packager.appInfo.productFilename;
  const executable = path.join(appOutDir, `${program}${SUFFIX[electronPlatformName]}`);
  const isCheckOnly = process.env.EVIDENCE_STUDIO_CHECK_ONLY === '1';
  const wire = await getCurrentFuseWire(executable);
  /** @type {Record<number, boolean>} */
  const wanted = {};
  for (const [name, on] of Object.entries(FUSES)) {
    const fuse = FuseV1Options[name];
    if (!isCheckOnly || wire[fuse] !== undefined) wanted[fuse] = on;
  }
  await flipFuses(executable, {
    version: FuseVersion.V1,
    strictlyRequireAllFuses: !isCheckOnly,
    resetAdHocDarwinSignature: electronPlatformName === 'darwin',
    ...wanted,
  });
}
