import { asCase, asProject } from '../../support/ids.ts';
import { describe, expect, it } from 'vitest';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { createClient, unwrap } from '../../../src/renderer/data/api/client.ts';
import { defineDatabase } from '../../../src/renderer/data/store/db.ts';
import { createLibrary } from '../../../src/renderer/data/api/library.ts';
import { failureText, pathOf } from '../../../src/shared/contract/call.ts';
import { getHistory } from '../../../src/shared/contract/v1/evidence.ts';
import { listProjects, upsertProject } from '../../../src/shared/contract/v1/projects.ts';

const project = (n: number) => ({
  project_id: `prj_${String(n).padStart(26, '0')}`,
  name: `P${n}`,
  description: '',
  domain: 'general',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  version: 1,
});

describe('the client', () => {
  it('fills paths and queries, and never leaves the origin', () => {
    expect(
      pathOf(
        getHistory,
        { caseUid: 'a/b' },
        { profile_uid: 'p', item_uid: 'x y', rule_uid: undefined },
      ),
    ).toBe('/api/v1/cases/a%2Fb/history?profile_uid=p&item_uid=x%20y');
  });

  it.each([
    [
      'a success',
      () => Response.json({ data: [], next_cursor: null }),
      { kind: 'ok', status: 200 },
    ],
    [
      'a refusal',
      () =>
        Response.json(
          { error: 'rate_limited', message: 'Slow down.', details: [], request_id: 'r' },
          { status: 429, headers: { 'retry-after': '7' } },
        ),
      { kind: 'refused', status: 429, code: 'rate_limited', retryAfter: 7 },
    ],
    [
      'a page of somebody else',
      () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      { kind: 'unreadable', status: 200 },
    ],
    [
      'JSON of another shape',
      () => Response.json({ hello: 1 }),
      { kind: 'unreadable', status: 200 },
    ],
    [
      'a body cut short',
      () => new Response('{"data": [', { headers: { 'content-type': 'application/json' } }),
      { kind: 'unreadable', status: 200 },
    ],
    [
      'an error without an envelope',
      () => Response.json({}, { status: 502 }),
      { kind: 'unreadable', status: 502 },
    ],
    [
      'silence',
      () => {
        throw new TypeError('fetch failed');
      },
      { kind: 'no_answer', reason: 'network' },
    ],
  ] as const)('keeps %s apart', async (_, answer, expected) => {
    const client = createClient(() => Promise.resolve().then(answer));
    expect(await client.call(listProjects, { query: {} })).toMatchObject(expected);
  });

  it('says when the caller has gone', async () => {
    const client = createClient(
      (_, init) =>
        new Promise((_resolve, reject) =>
          init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
        ),
    );
    const abort = new AbortController();
    const call = client.call(listProjects, { signal: abort.signal });
    abort.abort();
    expect(await call).toEqual({ kind: 'no_answer', reason: 'aborted' });
    expect(await client.call(listProjects, { timeoutMs: 5 })).toEqual({
      kind: 'no_answer',
      reason: 'timeout',
    });
  });

  it('sends JSON bodies and no key', async () => {
    let sent: RequestInit | undefined;
    const client = createClient((_, init) => {
      sent = init;
      return Promise.resolve(Response.json(project(1), { status: 201 }));
    });
    expect(unwrap(await client.call(upsertProject, { body: { name: 'P1' } })).name).toBe('P1');
    expect(sent?.body).toBe('{"name":"P1"}');
    expect(new Headers(sent?.headers).has('authorization')).toBe(false);
    expect(failureText({ kind: 'no_answer', reason: 'network' })).toContain('could not be reached');
  });
});

describe('the library', () => {
  async function make(answer: (url: URL) => Response) {
    const db = defineDatabase('library', { factory: new IDBFactory(), keyRange: IDBKeyRange });
    await db.open();
    let now = 1_000;
    let reply = answer;
    const library = createLibrary(
      createClient((input) =>
        Promise.resolve().then(() =>
          reply(new URL(input instanceof Request ? input.url : input, 'http://x.test')),
        ),
      ),
      db,
      () => now,
    );
    return {
      library,
      later: (ms: number, next: (url: URL) => Response) => {
        now += ms;
        reply = next;
      },
    };
  }
  const away = (): Response => {
    throw new TypeError('fetch failed');
  };

  const BY_NAME = { sort: 'name', order: 'asc' } as const;
  const names = (kept: { data: { entries: { name: string }[] } }): string[] =>
    kept.data.entries.map(({ name }) => name);
  const notFound = (): Response =>
    Response.json(
      { error: 'not_found', message: 'None.', details: [], request_id: 'r' },
      { status: 404 },
    );

  it('reads one page of a list and no more, in the order and with the filter asked for', async () => {
    const asked: string[] = [];
    const { library } = await make((url) => {
      asked.push(url.search);
      return Response.json({ data: [project(1)], next_cursor: 'c' });
    });
    const list = { ...BY_NAME, search: 'P' };
    const first = await library.projects(list, { limit: 1 });
    expect(first).toMatchObject({ stale: false, data: { next: 'c' } });
    await library.projects(list, { limit: 1, cursor: 'c', offset: 1 });
    expect(asked).toEqual([
      '?sort=name&order=asc&search=P&limit=1',
      '?sort=name&order=asc&search=P&cursor=c&limit=1',
    ]);
  });

  it('shows the pages that were read while the server is away, in any order, and says so', async () => {
    const { library, later } = await make((url) =>
      url.searchParams.get('cursor') === null
        ? Response.json({ data: [project(1), project(3)], next_cursor: 'c' })
        : Response.json({ data: [project(2)], next_cursor: null }),
    );
    await library.projects(BY_NAME, { limit: 2 });
    await library.projects(BY_NAME, { limit: 2, cursor: 'c', offset: 2 });
    later(500, away);
    const first = await library.projects(BY_NAME, { limit: 2 });
    expect(first).toMatchObject({ stale: true, at: 1_000, isPartial: true });
    expect(names(first)).toEqual(['P1', 'P2']);
    const next = first.data.next ?? undefined;
    const second = await library.projects(BY_NAME, { limit: 2, cursor: next, offset: 2 });
    expect([names(second), second.data.next]).toEqual([['P3'], null]);
    const turned = await library.projects({ sort: 'name', order: 'desc' }, { limit: 50 });
    expect(names(turned)).toEqual(['P3', 'P2', 'P1']);
    expect(names(await library.projects({ ...BY_NAME, search: 'p2' }))).toEqual(['P2']);
    await expect(library.cases({ sort: 'title', order: 'asc' })).rejects.toMatchObject({
      failure: { kind: 'no_answer' },
    });
  });

  it('knows a list that came whole on one page, and forgets what is not in it', async () => {
    const { library, later } = await make(() =>
      Response.json({ data: [project(1), project(2)], next_cursor: null }),
    );
    await library.projects(BY_NAME);
    later(1, () => Response.json({ data: [project(2)], next_cursor: null }));
    await library.projects(BY_NAME);
    later(1, away);
    const found = await library.projects(BY_NAME);
    expect(names(found)).toEqual(['P2']);
    expect(found.isPartial).toBeUndefined();
  });

  it('shows an empty list that was read whole as an empty list', async () => {
    const { library, later } = await make(() => Response.json({ data: [], next_cursor: null }));
    await library.projects(BY_NAME);
    later(1, away);
    expect(await library.projects(BY_NAME)).toMatchObject({
      stale: true,
      at: 1_000,
      data: { entries: [] },
    });
  });

  it('reads one record by itself; without the server from its copy, or as a page had it', async () => {
    const asked: string[] = [];
    const { library, later } = await make((url) => {
      asked.push(url.pathname);
      return url.pathname.endsWith('/projects')
        ? Response.json({ data: [project(1), project(2)], next_cursor: null })
        : Response.json(project(1));
    });
    const [first, second] = [project(1).project_id, project(2).project_id];
    expect(await library.project(asProject(first))).toMatchObject({
      stale: false,
      data: { name: 'P1' },
    });
    expect(asked).toEqual([`/api/v1/projects/${first}`]);
    await library.projects(BY_NAME);
    later(500, away);
    for (const [id, name] of [
      [first, 'P1'],
      [second, 'P2'],
    ] as const)
      expect(await library.project(asProject(id))).toMatchObject({
        stale: true,
        at: 1_000,
        data: { name },
      });
    await expect(library.project(asProject(project(3).project_id))).rejects.toMatchObject({
      failure: { kind: 'no_answer' },
    });
    later(1, notFound);
    await expect(library.project(asProject(second))).rejects.toMatchObject({
      failure: { status: 404 },
    });
    later(1, away);
    expect(names(await library.projects(BY_NAME))).toEqual(['P1']);
  });

  it('lists the records that were read by themselves where no list was read', async () => {
    const { library, later } = await make(() => Response.json(project(1)));
    await library.project(asProject(project(1).project_id));
    later(500, away);
    const found = await library.projects(BY_NAME);
    expect(found).toMatchObject({ stale: true, at: 1_000, isPartial: true });
    expect(names(found)).toEqual(['P1']);
  });

  it('keeps so many records and lets the oldest go', async () => {
    const { library, later } = await make((url) => {
      const from = Number(url.searchParams.get('cursor') ?? 0);
      return Response.json({
        data: Array.from({ length: 200 }, (_, n) => project(from + n)),
        next_cursor: String(from + 200),
      });
    });
    let cursor: string | undefined;
    for (let page = 0; page < 12; page += 1) {
      const { data } = await library.projects(BY_NAME, { limit: 200, cursor });
      cursor = data.next ?? undefined;
      later(1, (url) =>
        Response.json({
          data: Array.from({ length: 200 }, (_, n) =>
            project(Number(url.searchParams.get('cursor') ?? 0) + n),
          ),
          next_cursor: String(Number(url.searchParams.get('cursor') ?? 0) + 200),
        }),
      );
    }
    later(1, away);
    const { data } = await library.projects({ sort: 'name', order: 'asc' }, { limit: 5_000 });
    expect(data.entries.length).toBeGreaterThanOrEqual(2_000);
    expect(data.entries.length).toBeLessThan(2_400);
    expect(data.entries.map(({ name }) => name)).toContain('P2399');
    expect(data.entries.map(({ name }) => name)).not.toContain('P0');
  });

  it('asks for the contested cells of any number of cases in requests that fit', async () => {
    const asked: string[] = [];
    const { library } = await make((url) => {
      asked.push(url.href);
      return Response.json({ data: [], next_cursor: null });
    });
    const uids = Array.from({ length: 50 }, (_, n) => `${n}:${':'.repeat(120)}`);
    await library.contested(uids.map(asCase));
    expect(Math.max(...asked.map((url) => url.length))).toBeLessThan(4_000);
    expect(
      asked.flatMap((url) => (new URL(url).searchParams.get('case_uid') ?? '').split(',')),
    ).toEqual(uids);
  });

  it('does not hide a refusal behind a copy', async () => {
    const { library, later } = await make(() =>
      Response.json({ data: [project(1)], next_cursor: null }),
    );
    await library.projects(BY_NAME);
    later(1, () =>
      Response.json(
        { error: 'missing_credentials', message: 'Sign in.', details: [], request_id: 'r' },
        { status: 401 },
      ),
    );
    await expect(library.projects(BY_NAME)).rejects.toMatchObject({
      failure: { kind: 'refused', status: 401 },
    });
    later(1, () =>
      Response.json(
        { error: 'unavailable', message: 'Busy.', details: [], request_id: 'r' },
        { status: 503 },
      ),
    );
    expect(await library.projects(BY_NAME)).toMatchObject({ stale: true });
  });
});
