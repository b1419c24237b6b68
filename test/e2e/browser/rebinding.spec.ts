/**
 * A web page anywhere tries to reach the studio of the person who looks at it: by DNS rebinding,
 * and across origins.
 */
import { createServer, type Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, expect, type Page, test } from '@playwright/test';
import { CHROMIUM_ARGS, findTestBrowser } from '../../support/chromium.ts';
import { call, makeKey, serve, type Served } from '../../support/served.ts';

let folder: string;
let studio: Served;
let key: string;
let port: string;
let attacker: Server;
let attackerPort: number;
let browser: Browser;

test.beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'evidence-rebinding-'));
  key = await makeKey(folder);
  studio = await serve(folder, [], { LOG_LEVEL: 'info' });
  ({ port } = new URL(studio.url));
  expect(
    (await call(studio.url, key, 'POST', '/api/v1/projects', { name: 'secret-project' })).status,
  ).toBe(201);
  attacker = createServer((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>A page</title>'),
  ).listen(0, '127.0.0.1');
  await new Promise((resolve) => attacker.once('listening', resolve));
  attackerPort = (attacker.address() as AddressInfo).port;
  // The name of the attacker's page now points at this computer: what rebinding comes to. The
  // permission that newer browsers ask for is off, since the server must stand without it.
  browser = await chromium.launch({
    executablePath: findTestBrowser(),
    args: [
      ...CHROMIUM_ARGS,
      '--host-resolver-rules=MAP evil.test 127.0.0.1',
      '--disable-features=LocalNetworkAccessChecks',
    ],
  });
});
test.afterAll(async () => {
  await browser.close();
  attacker.close();
  await studio.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

interface Options {
  method?: string;
  mode?: 'cors' | 'no-cors';
  credentials?: 'include';
  headers?: Record<string, string>;
  body?: string;
}
interface Attempt {
  status?: number;
  type?: string;
  text?: string;
  failed?: string;
}
async function pageAt(url: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(url);
  return page;
}
/**
 * A page of the attacker's own on the studio's port, loaded before its name was pointed here: every
 * request but that first one reaches the studio.
 */
async function reboundPage(): Promise<Page> {
  const page = await browser.newPage();
  const first = `http://evil.test:${port}/before`;
  await page.route(first, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>A page</title>' }),
  );
  await page.goto(first);
  return page;
}
/** What a script of the page gets from one fetch. */
function attempt(page: Page, url: string, init: Options = {}): Promise<Attempt> {
  return page.evaluate(
    async ([target, options]) => {
      try {
        const answer = await fetch(target, options);
        return { status: answer.status, type: answer.type, text: await answer.text() };
      } catch (error) {
        return { failed: String(error) };
      }
    },
    [url, init] as const,
  );
}
/** Codes of the refusals that the server has logged so far. */
function refusals(): string[] {
  return [...studio.output().matchAll(/"code":"(\w+)"/g)].map((match) => match[1] ?? '');
}
async function refusedWith(code: string, action: () => Promise<void>): Promise<void> {
  const before = refusals().length;
  await action();
  await expect.poll(() => refusals().slice(before)).toContain(code);
  expect(new Set(refusals().slice(before))).toEqual(new Set([code]));
}
async function projects(): Promise<string[]> {
  const { body } = await call(studio.url, key, 'GET', '/api/v1/projects');
  return body.data.map(({ name }: { name: string }) => name);
}
test.afterEach(async () => {
  expect(await projects()).toEqual(['secret-project']);
});

test('a rebound page reads nothing of the same origin, with or without a key', async () => {
  await refusedWith('host_not_allowed', async () => {
    const page = await reboundPage();
    for (const target of [
      '/api/v1/projects',
      '/studio',
      '/docs',
      '/healthz',
      '/api/v1/openapi.json',
      '/sign-in?token=x',
      '/api/v1/usage',
    ]) {
      for (const headers of [{} as Record<string, string>, { authorization: `Bearer ${key}` }]) {
        const answer = await attempt(page, target, { headers });
        expect([answer.status, answer.text?.includes('secret-project') ?? false], target).toEqual([
          403,
          false,
        ]);
        expect(JSON.parse(answer.text ?? '')).toMatchObject({
          error: 'host_not_allowed',
          details: [],
        });
      }
    }
    await page.close();
  });
});

test('a rebound page writes nothing of the same origin', async () => {
  await refusedWith('host_not_allowed', async () => {
    const page = await reboundPage();
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await attempt(page, '/api/v1/projects', {
        method,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        ...(method === 'OPTIONS' ? {} : { body: '{"name": "planted"}' }),
      });
      expect(answer.status, method).toBe(403);
    }
    await page.close();
  });
});

test('a rebound name opens no page', async () => {
  await refusedWith('host_not_allowed', async () => {
    const page = await pageAt(`http://evil.test:${port}/studio`);
    await expect(page.getByRole('main')).toContainText('This host name is not served here.');
    await page.close();
  });
});

test('another page sends no simple request that does anything', async () => {
  await refusedWith('origin_not_allowed', async () => {
    const page = await pageAt(`http://evil.test:${attackerPort}/`);
    for (const target of [
      '/api/v1/projects',
      '/api/v1/evidence',
      '/sign-out',
      '/sign-in?token=x',
    ]) {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
      ]) {
        const answer = await attempt(page, studio.url + target, {
          method: 'POST',
          mode: 'no-cors',
          credentials: 'include',
          headers: { 'content-type': type },
          body: '{"name": "planted"}',
        });
        // The browser shows an opaque answer or none; either way there is nothing in it.
        expect(answer.text ?? '', `${target} ${type}`).toBe('');
      }
    }
    const read = await attempt(page, `${studio.url}/api/v1/projects`, {
      mode: 'no-cors',
      credentials: 'include',
    });
    expect(read.text ?? '').toBe('');
    await page.close();
  });
});

test('another page gets no further than the preflight with a key', async () => {
  await refusedWith('origin_not_allowed', async () => {
    const page = await pageAt(`http://evil.test:${attackerPort}/`);
    const write = await attempt(page, `${studio.url}/api/v1/projects`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: '{"name": "planted"}',
    });
    expect(write).toEqual({ failed: 'TypeError: Failed to fetch' });
    const read = await attempt(page, `${studio.url}/api/v1/projects`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(read).toEqual({ failed: 'TypeError: Failed to fetch' });
    await page.close();
  });
});

test('another page cannot submit a form to the studio, frame it, or load it as a script', async () => {
  const page = await pageAt(`http://evil.test:${attackerPort}/`);
  await refusedWith('origin_not_allowed', async () => {
    await page.evaluate(async (base) => {
      for (const [tag, attribute, target] of [
        ['iframe', 'src', '/studio'],
        ['script', 'src', '/api/v1/projects'],
        ['img', 'src', '/api/v1/projects'],
        ['link', 'href', '/api/v1/projects'],
      ] as const) {
        const element = document.createElement(tag);
        element.setAttribute(attribute, base + target);
        if (tag === 'link') element.setAttribute('rel', 'stylesheet');
        const settled = new Promise((resolve) => {
          element.addEventListener('load', resolve);
          element.addEventListener('error', resolve);
        });
        document.body.append(element);
        await settled;
      }
      const form = document.createElement('form');
      form.method = 'post';
      form.action = `${base}/sign-out`;
      document.body.append(form);
      form.submit();
    }, studio.url);
    await page.waitForURL(`${studio.url}/sign-out`);
    await expect(page.getByRole('main')).toContainText(
      'Requests from other web pages are not served.',
    );
  });
  await page.close();
});

test('the address 0.0.0.0 is no way round', async () => {
  const page = await pageAt(`http://evil.test:${attackerPort}/`);
  const before = refusals().length;
  for (const mode of ['no-cors', 'cors'] as const) {
    const answer = await attempt(page, `http://0.0.0.0:${port}/api/v1/projects`, { mode });
    expect(answer.text ?? '').toBe('');
  }
  // A browser that blocks this address sends nothing; what reaches the server is refused for its
  // Host.
  expect(new Set([...refusals().slice(before), 'host_not_allowed'])).toEqual(
    new Set(['host_not_allowed']),
  );
  const bare = await fetch(`http://0.0.0.0:${port}/healthz`).catch(() => undefined);
  if (bare !== undefined) expect(bare.status).toBe(403);
  await page.close();
});

test('no answer carries a header that would let another origin in', async () => {
  for (const origin of ['http://evil.test', 'null', studio.url]) {
    for (const method of ['GET', 'OPTIONS']) {
      const { headers, status } = await fetch(`${studio.url}/api/v1/projects`, {
        method,
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization',
        },
      });
      expect(
        [...headers.keys()].filter((name) => name.startsWith('access-control-')),
        `${method} ${origin}`,
      ).toEqual([]);
      if (origin !== studio.url) expect(status).toBe(403);
    }
  }
});
