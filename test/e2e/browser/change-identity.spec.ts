import path from 'node:path';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { build } from 'vite';
import { canonicalJson } from '../../../src/shared/lib/canonical-json.ts';
import { addToSum, EMPTY_CHAIN, EMPTY_SUM, nextChain } from '../../../src/sync/log.ts';
import { testHasher } from '../../support/hasher.ts';
import type * as ChangeCore from '../harness/change-core.ts';

async function bundle(): Promise<string> {
  const entry = path.resolve(import.meta.dirname, '../harness/change-core.ts');
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: false, lib: { entry, formats: ['iife'], name: 'ChangeCore' } },
  });
  const [output] = (Array.isArray(built) ? built : [built]) as { output: { code: string }[] }[];
  return output?.output[0]?.code ?? '';
}

test('I17 a change has the same canonical text, name, chain and sum in Chromium as in Node', async ({
  page,
}) => {
  const texts = fc
    .sample(fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 }), { numRuns: 2_000, seed: 8_785 })
    .map((value) => JSON.stringify(value));
  // Numbers and member orders of RFC 8785 beside them.
  texts.push(
    '[333333333.33333329,1E30,4.50,2e-3,1e-27,-0,5e-324,1.7976931348623157e308,9007199254740992,295147905179352825856]',
    '{"\u20ac":1,"\\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}',
  );
  const expected = texts.map((text) => canonicalJson(JSON.parse(text)));
  const ids = expected.map((text) => `c1_${testHasher.sha256Base64url(text)}`);
  await page.goto('about:blank');
  await page.addScriptTag({ content: await bundle() });
  const there = await page.evaluate(
    ([given, chain, sum]) => {
      const core = (globalThis as unknown as { ChangeCore: typeof ChangeCore }).ChangeCore;
      const canonical = given.map((text) => core.canonicalJson(JSON.parse(text)));
      const names = canonical.map((text) => `c1_${core.browserHasher.sha256Base64url(text)}`);
      return {
        canonical,
        names,
        fixed: canonical.every((text) => core.canonicalJson(JSON.parse(text)) === text),
        chain: names.reduce((last, id) => core.nextChain(last, id, core.browserHasher), chain),
        sum: core.addToSum(sum, ...names),
      };
    },
    [texts, EMPTY_CHAIN, EMPTY_SUM] as const,
  );
  expect(there.fixed).toBe(true);
  expect(there.canonical).toEqual(expected);
  expect(there.names).toEqual(ids);
  expect(there.chain).toBe(ids.reduce((last, id) => nextChain(last, id, testHasher), EMPTY_CHAIN));
  expect(there.sum).toBe(addToSum(EMPTY_SUM, ...ids));
});
