import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST, ROOT } from './project.ts';

export interface ElectronRuntime {
  folder: string;
  version: string;
  /**
   * Not the Electron that users get. What is packed with it is named and marked so, and is never
   * published.
   */
  isCheckOnly: boolean;
}

/**
 * The Electron that a package is made with: of `ELECTRON_OVERRIDE_DIST_PATH`, else the pinned one.
 */
export function packedRuntime(): ElectronRuntime | undefined {
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH || undefined;
  const folder = override ?? path.join(ROOT, 'node_modules/electron/dist');
  const file = path.join(folder, 'version');
  if (!existsSync(file)) return undefined;
  const version = readFileSync(file, 'utf8').trim().replace(/^v/, '');
  return {
    folder,
    version,
    isCheckOnly: override !== undefined || version !== MANIFEST.devDependencies.electron,
  };
}

/** The version that a package states; a check-only one sorts below the real one. */
export const versionOf = ({ isCheckOnly }: Pick<ElectronRuntime, 'isCheckOnly'>): string =>
  isCheckOnly ? `${MANIFEST.version}-checkonly` : MANIFEST.version;

/** What begins the name of a file that may not be published. */
export const prefixOf = ({ isCheckOnly }: Pick<ElectronRuntime, 'isCheckOnly'>): string =>
  isCheckOnly ? 'CHECK-ONLY-' : '';
