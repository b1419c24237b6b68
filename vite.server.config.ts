import path from 'node:path';
import { defineConfig } from 'vite';
import { builtFrom } from './scripts/built-from.ts';

const ROOT = import.meta.dirname;
const OUT = path.resolve(ROOT, 'out/server');

/**
 * The program of `bin` and its threads as few files, with their packages: finding and loading a
 * thousand modules is most of a start.
 */
export default defineConfig({
  publicDir: false,
  plugins: [
    builtFrom(
      ROOT,
      path.join(OUT, 'built-from.json'),
      import.meta.filename,
      path.resolve(ROOT, 'scripts/built-from.ts'),
    ),
  ],
  ssr: { noExternal: true, external: ['pg', 'pg-protocol'] },
  build: {
    ssr: true,
    outDir: OUT,
    target: 'node24.14',
    // Errors name functions as the source does.
    minify: false,
    rolldownOptions: {
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
});
