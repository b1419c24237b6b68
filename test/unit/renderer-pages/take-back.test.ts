import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient, unwrap } from '../../../src/renderer/data/api/client.ts';
import { takeBackWrites } from '../../../src/renderer/features/account/agents/take-back.ts';
import type { Call } from '../../../src/renderer/state/services.tsx';
import type { CallResult } from '../../../src/shared/contract/call.ts';
import { getUsage } from '../../../src/shared/contract/v1/account.ts';
import { readRawMatrix, TRIO } from '../../support/evidence.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { windowFetch } from '../renderer-data/support/real-server.ts';

const CASES = Array.from({ length: 23 }, (_, index) => `case-${index}`);
const [rule_uid] = readRawMatrix('m12x5').rules;
const AWAY = 'case-11';

let server: TestServer;
beforeAll(async () => {
  server = await bootServer();
});
afterAll(() => server.close());

const callOver = (fetch: typeof globalThis.fetch): Call => {
  const send = createClient(fetch).call as (
    ...parts: Parameters<Call>
  ) => Promise<CallResult<unknown>>;
  return (async (endpoint, input) => unwrap(await send(endpoint, input))) as Call;
};
const write = (case_uid: string, raw_outcome: string, key?: string) =>
  server.call('POST', `/api/v1/cases/${case_uid}/evidence`, {
    body: {
      profile_uid: TRIO,
      items: [{ item_uid: 'a' }],
      outcomes: [{ item_uid: 'a', rule_uid, raw_outcome }],
    },
    ...(key !== undefined && { key }),
  });
const recordedIn = async (case_uid: string): Promise<string | undefined> => {
  const path = `/api/v1/cases/${case_uid}/evidence?profile_uid=${TRIO}`;
  return (await server.call('GET', path)).body.items[0].evidence[0]?.raw_outcome ?? undefined;
};

it('takes back what an agent wrote in every case, also behind one that refuses, and names that one', async () => {
  const { body: project } = await server.call('POST', '/api/v1/projects', { body: { name: 'P' } });
  const key = await server.makeKey({ name: 'Careless' });
  for (const case_uid of CASES) {
    const body = { project_id: project.project_id, case_uid, title: `Title of ${case_uid}` };
    await server.call('POST', '/api/v1/cases', { body });
    await write(case_uid, 'TRUE');
    expect((await write(case_uid, 'FALSE', key)).status).toBe(200);
  }
  await write('case-3', 'NA');
  const fetch = windowFetch(server);
  const { api_keys } = await callOver(fetch)(getUsage);
  const agent = api_keys.find(({ name }) => name === 'Careless')!;

  const withoutOne: typeof fetch = (input, init) =>
    JSON.stringify(input).includes(`/${AWAY}/reverts`)
      ? Promise.reject(new TypeError('no connection'))
      : fetch(input, init);
  const left = await takeBackWrites(callOver(withoutOne), agent);
  expect(left).toEqual([
    { title: `Title of ${AWAY}`, why: expect.stringContaining('The server cannot be reached') },
  ]);
  const found = await Promise.all(CASES.map(recordedIn));
  expect(found).toEqual(
    CASES.map((uid) => (uid === AWAY ? 'FALSE' : uid === 'case-3' ? 'NA' : 'TRUE')),
  );

  const unlisted: typeof fetch = (input, init) =>
    JSON.stringify(input).includes('state=archived')
      ? Promise.reject(new TypeError('no connection'))
      : fetch(input, init);
  expect((await takeBackWrites(callOver(unlisted), agent)).map(({ title }) => title)).toEqual([
    'Further archived cases',
  ]);
  expect(await recordedIn(AWAY)).toBe('TRUE');
});

it('takes back what was written in a case right after others had been written to', async () => {
  server.advance(120_000);
  for (const case_uid of CASES) await write(case_uid, 'NA');
  const key = await server.makeKey({ name: 'Quick' });
  await write('case-5', 'FALSE', key);
  const call = callOver(windowFetch(server));
  const agent = (await call(getUsage)).api_keys.find(({ name }) => name === 'Quick')!;
  expect(await takeBackWrites(call, agent)).toEqual([]);
  expect(await recordedIn('case-5')).toBe('NA');
});

it('finds a case that others write to while the list of cases is read', async () => {
  const key = await server.makeKey({ name: 'Listed' });
  const [first = '', ...later] = CASES;
  server.advance(120_000);
  // The first is the last of the list, and goes to its top when it is written to again.
  for (const case_uid of [first, ...later]) await write(case_uid, 'FALSE', key);
  server.advance(120_000);
  const fetch = windowFetch(server);
  const agent = (await callOver(fetch)(getUsage)).api_keys.find(({ name }) => name === 'Listed')!;
  const writeBeside = () =>
    server.call('POST', `/api/v1/cases/${first}/evidence`, {
      body: {
        profile_uid: TRIO,
        items: [{ item_uid: 'b' }],
        outcomes: [{ item_uid: 'b', rule_uid, raw_outcome: 'NA' }],
      },
    });
  let pages = 0;
  const byFives: typeof fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : input.toString();
    const answer = await fetch(url.replace('limit=100', 'limit=5'), init);
    if (url.includes('limit=100') && (pages += 1) === 1) await writeBeside();
    return answer;
  };
  expect(await takeBackWrites(callOver(byFives), agent)).toEqual([]);
  const found = await Promise.all(CASES.map(recordedIn));
  expect(found).not.toContain('FALSE');
});
