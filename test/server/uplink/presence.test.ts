import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openReader, type Reader } from '../../support/presence-line.ts';
import { Studio } from './world.ts';

const CASE = 'case-1';
const SOON = { timeout: 60_000, interval: 50 };

let hosted: Studio;
let one: Studio;
let two: Studio;
beforeEach(async () => {
  [hosted, one, two] = await Promise.all([Studio.hosted(), Studio.open('one'), Studio.open('two')]);
});
afterEach(async () => {
  await Promise.all([one, two, hosted].map((studio) => studio[Symbol.asyncDispose]()));
});

/** The window of a studio, with cases open. */
const windowOf = (studio: Studio, cases: readonly string[]): Promise<Reader> =>
  openReader({ createConnection: () => studio.server.connectInProcess() }, cases, {
    host: 'studio',
  });
const here = (reader: Reader): readonly string[] => reader.here(CASE)?.here ?? [];

test('windows of studios are told who has a shared case open elsewhere, and name no other case there', async () => {
  const project = await one.makeProject('Trios');
  await one.makeCase(project, CASE);
  await one.makeCase(await one.makeProject('Private'), 'private');
  for (const [studio, name] of [
    [one, 'Ada'],
    [two, 'Ben'],
  ] as const)
    await studio.connect(hosted.server.url, (await hosted.makeKey(name)).key);
  await one.share(project);
  const first = await windowOf(one, [CASE, 'private']);
  await vi.waitFor(async () => {
    expect(await hosted.digest(CASE)).toBe(await one.digest(CASE));
    expect((await two.status()).projects.map(({ project_id }) => project_id)).toContain(project);
  }, SOON);
  await two.share(project);
  await vi.waitFor(async () => expect(await two.digest(CASE)).toBe(await one.digest(CASE)), SOON);

  const second = await windowOf(two, [CASE]);
  const there = await windowOf(hosted, [CASE]);
  const own = (await hosted.ok('GET', '/api/v1/session')).user.name as string;
  await vi.waitFor(() => {
    expect(here(first).toSorted()).toEqual(['Ben', own].toSorted());
    expect(here(second).toSorted()).toEqual(['Ada', own].toSorted());
    expect(here(there)).toEqual(['Ada', 'Ben']);
  }, SOON);
  expect(hosted.log).not.toContain('private');

  second.leave();
  await vi.waitFor(() => expect(here(first)).toEqual([own]), SOON);
  // What is switched off is named there no longer, although it is there.
  await one.share(project, false);
  await vi.waitFor(() => expect(here(there)).toEqual([]), SOON);
  await one.share(project);
  await vi.waitFor(() => expect(here(there)).toEqual(['Ada']), SOON);
  await hosted.stop();
  await vi.waitFor(() => expect(here(first)).toEqual([]), SOON);
  await hosted.start();
  for (const reader of [first, there]) reader.leave();
}, 60_000);
