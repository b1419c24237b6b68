import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { ownFiles } from './scripts/own-files.ts';
import { plainAscii } from './scripts/plain-ascii.ts';

/**
 * The pages, by themselves: `electron.vite.config.ts` builds the same. Served as they are at
 * app://studio and by the server, under a CSP without inline code.
 */
export default defineConfig({
  root: 'src/renderer',
  // Pages live at any depth under /studio; their files at /assets.
  base: '/',
  publicDir: false,
  plugins: [
    react(),
    // electron-vite sets './' for production builds, which no page below /studio would find.
    { name: 'evidence-studio:base', enforce: 'post', config: () => ({ base: '/' }) },
    plainAscii(),
    ownFiles(path.resolve(import.meta.dirname, 'src/renderer/app/icons')),
  ],
  build: {
    // Absolute: Vite reads it from the root of the pages, electron-vite from here.
    outDir: path.resolve(import.meta.dirname, 'out/renderer'),
    emptyOutDir: true,
    target: 'chrome130',
    minify: true,
    modulePreload: { polyfill: false },
    // No data: URLs. Every file has a name of its own.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_500,
    rolldownOptions: {
      input: { index: 'src/renderer/index.html', 'service-worker': 'src/worker/service-worker.ts' },
      // A service worker has one address for ever.
      output: {
        entryFileNames: ({ name }) =>
          name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js',
      },
    },
  },
});
