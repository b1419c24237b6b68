import { isStudioPage, STUDIO_PAGES } from '../shared/contract/page-addresses.ts';

// Keeps the studio's own files, so that it starts without the server. It never requests or stores
// anything below /api: evidence is stored by the page.
declare const self: ServiceWorkerGlobalScope;
/** Inserted before this file by the build: the build's name, and the paths of its files. */
declare const BUILD: string;
declare const FILES: readonly string[];

const CACHE = `studio-${BUILD}`;
const PAGE = STUDIO_PAGES.projects;
/**
 * How long a page is awaited from the server before it is opened from the stored files.
 * Milliseconds.
 */
const PATIENCE_MS = 4_000;

/**
 * Stores all files of this build, or none: while a new build is only partly deployed, this fails
 * and is tried again later.
 */
async function keepFiles(): Promise<void> {
  const cache = await caches.open(CACHE);
  await Promise.all(
    FILES.map(async (file) => {
      const answer = (await caches.match(file)) ?? (await fetch(file));
      if (!answer.ok || answer.redirected) throw new Error(`${file} is not there.`);
      await cache.put(file, answer);
    }),
  );
  const page = await fetch(PAGE);
  if (!page.ok || page.redirected || !(await page.clone().text()).includes(BUILD))
    throw new Error('The page is not of this build.');
  await cache.put(PAGE, page);
  await self.skipWaiting();
}

/**
 * Each window holds a lock named after its build, whose files it may still need although the server
 * no longer has them.
 */
async function dropUnused(): Promise<void> {
  if (self.registration.installing !== null) return;
  const { held = [] } = await self.navigator.locks.query();
  const used = new Set([CACHE, ...held.map(({ name }) => name)]);
  for (const name of await caches.keys())
    if (name.startsWith('studio-') && !used.has(name)) await caches.delete(name);
}

async function takeOver(): Promise<void> {
  await self.registration.navigationPreload.enable();
  await self.clients.claim();
  for (const client of await self.clients.matchAll({ type: 'window', includeUncontrolled: true }))
    client.postMessage({ build: BUILD });
  await dropUnused();
}

/**
 * The server decides what a page is, so that a person who is signed out sees the sign-in page. Only
 * if it is away or failing, the page is opened from the stored files.
 */
async function openPage(asked: Promise<Response>): Promise<Response> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE_MS, undefined));
  const answer = await Promise.race([asked.catch(() => undefined), late]);
  if (answer !== undefined && answer.status < 500) return answer;
  return (await (await caches.open(CACHE)).match(PAGE)) ?? asked;
}

self.addEventListener('install', (event) => event.waitUntil(keepFiles()));
self.addEventListener('activate', (event) => event.waitUntil(takeOver()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate' && isStudioPage(pathname)) {
    const asked = (async () =>
      ((await event.preloadResponse) as Response | undefined) ?? fetch(request))();
    event.respondWith(openPage(asked));
    event.waitUntil(asked.then(dropUnused, () => undefined));
  } else if (pathname.startsWith('/assets/')) {
    event.respondWith((async () => (await caches.match(request)) ?? fetch(request))());
  }
});
