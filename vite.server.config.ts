import path from 'node:path';
import { defineConfig } from 'vite';
import { builtFrom } from './scripts/built-from.ts';
import { plainAscii } from './scripts/plain-ascii.ts';

const ROOT = import.meta.dirname;
const OUT = path.resolve(ROOT, 'out/server');
const PACKAGED = path.resolve(ROOT, 'dist/out/server');

/**
 * The program of `bin` and its threads as few files, with their packages: finding and loading a
 * thousand modules is most of a start. With `--mode package` it needs no package beside it.
 */
export default defineConfig(({ mode }) => ({
  publicDir: false,
  plugins: [
    plainAscii(),
    builtFrom(
      ROOT,
      path.join(mode === 'package' ? PACKAGED : OUT, 'built-from.json'),
      import.meta.filename,
      path.resolve(ROOT, 'scripts/built-from.ts'),
      path.resolve(ROOT, 'scripts/plain-ascii.ts'),
    ),
  ],
  ssr: { noExternal: true, external: mode === 'package' ? [] : ['pg', 'pg-protocol'] },
  build: {
    ssr: true,
    outDir: mode === 'package' ? PACKAGED : OUT,
    // A package is in the desktop, too: its language, as in electron.vite.config.ts.
    target: mode === 'package' ? 'node20.18' : 'node24.14',
    // Errors name functions as the source does.
    minify: false,
    rolldownOptions: {
      // Asked for by packages in case they are there; a package is not to depend on what else
      // developers have installed.
      external: mode === 'package' ? ['pg-native', 'supports-color'] : [],
      input: {
        index: 'src/server/commands/bin.ts',
        // Threads, by the names by which `src/server` starts them beside it.
        entry: 'src/server/thread/entry.js',
        'guess-thread': 'src/server/auth/guess-thread.ts',
      },
      // One folder, two below the root as `src/server` is.
      output: { chunkFileNames: '[name].js' },
    },
  },
}));
