import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ASIDE_MS } from '../../../src/sync/faults.ts';
import { lengthOf, seedOf } from '../../support/length.ts';
import { Exchange, MINUTE } from './exchange.ts';
import { strictServer } from './strict-server.ts';
import { eventually, Studio } from './world.ts';

/**
 * Of whoever the hosted server does not let this key bring: as one that was restored, or whose
 * members have changed, may see it.
 */
const REFUSES = [403, 'author_not_allowed'] as const;

test('L7 U9 where the server refuses some authors, their changes alone are set aside with the reason; the others go', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      async (theirs, names) => {
        await using hosted = await Studio.hosted();
        await using one = await Studio.open('one');
        const strict = await strictServer(hosted.server.url);
        strict.answer = REFUSES;
        strict.names = names;
        const project = await one.makeProject('Trios');
        await one.makeCase(project, 'case-1');
        const items = theirs.map((isTheirs, at) => `${isTheirs ? 'poisoned' : 'own'}-${at}`);
        for (const item of items) await one.record('case-1', item, 'TRUE');
        const own = items.filter((item) => item.startsWith('own'));
        const there = async (): Promise<string[]> =>
          (await hosted.cells('case-1')).map((cell) => cell.split('/')[0]!).sort();
        await using exchange = await Exchange.open(one, hosted, project, strict.url);
        await exchange.pass(MINUTE);
        const kept = items.length - own.length;
        const { kept_changes, links, totals } = await exchange.status();
        expect(kept_changes.map(({ stream, problem }) => [stream, problem])).toEqual(
          Array.from({ length: kept }, () => [
            'case-1',
            'The hosted server does not take changes of this author with this key.',
          ]),
        );
        expect([
          await there(),
          totals.waiting,
          totals.blocked,
          links.find(({ stream }) => stream === 'case-1')?.state === 'blocked',
        ]).toEqual([own.sort(), 0, kept, false]);
        // What comes later goes at once, both ways, and nothing is asked about in every cycle.
        const before = strict.refused.length;
        await one.record('case-1', 'later', 'NA');
        await hosted.record('case-1', 'elsewhere', 'NA');
        await exchange.pass(5 * MINUTE);
        expect(await there()).toEqual([...own, 'elsewhere', 'later'].sort());
        expect(strict.refused.length).toBe(before);
        // When the server takes them, they go.
        strict.answer = null;
        await exchange.pass(ASIDE_MS + 5 * MINUTE);
        await eventually(async () =>
          expect(await there()).toEqual([...items, 'elsewhere', 'later'].sort()),
        );
        expect((await exchange.status()).kept_changes).toEqual([]);
        strict.close();
      },
    ),
    { numRuns: lengthOf(3, 10), seed: seedOf(20_261_123) },
  );
}, 180_000);

test('L7 where the key is no studio’s, everything waits, and nothing is set aside', async () => {
  await using hosted = await Studio.hosted();
  await using one = await Studio.open('one');
  const strict = await strictServer(hosted.server.url);
  strict.answer = REFUSES;
  strict.isStudio = false;
  const project = await one.makeProject('Trios');
  await one.makeCase(project, 'case-1');
  for (const item of ['own', 'poisoned']) await one.record('case-1', item, 'TRUE');
  await using exchange = await Exchange.open(one, hosted, project, strict.url);
  await exchange.pass(MINUTE);
  const { kept_changes, links } = await exchange.status();
  expect([kept_changes, links.find(({ stream }) => stream === 'case-1')?.state]).toEqual([
    [],
    'blocked',
  ]);
  strict.close();
}, 90_000);
