import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { build, type Rolldown } from 'vite';
import { CHROMIUM_ARGS, findChromium } from '../../support/chromium.ts';
import { cli, makeKey, serve } from '../../support/served.ts';
import { studioKeyIn } from '../../support/studio-key.ts';
import { PROFILE_UID, prepareCase } from '../evidence.ts';
import type { Figure } from '../figure.ts';
import { median, temporary } from '../measure.ts';
import { changesOf, RULES, SIZES } from './changes.ts';
import { syncClient } from './client.ts';
import { LINEAR, list, milliseconds, type Point, scaled } from './growth.ts';
import type { Turn } from './window/main.ts';
import { asProfile, asCase } from '../../support/ids.ts';

const TURNS = 2;
const ADDRESS = {
  caseUid: asCase('bench'),
  profileUid: asProfile(PROFILE_UID),
  profileVersion: '1.0',
};

async function buildWindow(): Promise<string> {
  const built = (await build({
    configFile: false,
    root: path.join(import.meta.dirname, 'window'),
    logLevel: 'error',
    build: {
      write: false,
      target: 'esnext',
      lib: { entry: 'main.ts', formats: ['es'] },
      minify: true,
    },
  })) as Rolldown.RolldownOutput[];
  const code = built[0]?.output[0].code;
  if (code === undefined) throw new Error('The window was not built.');
  return code;
}

/** A window on a server, signed in: its page holds the replica and nothing else. */
async function openWindow(context: BrowserContext, url: string, code: string): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(180_000);
  const address = `${url}/bench-window`;
  await page.route(address, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: '<!doctype html><script type="module" src="/bench-window.js"></script>',
    }),
  );
  await page.route(`${address}.js`, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: code }),
  );
  await page.goto(address);
  await page.waitForFunction(() => 'studio' in window);
  // While anything is routed, every request of the page makes a detour.
  await page.unrouteAll();
  return page;
}

async function wipe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', {
    origin: new URL(page.url()).origin,
    storageTypes: 'indexeddb',
  });
  await session.detach();
}

const TURN_NAMES = ['first', 'rebuilt', 'received', 'sent', 'drained'] as const;
type Measured = Record<(typeof TURN_NAMES)[number], Turn>;

const middle = (turns: readonly Turn[]): Turn => ({
  usable: median(turns.map((turn) => turn.usable)),
  done: median(turns.map((turn) => turn.done)),
  blocked: Math.max(...turns.map((turn) => turn.blocked)),
});

async function measure(browser: Browser, code: string, size: number): Promise<Measured> {
  return temporary(async (folder) => {
    const key = await makeKey(folder);
    const studioKey = await studioKeyIn(folder);
    const server = await serve(folder);
    const context = await browser.newContext();
    try {
      await prepareCase(server.url, key);
      const client = syncClient(server.url, studioKey);
      await client.sendAll('bench', changesOf('bench', 'usr_bench', 0, size, 2_000));
      const signIn = await context.newPage();
      await signIn.goto((await cli(['sign-in', '--data', folder])).trim());
      await signIn.close();
      const again = async (): Promise<{ page: Page; turn: Turn }> => {
        const page = await openWindow(context, server.url, code);
        return {
          page,
          turn: await page.evaluate((address) => window.studio.open(address), ADDRESS),
        };
      };
      const first: Turn[] = [];
      const rebuilt: Turn[] = [];
      for (let turn = 0; turn < TURNS; turn += 1) {
        let opened = await again();
        first.push(opened.turn);
        await wipe(opened.page);
        await opened.page.close();
        opened = await again();
        rebuilt.push(opened.turn);
        await wipe(opened.page);
        await opened.page.close();
      }
      const { page } = await again();
      const receiving = page.evaluate((items) => window.studio.received(items), (2 * size) / RULES);
      await client.sendAll('bench', changesOf('bench', 'usr_bench', size, 2 * size, 2_000));
      const received = await receiving;
      const sent = await page.evaluate(() => window.studio.set('NA'));
      const user = await page.evaluate(
        async () =>
          ((await (await fetch('/api/v1/session')).json()) as { user: { user_id: string } }).user
            .user_id,
      );
      const offline = [...changesOf('bench', user, 2 * size, 2 * size + Math.min(size, 10_000), 1)];
      await page.evaluate(([author, changes]) => window.studio.prefill('bench', author, changes), [
        user,
        offline,
      ] as const);
      await page.close();
      const before = await client.seq('bench');
      const { turn: drained } = await again();
      if ((await client.seq('bench')) !== before + offline.length)
        throw new Error('The outbox was not drained.');
      return { first: middle(first), rebuilt: middle(rebuilt), received, sent, drained };
    } finally {
      await context.close();
      await server.kill('SIGTERM');
    }
  });
}

/**
 * What a window does: first reading, rebuilding, receiving and sending, in Chromium with its own
 * database.
 */
export async function windowRows(): Promise<Figure[]> {
  const code = await buildWindow();
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: [...CHROMIUM_ARGS],
  });
  try {
    const measured = new Map<number, Measured>();
    for (const size of SIZES) measured.set(size, await measure(browser, code, size));
    const points = (read: (found: Measured) => number): Point[] =>
      SIZES.map((size) => ({ size, value: read(measured.get(size)!) }));
    const blocked = SIZES.map((size) => ({
      size,
      value: Math.max(...TURN_NAMES.map((name) => measured.get(size)![name].blocked)),
    }));
    const inWhich = TURN_NAMES.map(
      (name) =>
        `${name} ${SIZES.map((size) => milliseconds(measured.get(size)![name].blocked)).join(', ')}`,
    ).join('; ');
    return [
      scaled({
        what: 'T3 first pull of N cells into a window, all on disk',
        points: points((found) => found.first.done),
        write: milliseconds,
        target: 10_000,
        grows: LINEAR,
      }),
      scaled({
        what: 'T3 the same, until the cells can be read',
        points: points((found) => found.first.usable),
        write: milliseconds,
        target: 1_000,
        grows: LINEAR,
      }),
      scaled({
        what: 'T14 IndexedDB wiped, window opened again, rebuilt on disk',
        points: points((found) => found.rebuilt.done),
        write: milliseconds,
        target: 10_000,
        grows: LINEAR,
      }),
      scaled({
        what: 'N more cells arrive in an open window, from their sending',
        points: points((found) => found.received.done),
        write: milliseconds,
        target: 10_000,
        grows: LINEAR,
      }),
      scaled({
        what: '2N cells set as one gesture, until the server has them',
        points: points((found) => found.sent.done),
        write: milliseconds,
        target: 10_000,
        grows: LINEAR,
      }),
      scaled({
        what: 'T7 offline changes of one entry drained from the outbox',
        points: points((found) => found.drained.done).slice(0, 2),
        write: milliseconds,
        target: 5_000,
        grows: LINEAR,
      }),
      {
        what: 'T18 longest block of the window during any of these',
        ours: list(blocked, milliseconds),
        floor: '',
        compared: inWhich,
        gate: 'at most 50 ms',
        met: blocked.every(({ value }) => value <= 50),
      },
    ];
  } finally {
    await browser.close();
  }
}
