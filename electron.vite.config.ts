import { defineConfig } from 'electron-vite';
import { plainAscii } from './scripts/plain-ascii.ts';
import renderer from './vite.renderer.config.ts';

export default defineConfig({
  main: {
    plugins: [plainAscii()],
    build: {
      // ESM, with its packages: loading hundreds of files is half of a start. PostgreSQL's driver
      // stays outside, as in vite.server.config.ts.
      outDir: 'out/main',
      externalizeDeps: false,
      // The language of Electron 33, which the end-to-end checks may run on; the API is Electron
      // 45's.
      target: 'node20.18',
      sourcemap: true,
      // The store's thread is a file of its own (src/server/thread).
      rolldownOptions: {
        external: ['pg', 'pg-protocol'],
        input: { index: 'src/main/index.ts', 'store-thread': 'src/server/thread/entry.js' },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      target: 'node20.18',
      sourcemap: false,
      // A sandboxed preload is one CommonJS file that may require nothing but electron.
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: 'src/preload/index.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
      },
    },
  },
  renderer,
});
