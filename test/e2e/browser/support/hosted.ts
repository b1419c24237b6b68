import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BrowserContext, expect, type Page, test as base } from '@playwright/test';
import { freePort } from '../../../support/postgres.ts';
import { call, type Served, serve } from '../../../support/served.ts';
import { keepServerLogs } from './server-log.ts';
import { PROFILE, RECONNECTED } from './studio.ts';

/**
 * Words that no code and no shipped text contains: where one of them can be read, somebody's data
 * can.
 */
export const CANARIES = {
  caseUid: 'canary-case-quilt',
  title: 'canary title marmot',
  item: 'canary_item_walnut',
  label: 'canary label teapot',
  note: 'canary note gondola',
  source: 'https://canary.example/saffron',
  project: 'canary project ember',
} as const;

export interface Person {
  name: string;
  email: string;
  password: string;
}
export const ANN: Person = {
  name: 'Ann Mokri',
  email: 'ann@lab.example',
  password: 'violet harbour 71 spoons',
};
export const BEN: Person = {
  name: 'Ben Okafor',
  email: 'ben@lab.example',
  password: 'granite 5 lanterns uphill',
};

/** A hosted server on a data folder of its own, with a team of Ann. */
export interface Hosted {
  served: Served;
  readonly url: string;
  /** A key of Ann's, in the way of a program. */
  key(page: Page): Promise<string>;
  /** Ann sets the server up and is signed in. */
  setUp(page: Page): Promise<void>;
  signIn(page: Page, person: Person): Promise<void>;
  /** Makes another person a member, who is then signed in at `page`. */
  join(owner: Page, page: Page, person: Person): Promise<void>;
  stop(): Promise<void>;
  restart(env?: NodeJS.ProcessEnv): Promise<void>;
}

interface Fixtures {
  startHosted(env?: NodeJS.ProcessEnv): Promise<Hosted>;
  hosted: Hosted;
}

const projects = (page: Page) => page.getByRole('heading', { level: 1, name: 'Projects' });

async function start(env: NodeJS.ProcessEnv): Promise<Hosted & { data: string }> {
  const data = mkdtempSync(path.join(tmpdir(), 'hosted-browser-'));
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const run = (more: NodeJS.ProcessEnv): Promise<Served> =>
    serve(data, ['--port', port], { EVIDENCE_STUDIO_PUBLIC_URL: url, ...env, ...more });
  const enter = async (page: Page, { email, password }: Person): Promise<void> => {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
  };
  const hosted = {
    served: await run({}),
    data,
    url,
    async key(page: Page) {
      const answer = await page.context().request.post(`${url}/api/v1/keys`, {
        headers: { origin: url },
        data: { name: 'agent', scopes: ['read', 'write', 'delete'] },
      });
      expect(answer.status(), await answer.text()).toBe(201);
      return ((await answer.json()) as { key: string }).key;
    },
    async setUp(page: Page) {
      await page.goto(url);
      await page
        .getByLabel('Setup token')
        .fill(/token there: (\S+)/.exec(hosted.served.output())?.[1] ?? '');
      await page.getByLabel('Name of the team').fill('Variant lab');
      await page.getByLabel('Your name').fill(ANN.name);
      await enter(page, ANN);
      await page.getByRole('button', { name: 'Set up' }).click();
      await expect(projects(page)).toBeVisible(RECONNECTED);
    },
    async signIn(page: Page, person: Person) {
      await page.goto(`${url}/login`);
      await enter(page, person);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(projects(page)).toBeVisible(RECONNECTED);
    },
    async join(owner: Page, page: Page, person: Person) {
      const answer = await owner.context().request.post(`${url}/api/v1/invitations`, {
        headers: { origin: url },
        data: { role: 'member', name: person.name },
      });
      expect(answer.status(), await answer.text()).toBe(201);
      await page.goto(((await answer.json()) as { url: string }).url);
      await page.getByLabel('Your name').fill(person.name);
      await enter(page, person);
      await page.getByRole('button', { name: 'Join' }).click();
      await expect(projects(page)).toBeVisible(RECONNECTED);
    },
    stop: () => hosted.served.kill('SIGKILL'),
    async restart(more: NodeJS.ProcessEnv = {}) {
      await hosted.served.kill('SIGKILL');
      hosted.served = await run(more);
    },
  };
  return hosted;
}

export const test = base.extend<Fixtures>({
  // Playwright reads the names of the fixtures used off this very pattern.
  async startHosted({}, provide, info) {
    const started: (Hosted & { data: string })[] = [];
    await provide(async (env = {}) => {
      const hosted = await start(env);
      started.push(hosted);
      return hosted;
    });
    await keepServerLogs(
      info,
      started.map(({ served }) => served),
    );
    for (const one of started) {
      await one.stop();
      rmSync(one.data, { recursive: true, force: true });
    }
  },
  hosted: async ({ startHosted }, provide) => provide(await startHosted()),
});

/** A case in which every text that a person or an agent may write is a canary. */
export async function createCanaries(hosted: Hosted, key: string): Promise<void> {
  const send = async (target: string, body: unknown): Promise<{ project_id: string }> => {
    const answer = await call(hosted.url, key, 'POST', `/api/v1/${target}`, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body as { project_id: string };
  };
  const { project_id } = await send('projects', { name: CANARIES.project });
  await send('cases', {
    project_id,
    case_uid: CANARIES.caseUid,
    title: CANARIES.title,
    profile_uid: PROFILE,
  });
  const evidence = [
    {
      rule_uid: 'parents_genotype_missing',
      raw_outcome: 'TRUE',
      notes: CANARIES.note,
      provenance: { sourceUrl: CANARIES.source },
    },
  ];
  const items = [
    {
      item_uid: CANARIES.item,
      label: CANARIES.label,
      metadata: { url: CANARIES.source },
      evidence,
    },
    { item_uid: 'item_002' },
  ];
  await send('evidence', { case_uid: CANARIES.caseUid, profile_uid: PROFILE, items });
}

/**
 * Which canaries can be read in what the browser stores for the origin: every key and value of
 * every IndexedDB database, both storages, names, addresses and bodies of every cache. Binary
 * values are read as bytes and as text in both widths. Run on a page that has nothing to do with
 * the studio's code.
 */
export async function readable(
  page: Page,
  url: string,
): Promise<{ found: string[]; databases: string[]; records: number }> {
  await page.goto(`${url}/docs`);
  return page.evaluate(async (canaries) => {
    const texts: string[] = [
      JSON.stringify({ ...localStorage }),
      JSON.stringify({ ...sessionStorage }),
    ];
    let records = 0;
    const read = (value: unknown): void => {
      if (typeof value === 'string') texts.push(value);
      else if (value instanceof ArrayBuffer) read(new Uint8Array(value));
      else if (ArrayBuffer.isView(value)) {
        const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
        texts.push(
          new TextDecoder('latin1').decode(bytes),
          new TextDecoder('utf-16le').decode(bytes),
          new TextDecoder('utf-16le').decode(bytes.subarray(1)),
        );
      } else if (typeof value === 'object' && value !== null)
        for (const [key, member] of Object.entries(value)) [key, member].forEach(read);
    };
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.addEventListener('success', () => resolve(request.result));
        request.addEventListener('error', () => reject(request.error ?? new Error('not read')));
      });
    const names = (await indexedDB.databases()).map(({ name = '' }) => name);
    for (const name of names) {
      texts.push(name);
      const db = await done(indexedDB.open(name));
      for (const store of db.objectStoreNames) {
        const table = db.transaction(store).objectStore(store);
        const [keys, values] = await Promise.all([done(table.getAllKeys()), done(table.getAll())]);
        records += values.length;
        [keys, values].forEach(read);
        for (const index of table.indexNames)
          read(await done(db.transaction(store).objectStore(store).index(index).getAllKeys()));
      }
      db.close();
    }
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      texts.push(name);
      for (const request of await cache.keys())
        texts.push(request.url, await (await cache.match(request))!.text());
    }
    return {
      found: canaries.filter((canary) => texts.some((text) => text.includes(canary))),
      databases: names.toSorted(),
      records,
    };
  }, Object.values(CANARIES));
}

/** Resolves when the service worker has every file and answers for this page. */
export async function kept(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready);
  if (await page.evaluate(() => navigator.serviceWorker.controller === null)) await page.reload();
}

export const goTo = async (page: Page, hosted: Hosted): Promise<void> => {
  await page.goto(`${hosted.url}/studio/cases/${CANARIES.caseUid}?profile=${PROFILE}@1.1`);
};

/** The pages load, writes to the log do not get through. */
export const holdPushes = (context: BrowserContext): Promise<void> =>
  context.route('**/push', (route) => route.abort()).then(() => undefined);
export const letPushes = (context: BrowserContext): Promise<void> => context.unroute('**/push');
