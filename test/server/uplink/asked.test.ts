import { expect, test } from 'vitest';
import { Exchange } from './exchange.ts';
import { eventually, RULE, Studio } from './world.ts';

const refusal = (status: number, error: string) => (): Response =>
  Response.json({ error, message: 'No.', details: [], request_id: 'req_x' }, { status });
/** How the request that was under way may end: as it was before somebody put it right. */
const ENDS: Record<string, () => Response> = {
  'the key is revoked': refusal(401, 'key_revoked'),
  'the role may not write': refusal(403, 'read_only_role'),
  'there is no access': refusal(404, 'not_found'),
  'the server fails': refusal(500, 'internal_error'),
  'the server is busy': refusal(503, 'unavailable'),
  'the version is too old': refusal(426, 'upgrade_required'),
  'there is no answer': () => {
    throw new TypeError('fetch failed');
  },
  'a guest network answers': () => new Response('<h1>Welcome</h1>'),
};

test('R11 a person who asks while a cycle is under way has another when it ends, however it ends', async () => {
  await using hosted = await Studio.hosted();
  await using one = await Studio.open('one');
  const project = await one.makeProject('Trios');
  await one.makeCase(project, 'case-1');
  await one.record('case-1', 'i1', 'TRUE');
  await using exchange = await Exchange.open(one, hosted, project);
  await eventually(async () => expect(await exchange.verifiedAt('case-1')).toBeDefined());
  let written = 1;
  for (const request of [/^sync\/cases$/, /\/(?:push|batch)$/, /\/(?:changes|batch)$/])
    for (const [end, answer] of Object.entries(ENDS)) {
      let answerNow = (): void => {};
      let isHeld = false;
      const held = new Promise<void>((resolve) => (answerNow = resolve)).then(answer);
      exchange.instead = (path) => {
        if (isHeld || !request.test(path)) return undefined;
        isHeld = true;
        return held;
      };
      written += 1;
      const item = `i${written}`;
      // Read as well as sent.
      if (request.test('/changes')) await hosted.record('case-1', `h${written}`, 'NA');
      await one.record('case-1', item, 'TRUE');
      if (!request.test('/push')) exchange.engine.wake();
      const passing = exchange.pass(400, false);
      await eventually(() => expect(isHeld, `${request.source} is asked`).toBe(true));
      exchange.engine.wake();
      answerNow();
      const about = `${request.source}: ${end}`;
      await passing;
      await eventually(async () =>
        expect(await hosted.cells('case-1'), about).toContain(`${item}/${RULE}=TRUE`),
      );
      await eventually(async () =>
        expect(await exchange.status(), about).toMatchObject({
          state: 'idle',
          problem: null,
          totals: { waiting: 0, blocked: 0 },
        }),
      );
      expect((await exchange.status()).links, about).toMatchObject(
        (await exchange.status()).links.map(() => ({ problem: null })),
      );
    }
}, 120_000);
