import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../src/server/auth/sign-in.ts';
import { ApiError, toAnswer } from '../../src/server/context/errors.ts';
import { ownPath } from '../../src/server/pages/next.ts';
import { refusedPage } from '../../src/server/pages/refused.ts';
import { createStudioFiles, studioPolicy } from '../../src/server/pages/studio-files.ts';
import { alone } from '../support/alone.ts';
import { rawRequest } from '../support/raw-http.ts';
import { SERVER_PAGES } from '../../src/shared/contract/page-addresses.ts';
import { bootServer, type TestServer } from '../support/server.ts';

let root: string;
let server: TestServer;
let cookie: string;
beforeAll(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'evidence-pages-'));
  root = path.join(folder, 'renderer');
  mkdirSync(path.join(root, 'assets'), { recursive: true });
  writeFileSync(
    path.join(root, 'index.html'),
    '<meta name="csp-nonce" content="__CSP_NONCE__"><script type="module" src="/assets/index-abc.js"></script>',
  );
  writeFileSync(path.join(root, 'assets/index-abc.js'), 'export {};');
  writeFileSync(path.join(root, 'assets/index-abc.js.map'), '{}');
  mkdirSync(path.join(root, 'manual'));
  writeFileSync(path.join(root, 'manual/index.html'), '<h1>Manual</h1>');
  writeFileSync(path.join(root, 'favicon.svg'), '<svg/>');
  writeFileSync(path.join(root, 'service-worker.js'), '');
  writeFileSync(path.join(root, 'studio.webmanifest'), '{}');
  writeFileSync(path.join(folder, 'secret.js'), 'secret');
  mkdirSync(`${root}-evil`);
  writeFileSync(path.join(`${root}-evil`, 'x.js'), 'secret');
  symlinkSync(path.join(folder, 'secret.js'), path.join(root, 'assets/link.js'));
  server = await bootServer({ deps: { rendererRoot: root } });
  const link = await createSignInLink(server.deps, server.url);
  cookie = (await server.call('GET', link.slice(server.url.length), { key: null })).headers
    .get('set-cookie')!
    .split(';')[0]!;
});
afterAll(() => server.close());

const page = (target: string, headers: Record<string, string> = {}) =>
  server.call('GET', target, { key: null, headers });

describe('the studio in a browser', () => {
  it('leads from a page that needs signing in to the same one in the desktop that serves it', async () => {
    await using desktop = await bootServer({ deps: { rendererRoot: root, home: 'desktop' } });
    const linked = async (target: string) =>
      (await desktop.call('GET', target, { key: null })).text.includes('"evidence-studio://');
    const { text } = await desktop.call('GET', '/studio/runs/run_1', { key: null });
    expect(text).toContain('<a href="evidence-studio://runs/run_1">');
    expect(await linked('/studio/cases/a%22%3E')).toBe(true);
    for (const target of ['/studio', '/studio/sync', '/studio/runs/a/report'])
      expect(await linked(target)).toBe(false);
    expect((await page('/studio/runs/run_1')).text).not.toContain('evidence-studio://');
  });

  it.each(['/studio', '/studio/', '/studio/cases/trio-0042', '/studio/runs/a%20b', '/account'])(
    'answers %s with the page to whoever is signed in',
    async (target) => {
      const { status, text, headers } = await page(target, { cookie });
      const policy = headers.get('content-security-policy')!;
      const nonce = /'nonce-([A-Za-z0-9+/]{24})'/.exec(policy)![1]!;
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(policy).toBe(studioPolicy(nonce));
      expect(text).toContain(`content="${nonce}"`);
      expect(text).not.toContain('__CSP_NONCE__');
      expect((await page(target, { cookie })).text).not.toBe(text);
    },
  );

  it('has a policy without unsafe words', () => {
    expect(studioPolicy('N')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-N'; " +
        "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; " +
        "worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; " +
        "form-action 'self'; frame-ancestors 'none'; object-src 'none'; " +
        "require-trusted-types-for 'script'; trusted-types studio-scripts inert-html",
    );
  });

  alone('asks everybody else to sign in, and says how', async () => {
    const attempts: Record<string, string>[] = [
      {},
      { cookie: 'evs_session=x' },
      { cookie: `${cookie}x` },
      { authorization: `Bearer ${server.key}` },
    ];
    for (const headers of attempts) {
      const { status, text } = await page('/studio', headers);
      expect(status).toBe(401);
      expect(text).toContain('evidence-studio sign-in');
      expect(text).not.toContain('index-abc');
    }
  });

  it('leads from / to the studio', async () => {
    const { status, headers } = await page('/');
    expect([status, headers.get('location')]).toEqual([307, '/studio']);
  });

  it('serves built files by their exact names', async () => {
    const script = await page('/assets/index-abc.js');
    expect([script.status, script.headers.get('content-type'), script.text]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'export {};',
    ]);
    expect((await page('/favicon.svg')).headers.get('content-type')).toBe(
      'image/svg+xml; charset=utf-8',
    );
  });

  it('serves the manual to everybody, which may load nothing but its own style and pictures', async () => {
    const { status, headers, text } = await page(SERVER_PAGES.manual);
    expect([status, headers.get('content-type'), text]).toEqual([
      200,
      'text/html; charset=utf-8',
      '<h1>Manual</h1>',
    ]);
    const policy = headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; style-src 'self'; img-src 'self'; /);
    expect(policy).not.toContain('script-src');
  });

  it('lets its service worker ask this server and nothing else, and never from a copy', async () => {
    const { status, headers } = await page('/service-worker.js');
    expect([
      status,
      headers.get('content-type'),
      headers.get('cache-control'),
      headers.get('content-security-policy'),
    ]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'no-store',
      "default-src 'none'; connect-src 'self'",
    ]);
    expect((await page('/studio.webmanifest')).headers.get('content-type')).toBe(
      'application/manifest+json; charset=utf-8',
    );
  });

  it.each([
    '/index.html',
    '/manual/',
    '/manual/secret.html',
    '/assets/index-abc.js.map',
    '/assets/',
    '/assets',
    '/assets/link.js',
    '/assets/../index.html',
    '/assets/%2e%2e/index.html',
    '/assets/..%2f..%2fsecret.js',
    '/../secret.js',
    '/../renderer-evil/x.js',
    '/assets/index-abc.js%00',
    '/assets\\index-abc.js',
    '//assets/index-abc.js',
    '/Assets/index-abc.js',
    '/assets/index-abc.js/',
    '/constructor',
    '/__proto__',
    `/${'a'.repeat(5_000)}`,
    '/studiox',
    '/accounts',
  ])('finds nothing at %s', async (target) => {
    const answer = await rawRequest(
      server.url,
      `GET ${target} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nCookie: ${cookie}\r\n\r\n`,
    );
    expect([answer.status, JSON.parse(answer.body).error]).toEqual([404, 'not_found']);
  });

  it('says so on a page where a browser will show it, but never for the API', async () => {
    const accept = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';
    const { status, text, headers } = await page('/studiox?"><script>', { accept });
    expect([
      status,
      headers.get('content-type'),
      text.includes('<a href="/studio">'),
      text.includes('<script>'),
    ]).toEqual([404, 'text/html; charset=utf-8', true, false]);
    expect((await page('/api/v1/nowhere', { accept })).headers.get('content-type')).toContain(
      'application/json',
    );
  });

  it('speaks the language that the browser asks for', async () => {
    const accept = { accept: 'text/html', 'accept-language': 'fr, de-CH;q=0.8, en;q=0.5' };
    const { text } = await page('/studiox', accept);
    expect(text).toContain('<html lang="de">');
    expect(text).toContain('<h1>Diese Seite gibt es nicht</h1>');
    const english = await page('/studiox', { ...accept, 'accept-language': 'fr;q=1, en;q=0.1' });
    expect(english.text).toContain('<h1>There is no such page</h1>');
  });

  it('leads from a form that was open too long to the same form', () => {
    const answer = toAnswer(new ApiError('csrf_failed'), 'req_1');
    expect(
      refusedPage(
        {
          id: 'req_1',
          path: '/login',
          search: 'next=%2Faccount&x="',
          req: { headers: {} },
        },
        answer,
      ).body,
    ).toContain('<a href="/login?next=%2Faccount&#38;x=&#34;">Open the page again</a>');
  });

  it('takes no other method', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { status, headers } = await server.call(method, '/studio', {
        key: null,
        headers: { cookie, origin: server.url },
      });
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    }
    expect((await server.call('OPTIONS', '/docs', { key: null })).status).toBe(204);
    expect((await server.call('GET', '/sign-out', { key: null })).headers.get('allow')).toBe(
      'POST, OPTIONS',
    );
  });

  it('lets a link from another site open a page', async () => {
    const navigation =
      'Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n';
    const answer = await rawRequest(
      server.url,
      `GET /docs HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n${navigation}\r\n`,
    );
    expect(answer.status).toBe(200);
  });
});

describe('a hosted server', () => {
  it.each([
    ['/studio/runs/run_1', '/login?next=%2Fstudio%2Fruns%2Frun_1'],
    [
      '/studio/cases/a%20b?profile=p@1.0&show=x',
      '/login?next=%2Fstudio%2Fcases%2Fa%2520b%3Fprofile%3Dp%401.0%26show%3Dx',
    ],
    ['/account', '/login?next=%2Faccount'],
    ['/studio', '/login'],
    [`/studio/${'a'.repeat(3_000)}`, '/login'],
  ])('leads over its sign-in page: %#', async (target, location) => {
    await using hosted = await bootServer({ deps: { rendererRoot: root, home: 'hosted' } });
    const { status, headers, text } = await hosted.call('GET', target, { key: null });
    expect([status, headers.get('location'), text]).toEqual([303, location, '']);
  });

  it.each(['/studio', '/studio/runs/run_1?show=table', '/account', '/studio/cases/a%2F..%2Fb'])(
    'leads back to %s',
    (next) => {
      expect(ownPath(next)).toBe(next);
    },
  );
  it.each([
    null,
    '',
    'https://evil.example/studio',
    '//evil.example/studio',
    '/\\evil.example',
    '/studio\\..\\x',
    '\\/studio',
    '/login',
    '/api/v1/projects',
    '/sign-out',
    '/studio.evil',
    '/studio\r\nX: 1',
    '/studio/ä',
    ' /studio',
    'javascript:alert(1)',
    `/studio/${'a'.repeat(2_000)}`,
  ])('leads to the first page instead: %#', (next) => {
    expect(ownPath(next)).toBe('/studio');
  });
});

describe('a server without a built studio', () => {
  it('says so', async () => {
    await using other = await bootServer();
    const { status, text } = await other.call('GET', '/studio', { key: null });
    expect([status, text.includes('/docs')]).toEqual([404, true]);
    expect(() => createStudioFiles(path.join(root, 'assets'))).toThrow(/not built/);
  });
});
