import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'vite';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

export interface ServedHarness {
  url: string;
  close(): Promise<void>;
}

const POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self' blob:; " +
  "style-src 'self' 'nonce-NONCE'; img-src 'self' data:; font-src 'self'; connect-src 'self'";

/** For tests that load the page again and again; a benchmark measures every load alike. */
export const KEEPS_FILES = { 'cache-control': 'public, max-age=31536000, immutable' };

/**
 * Builds the page in `root` as for production and serves it under the style policy of the
 * application, or under none. `KEEPS_FILES` lets the browser keep the files, whose names carry a
 * hash of what they hold, and their compiled code from one load to the next.
 */
export async function serveHarness(
  root: string = import.meta.dirname,
  policy: string | null = POLICY,
  caching: Record<string, string> = {},
): Promise<ServedHarness> {
  const outDir = await mkdtemp(path.join(tmpdir(), 'matrix-harness-'));
  await build({
    configFile: false,
    root,
    base: './',
    logLevel: 'error',
    build: { outDir, emptyOutDir: true, target: 'esnext', chunkSizeWarningLimit: 5_000 },
  });
  const server = createServer((request, response) => {
    const pathname = new URL(request.url ?? '/', 'http://harness').pathname;
    const file = path.join(outDir, pathname === '/' ? 'index.html' : path.normalize(pathname));
    const type = TYPES[path.extname(file)];
    if (!file.startsWith(outDir) || type === undefined) {
      response.writeHead(404).end();
      return;
    }
    void readFile(file).then(
      (bytes) => {
        const nonce = randomBytes(16).toString('base64');
        const isPage = type.startsWith('text/html');
        response.writeHead(200, {
          'content-type': type,
          ...(isPage ? {} : caching),
          ...(policy === null ? {} : { 'content-security-policy': policy.replace('NONCE', nonce) }),
        });
        response.end(isPage ? bytes.toString('utf8').replace('__CSP_NONCE__', nonce) : bytes);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
      await rm(outDir, { recursive: true, force: true });
    },
  };
}
