import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DataLayer } from '../../../src/renderer/data/data-layer.ts';
import { unwrap } from '../../../src/renderer/data/api/client.ts';
import { createKey, getUsage } from '../../../src/shared/contract/v1/account.ts';
import { upsertProject } from '../../../src/shared/contract/v1/projects.ts';
import { addToThread, openThread } from '../../../src/shared/contract/v1/discussion.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { asCase } from '../../support/ids.ts';
import { windowFetch, windowOn } from './support/real-server.ts';

// A browser sends a request again where its connection broke before an answer came, though the
// server has done it.
globalThis.IDBKeyRange = IDBKeyRange;
const PROFILE = 'crispr_edit_evidence';
let server: TestServer;
let layer: DataLayer;

beforeAll(async () => {
  server = await bootServer();
  const project = await server.call('POST', '/api/v1/projects', { body: { name: 'P' } });
  await server.call('POST', '/api/v1/cases', {
    body: { project_id: project.body.project_id, case_uid: 'c', profile_uid: PROFILE },
  });
  await server.call('POST', '/api/v1/cases/c/evidence', {
    body: { profile_uid: PROFILE, items: [{ item_uid: 'x' }], outcomes: [] },
  });
  const once = windowFetch(server);
  layer = await windowOn(server, new IDBFactory(), async (input, init) => {
    if (init?.method === 'POST') await once(input, init);
    return once(input, init);
  });
});
afterAll(async () => {
  layer.close();
  await server.close();
});
const list = async (path: string): Promise<any[]> =>
  (await server.call('GET', `/api/v1/${path}`)).body.data;

it('what the window makes is made once, though the browser sends it twice', async () => {
  const call = layer.client.call;
  const project = unwrap(await call(upsertProject, { body: { name: 'Twice' } }));
  expect(
    (await list('projects'))
      .filter(({ name }) => name === 'Twice')
      .map(({ project_id }) => project_id),
  ).toEqual([project.project_id]);

  const params = { caseUid: asCase('c') };
  const thread = unwrap(
    await call(openThread, {
      params,
      body: { kind: 'query', place: { on: 'item', item_uid: 'x' }, text: 'Why?' },
    }),
  );
  expect(await list('cases/c/threads')).toHaveLength(1);
  const { thread_id } = thread;
  const at = { ...params, threadId: thread_id };
  const say = (text: string) =>
    call(addToThread, { params: at, body: { does: 'comment', text } }).then(unwrap);
  await say('Because.');
  // The same words again are meant.
  await say('Because.');
  const { body } = await server.call('GET', `/api/v1/cases/c/threads/${thread_id}`);
  expect(body.entries.map(({ text }: { text: string }) => text)).toEqual([
    'Why?',
    'Because.',
    'Because.',
  ]);
});

it('of a secret that was shown to nobody there is one, and the page is told', async () => {
  const made = await layer.client.call(createKey, { body: { name: 'once', scopes: ['read'] } });
  expect(made).toMatchObject({ kind: 'refused', code: 'conflict' });
  const { api_keys } = unwrap(await layer.client.call(getUsage));
  expect(api_keys.filter(({ name }) => name === 'once')).toHaveLength(1);
});
