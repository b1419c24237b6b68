import { rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';

const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/**
 * Writes beside a build, once the build is whole, when each file was written that it is of: its
 * sources, its configuration, and for packages their package.json. `bin/load.js` compares.
 */
export function builtFrom(root: string, stamp: string, ...configuration: string[]): Plugin {
  const times = new Map<string, number>();
  const note = (file: string): void => {
    const name = path.relative(root, file).replaceAll(path.sep, '/');
    if (!times.has(name)) times.set(name, statSync(file).mtimeMs);
  };
  return {
    name: 'evidence-studio:built-from',
    enforce: 'pre',
    apply: 'build',
    buildStart() {
      rmSync(stamp, { force: true });
      times.clear();
      configuration.forEach(note);
    },
    // Before it is read: what is saved afterwards is later than this.
    load(id) {
      if (!path.isAbsolute(id)) return;
      const [folder] = PACKAGE.exec(id) ?? [];
      note(folder === undefined ? id : `${folder}/package.json`);
    },
    writeBundle() {
      writeFileSync(stamp, JSON.stringify(Object.fromEntries(times)));
    },
  };
}
