import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Home } from '../../shared/contract/v1/account.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.woff2': 'font/woff2',
};
const NONCE = '__CSP_NONCE__';
const HOME = '__HOME__';
const INDEX = '/index.html';

/** The manual is pages without scripts, beside the application. */
const MANUAL = '/manual/';
const MANUAL_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

export interface StudioFile {
  bytes: Buffer;
  type: string;
  /** Its content policy, where the usual one of an answer would keep it from working. */
  policy?: string;
}

/** The built renderer, served to a browser and to the desktop window alike. */
export interface StudioFiles {
  /** A built file by its exact path, or undefined. The page itself is asked for by `page`. */
  file(pathname: string): Promise<StudioFile | undefined>;
  /**
   * The application's page for one answer; its content policy carries the same nonce. `home`: how
   * the server is run, in a browser.
   */
  page(nonce: string, home?: Home): Promise<StudioFile>;
}

/** Content policy of the application's page. */
export function studioPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    // The two policies of src/renderer/state/trusted-types.ts.
    "require-trusted-types-for 'script'",
    'trusted-types studio-scripts inert-html',
  ].join('; ');
}

const WORKER_PATH = '/service-worker.js';
/** What the service worker may do by itself: ask this server. */
const WORKER_POLICY = "default-src 'none'; connect-src 'self'";

function policyOf(pathname: string, type: string): Pick<StudioFile, 'policy'> {
  if (pathname === WORKER_PATH) return { policy: WORKER_POLICY };
  return pathname.startsWith(MANUAL) && type === TYPES['.html'] ? { policy: MANUAL_POLICY } : {};
}

/**
 * Every file of the build by its URL path. A request is looked up in this map, so that no path from
 * outside ever reaches the file system.
 */
function listFiles(root: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && TYPES[path.extname(entry.name)] !== undefined)
      files.set(`/${path.relative(root, file).split(path.sep).join('/')}`, file);
  }
  return files;
}

/**
 * Reads the list of files now and each file when it is first asked for. Throws where there is no
 * built page.
 */
export function createStudioFiles(root: string): StudioFiles {
  const files = listFiles(root);
  const index = files.get(INDEX);
  if (index === undefined) throw new Error('The renderer is not built: its index.html is missing.');
  files.delete(INDEX);
  const loaded = new Map<string, Promise<Buffer>>();
  const load = (file: string): Promise<Buffer> => {
    const bytes = loaded.get(file) ?? readFile(file);
    loaded.set(file, bytes);
    return bytes;
  };
  return {
    async file(pathname) {
      const file = files.get(pathname);
      if (file === undefined) return undefined;
      const type = TYPES[path.extname(file)]!;
      return { bytes: await load(file), type, ...policyOf(pathname, type) };
    },
    async page(nonce, home) {
      const html = (await load(index))
        .toString('utf8')
        .replaceAll(NONCE, nonce)
        .replaceAll(HOME, home ?? HOME);
      return { bytes: Buffer.from(html), type: TYPES['.html']! };
    },
  };
}
