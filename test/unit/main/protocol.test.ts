import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createProtocolHandler, registerScheme } from '../../../src/main/protocol.ts';
import { createStudioFiles, studioPolicy } from '../../../src/server/pages/studio-files.ts';
import { createFakeElectron } from './fake-electron.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'protocol-'));
mkdirSync(path.join(root, 'renderer', 'assets'), { recursive: true });
writeFileSync(
  path.join(root, 'renderer', 'index.html'),
  '<meta content="__CSP_NONCE__"><p>the page</p>',
);
writeFileSync(path.join(root, 'renderer', 'assets', 'main-1a2b.js'), 'export {};');
writeFileSync(path.join(root, 'secret.js'), 'SECRET');
mkdirSync(path.join(root, 'renderer-evil'));
writeFileSync(path.join(root, 'renderer-evil', 'x.js'), 'SECRET');
afterAll(() => rmSync(root, { recursive: true }));

function handler() {
  const files = createStudioFiles(path.join(root, 'renderer'));
  const found = vi.spyOn(files, 'file');
  const forward = vi.fn(
    async (request: Request) => new Response(`server: ${new URL(request.url).pathname}`),
  );
  return {
    files,
    found,
    forward,
    handle: createProtocolHandler({ files, forward, nonce: () => 'bm9uY2U=' }),
  };
}

const HOSTILE = [
  '/../secret.js',
  '/assets/../../secret.js',
  '/%2e%2e/secret.js',
  '/%2e%2e%2fsecret.js',
  '/..%2fsecret.js',
  '/..%5csecret.js',
  '/%5c..%5csecret.js',
  '/assets/%2e%2e/%2e%2e/secret.js',
  '//secret.js',
  '///etc/passwd',
  '//etc/passwd',
  '/assets//main-1a2b.js',
  '/assets/main-1a2b.js/',
  '/assets/main-1a2b.js%00',
  '/assets/main-1a2b.js%00.css',
  '/assets/MAIN-1A2B.JS',
  '/assets/',
  '/assets',
  '/assets/main-1a2b.js;x',
  '/index.html',
  '/../renderer-evil/x.js',
  '/renderer-evil/x.js',
  '/C:/Windows/win.ini',
  '/c%3a/windows',
  '/etc/passwd',
  '/proc/self/environ',
  '/package.json',
  '/server.json',
  '/evidence.sqlite',
  '/pepper.key',
  '/.git/config',
  '/studio.evil',
  '/studioX',
  '/accounts',
  '/account/',
  '/%73tudio',
  '/api',
  '/API/v1/projects',
  '/a%0d%0aX-Injected:1',
  '/%E0%A4%A',
  '/%C0%AE%C0%AE/secret.js',
  '/constructor',
  '/__proto__',
  '/toString',
  `/${'a'.repeat(3_000)}`,
  `/assets/${'../'.repeat(200)}etc/passwd`,
];
const FOREIGN_HOSTS = [
  'app://other/studio',
  'app://studio.evil/studio',
  'app://evil@studio/studio',
  'app://studio:8080/studio',
  'app://studio@evil/studio',
  'https://studio/studio',
  'file:///studio',
  'app://STUDIO.evil/studio',
  'app://studi%6f.evil/',
];

/**
 * What the platform makes of an address, or undefined where it refuses it: such a request never
 * exists.
 */
function requestFor(url: string, init?: RequestInit): Request | undefined {
  return URL.canParse(url) && new URL(url).username === '' ? new Request(url, init) : undefined;
}

describe('E4 custom protocol', () => {
  it('E4 the scheme is standard and secure and may fetch, nothing else', () => {
    const { electron, schemes } = createFakeElectron();
    registerScheme(electron.protocol);
    expect(schemes).toEqual([
      {
        scheme: 'app',
        privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
      },
    ]);
  });

  for (const address of HOSTILE) {
    it(`E4 ${address.slice(0, 60)} finds nothing`, async () => {
      const { handle, forward } = handler();
      const request = requestFor(`app://studio${address}`);
      if (request === undefined) return;
      const response = await handle(request);
      expect(response.status).toBe(404);
      expect(await response.text()).toBe('');
      expect(forward).not.toHaveBeenCalled();
    });
  }

  for (const url of FOREIGN_HOSTS) {
    it(`E4 ${url} is not this host`, async () => {
      const { handle, found, forward } = handler();
      // The platform refuses to build some of these: the handler is asked all the same.
      const request = requestFor(url) ?? ({ url, method: 'GET' } as Request);
      expect((await handle(request)).status).toBe(404);
      expect(found).not.toHaveBeenCalled();
      expect(forward).not.toHaveBeenCalled();
    });
  }

  it('E4 an address of 10 kB is refused before it is looked at', async () => {
    const { handle, found, forward } = handler();
    expect((await handle(new Request(`app://studio/api/${'a'.repeat(10_000)}`))).status).toBe(414);
    expect(found).not.toHaveBeenCalled();
    expect(forward).not.toHaveBeenCalled();
  });

  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    it(`E4 ${method} is refused outside the API`, async () => {
      const { handle, found } = handler();
      for (const pathname of ['/studio', '/assets/main-1a2b.js', '/nothing']) {
        const response = await handle(new Request(`app://studio${pathname}`, { method }));
        expect(response.status).toBe(405);
        expect(response.headers.get('allow')).toBe('GET, HEAD');
      }
      expect(found).not.toHaveBeenCalled();
    });
  }

  it('E4 a built file has its type, and no answer is stored or guessed at', async () => {
    const { handle } = handler();
    const response = await handle(new Request('app://studio/assets/main-1a2b.js'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).toBe('export {};');
  });

  it('E4 HEAD has the headers and no body', async () => {
    const { handle } = handler();
    const response = await handle(new Request('app://studio/studio', { method: 'HEAD' }));
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  it('E4 every request below /api/ goes to the server, whatever its method', async () => {
    const { handle, forward } = handler();
    for (const method of ['GET', 'POST', 'DELETE', 'PUT'])
      expect(
        await (await handle(new Request('app://studio/api/v1/projects', { method }))).text(),
      ).toBe('server: /api/v1/projects');
    expect(forward).toHaveBeenCalledTimes(4);
  });
});

describe('E3 content policy', () => {
  it('E3 a page carries the policy with the nonce that is in its text', async () => {
    const { handle } = handler();
    for (const address of ['/studio', '/studio/cases/chr1:1:A%3EG', '/account']) {
      const response = await handle(new Request(`app://studio${address}`));
      expect(response.headers.get('content-security-policy')).toBe(studioPolicy('bm9uY2U='));
      expect(await response.text()).toContain('content="bm9uY2U="');
    }
  });

  it('E3 the policy allows no inline code and no other server', () => {
    const policy = studioPolicy('N');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
  });

  it('E3 every other answer allows nothing at all', async () => {
    const { handle } = handler();
    for (const address of ['/assets/main-1a2b.js', '/nothing']) {
      expect(
        (await handle(new Request(`app://studio${address}`))).headers.get(
          'content-security-policy',
        ),
      ).toBe("default-src 'none'; frame-ancestors 'none'");
    }
  });
});
