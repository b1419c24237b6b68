import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';

const WORKER = 'service-worker.js';
/** Marks the modules that the service worker imports. */
const OF_WORKER = '?service-worker';
const ICONS = [
  { file: 'icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
  { file: 'icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
  { file: 'icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
  { file: 'icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
] as const;
const MANIFEST = {
  id: '/studio',
  name: 'Evidence Studio',
  short_name: 'Evidence',
  description: 'Evidence matrices, also without a network.',
  lang: 'en',
  start_url: '/studio',
  scope: '/',
  display: 'standalone',
  background_color: '#17403f',
  theme_color: '#17403f',
  icons: ICONS.map(({ file, ...icon }) => ({ src: `/${file}`, ...icon })),
};

/**
 * Makes what a browser needs to install the studio: manifest and icons under fixed names, and the
 * service worker: one file with all that it imports, and with the build's name and list of files.
 * `icons` is the folder of the icons; it is an argument because electron-vite bundles its
 * configuration before it runs it, so that only the configuration's first file knows where it is.
 */
export function ownFiles(icons: string): Plugin {
  return {
    name: 'evidence-studio:own-files',
    enforce: 'post',
    buildStart() {
      for (const { file } of ICONS)
        this.emitFile({
          type: 'asset',
          fileName: file,
          source: readFileSync(path.join(icons, file)),
        });
      this.emitFile({
        type: 'asset',
        fileName: 'studio.webmanifest',
        source: JSON.stringify(MANIFEST),
      });
    },
    // What the service worker and the pages both import would be a file of its own beside them.
    resolveId: {
      order: 'pre',
      async handler(source, importer, options) {
        const isOfWorker = importer?.includes('/src/worker/') || importer?.endsWith(OF_WORKER);
        if (!isOfWorker) return null;
        const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
        return resolved && { ...resolved, id: `${resolved.id}${OF_WORKER}` };
      },
    },
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const page = bundle['index.html'];
        const worker = bundle[WORKER];
        if (page?.type !== 'asset' || worker?.type !== 'chunk')
          throw new Error('There is no page, or no service worker.');
        if (worker.imports.length > 0 || worker.exports.length > 0)
          throw new Error('A service worker is one file.');
        const files = Object.keys(bundle)
          .filter((file) => file.startsWith('assets/'))
          .toSorted();
        const html = String(page.source);
        const build = createHash('sha256')
          .update(JSON.stringify([files, html, worker.code]))
          .digest('base64url')
          .slice(0, 16);
        page.source = html.replace('__BUILD__', build);
        worker.code = `const BUILD=${JSON.stringify(build)},FILES=${JSON.stringify(files.map((file) => `/${file}`))};${worker.code}`;
      },
    },
  };
}
