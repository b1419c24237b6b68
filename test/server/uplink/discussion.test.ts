import { expect, test } from 'vitest';
import { converge, Studio } from './world.ts';

const CASE = 'case-1';
const path = (of: string): string => `/api/v1/cases/${CASE}${of}`;

test('YT1 YT3 YT5 two studios that discuss apart show one order with a hosted server, and lose nothing', async () => {
  await using hosted = await Studio.hosted();
  await using one = await Studio.open('one');
  await using two = await Studio.open('two');
  const ada = await hosted.makeKey('Ada', 'member');
  const ben = await hosted.makeKey('Ben', 'member');
  const project = await one.makeProject('Trios');
  await one.makeCase(project, CASE);
  for (const item of ['i1', 'i2']) await one.record(CASE, item, 'NA');
  await one.connect(hosted.server.url, ada.key);
  await one.share(project);
  await two.connect(hosted.server.url, ben.key);
  await converge([CASE], hosted, one);
  await two.share(project);
  await converge([CASE], hosted, one, two);

  const asked = await one.ok('POST', path('/threads'), {
    place: { on: 'item', item_uid: 'i1' },
    kind: 'query',
    text: 'Which batch?',
    assigned_to: ben.user_id,
  });
  await one.ok('POST', path('/assignments'), {
    places: [{ on: 'item', item_uid: 'i2' }],
    to: ben.user_id,
  });
  await converge([CASE], hosted, one, two);
  const [waiting] = (await two.ok('GET', '/api/v1/waiting')).data;
  expect([waiting.threads[0].why, waiting.items]).toEqual(['assigned', 1]);

  // Each says something before the other's words have come.
  const entries = path(`/threads/${asked.thread_id}/entries`);
  await Promise.all([
    two.ok('POST', entries, { does: 'answer', text: 'Batch 2.', mentions: [ada.user_id] }),
    one.ok('POST', entries, { does: 'comment', text: 'The mother’s.' }),
    one.ok('POST', entries, { does: 'assign', to: null }),
    hosted.ok('POST', path('/threads'), {
      place: { on: 'item', item_uid: 'i2' },
      kind: 'comment',
      text: 'Seen at the server.',
    }),
  ]);
  await converge([CASE], hosted, one, two);
  const shown = async (studio: Studio) => {
    const { entries: lines } = await studio.ok('GET', path(`/threads/${asked.thread_id}`));
    const { data } = await studio.ok('GET', path('/threads'));
    return {
      lines: lines.map((line: Record<string, unknown>) => [line['entry'], line['text']]),
      by: lines.map(({ by }: { by: { id: string } }) => by.id),
      states: data.map((thread: Record<string, unknown>) => [thread['thread_id'], thread['state']]),
      assigned: (await studio.ok('GET', path('/assignments'))).data.length,
    };
  };
  const all = await shown(hosted);
  expect(all.lines).toHaveLength(4);
  expect(all.states).toHaveLength(2);
  expect(new Set(all.by)).toEqual(new Set([ada.user_id, ben.user_id]));
  expect([await shown(one), await shown(two)]).toEqual([all, all]);
  expect((await one.ok('GET', '/api/v1/waiting')).data[0].threads[0].why).toBe('answered');
}, 90_000);
