import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UpdateSource } from '../../../src/main/updates/feed.ts';
import { createUpdater } from '../../../src/main/updates/updater.ts';
import { updatedBy, Updates, type UpdatesPorts } from '../../../src/main/updates/updates.ts';
import { UPDATE_REFUSALS, UpdateStatus } from '../../../src/shared/contract/updates.ts';
import { installersAmong } from '../../../packaging/sign-updates.ts';
import { openFeed, PROGRAM, type UpdateFeed } from '../../support/update-feed.ts';
import { newFolder } from './start.ts';

let feed: UpdateFeed;
let folder = '';
let program = '';
beforeEach(async () => {
  feed = await openFeed('linux');
  folder = newFolder();
  program = path.join(folder, 'studio.AppImage');
  writeFileSync(program, 'before', { mode: 0o755 });
  process.env.APPIMAGE = program;
});
afterEach(async () => {
  delete process.env.APPIMAGE;
  await feed.close();
});

function studio(change: Partial<UpdatesPorts> = {}) {
  const ready: string[] = [];
  const updates = new Updates({
    dataFolder: folder,
    version: '0.3.0',
    platform: 'linux',
    arch: process.arch,
    source: feed.source,
    by: 'itself',
    fetch,
    updater: async ({ url }) =>
      createUpdater({
        dataFolder: folder,
        version: change.version ?? '0.3.0',
        platform: 'linux',
        program,
        url,
        fetch: change.fetch ?? fetch,
        quit: () => undefined,
        whenReady: async () => undefined,
      }),
    now: () => Date.parse('2026-11-25T12:00:00Z'),
    log: () => undefined,
    onReady: (version) => ready.push(version),
    leave: async () => true,
    ...change,
  });
  return { updates, ready };
}

/** What a look comes to; whatever it was, the program is what it was. */
async function looked(updates: Updates): Promise<UpdateStatus['progress']> {
  const { progress } = UpdateStatus.parse(await updates.look());
  expect(readFileSync(program, 'utf8')).toBe('before');
  return progress;
}
const flip = (bytes: Buffer, at: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
};
const listed = (): string => [...feed.files.keys()].find((name) => name.endsWith('.json')) ?? '';

describe('a list of updates', () => {
  it('is of installers of its version alone', () => {
    const of = (version: string): string => `evidence-studio-${version}-win-x64.exe`;
    const among = (...files: string[]): string[] =>
      installersAmong(files, '0.3.0').map(({ name }) => name);
    expect(among(of('10.3.0'), of('0.3.0-rc.1'), of('0.3.01'), `old-${of('0.3.0')}`)).toEqual([]);
    expect(among(of('0.3.0-rc.1'), of('0.3.0'))).toEqual([of('0.3.0')]);
  });

  it('puts a version back where it is an AppImage, and says so there alone', () => {
    expect(studio().updates.status().puts_back).toBe(true);
    for (const platform of ['win32', 'darwin'] as const)
      expect(studio({ platform }).updates.status().puts_back).toBe(false);
  });
});

describe('updates are asked for', () => {
  it('never before they are switched on', async () => {
    feed.publish();
    const { updates } = studio();
    expect(updates.status()).toMatchObject({ on: false, by: 'itself', place: feed.source.url });
    expect(feed.asked).toEqual([]);
    expect(updates.setOn(true).on).toBe(true);
    expect(studio().updates.status().on).toBe(true);
    expect(updates.setOn(false).on).toBe(false);
  });

  it.each(['the list', 'the program'] as const)(
    'no further once they are switched off, also while %s is on its way',
    async (what) => {
      feed.publish({ version: '0.10.0' });
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        const { updates, ready } = studio({
          fetch: async (address, init) => {
            const answer = await fetch(address, init);
            const isList = new Request(address).url.endsWith('.json');
            if (isList === (what === 'the list')) updates.setOn(false);
            return answer;
          },
        });
        updates.setOn(true);
        await vi.advanceTimersByTimeAsync(30_000);
        vi.useRealTimers();
        await vi.waitFor(() => expect(updates.status().progress).toEqual({ kind: 'idle' }));
        await vi.waitFor(() => expect(updates.status().looked_at).not.toBeNull());
        expect(feed.asked).toHaveLength(what === 'the list' ? 1 : 2);
        expect(ready).toEqual([]);
        // Who asks for it gets it all the same.
        expect(await looked(studio().updates)).toMatchObject({ kind: 'ready' });
      } finally {
        vi.useRealTimers();
      }
    },
  );

  it('without anything that tells one installation from another', async () => {
    feed.publish();
    await studio().updates.look();
    expect(feed.asked).toEqual([`GET ${listed()} `, `GET /${PROGRAM} `]);
  });

  it.each([
    [{ platform: 'linux', program: undefined, resources: '/usr/lib/x', hasSource: true }, 'system'],
    [{ platform: 'linux', program: undefined, resources: '/opt/x', hasSource: true }, 'none'],
    [{ platform: 'linux', program: '/x', resources: '/tmp/x', hasSource: true }, 'itself'],
    [{ platform: 'win32', program: undefined, resources: 'C:\\x', hasSource: true }, 'itself'],
    [{ platform: 'darwin', program: undefined, resources: '/x', hasSource: false }, 'none'],
  ] as const)('%j: by %s', (facts, by) => expect(updatedBy(facts)).toBe(by));

  it.each(['ftp://x/', 'http://x.org/', 'https://x.org/a', 'https://a@x.org/', 'https://x.org/?a'])(
    'not at %s',
    (url) => expect(UpdateSource.safeParse({ ...feed.source, url }).success).toBe(false),
  );
});

describe('what is offered', () => {
  it('is taken where it is newer and signed, and offered once', async () => {
    feed.publish({ version: '0.10.0' });
    const { updates, ready } = studio();
    expect(await looked(updates)).toEqual({ kind: 'ready', version: '0.10.0', deferred: false });
    expect(ready).toEqual(['0.10.0']);
    await updates.look();
    expect(feed.asked).toHaveLength(2);
  });

  it('is nothing where this is the newest; a release is newer than what was before it', async () => {
    feed.publish({ version: '0.3.0' });
    expect(await looked(studio().updates)).toEqual({ kind: 'current' });
    expect(await looked(studio({ version: '0.3.0-checkonly' }).updates)).toMatchObject({
      kind: 'ready',
    });
  });

  it('is refused where it is older than this one, or than what was offered before', async () => {
    feed.publish({ version: '0.2.9' });
    expect(await looked(studio().updates)).toEqual({
      kind: 'refused',
      code: 'older',
      version: '0.2.9',
      known: '0.3.0',
    });
    feed.publish({ version: '0.3.2' });
    await studio().updates.look();
    feed.publish({ version: '0.3.1' });
    expect(await looked(studio().updates)).toMatchObject({ code: 'older', known: '0.3.2' });
  });

  it('is refused wherever one byte of the list is changed, and nothing is downloaded', async () => {
    feed.publish();
    const whole = feed.files.get(listed()) ?? Buffer.alloc(0);
    for (let at = 0; at < whole.length; at += 7) {
      feed.files.set(listed(), flip(whole, at));
      expect(await looked(studio().updates)).toMatchObject({
        kind: 'refused',
        code: expect.stringMatching(/^not_(?:signed|a_list)$/),
      });
    }
    expect(feed.asked.filter((request) => request.includes(PROGRAM))).toEqual([]);
  });

  it('is refused where somebody else signed it, or signed it for another system', async () => {
    feed.publish({ byStranger: true });
    expect(await looked(studio().updates)).toMatchObject({ code: 'not_signed' });
    feed.publish();
    feed.files.set(`/update-win32-${process.arch}.json`, feed.files.get(listed())!);
    expect(await looked(studio({ platform: 'win32' }).updates)).toMatchObject({
      code: 'not_signed',
    });
  });

  it('is refused where the program has one changed byte, is cut, longer or not there', async () => {
    feed.publish({ bytes: Buffer.alloc(300_000, 7) });
    const whole = feed.files.get(`/${PROGRAM}`)!;
    const cached = (): boolean => existsSync(path.join(folder, 'updates/cache/pending', PROGRAM));
    const comesTo = async (code: string): Promise<void> => {
      expect(await looked(studio().updates)).toMatchObject({ kind: 'refused', code });
      expect(cached()).toBe(false);
    };
    for (const at of [0, 150_000, 299_999]) {
      feed.files.set(`/${PROGRAM}`, flip(whole, at));
      await comesTo('changed');
    }
    feed.files.set(`/${PROGRAM}`, Buffer.concat([whole, whole]));
    await comesTo('changed');
    feed.files.set(`/${PROGRAM}`, whole);
    for (feed.cutAfter of [0, 1, 100_000, 299_999]) await comesTo('cut');
    feed.cutAfter = undefined;
    feed.files.set(`/${PROGRAM}`, whole.subarray(0, 299_999));
    await comesTo('cut');
    feed.files.delete(`/${PROGRAM}`);
    await comesTo('unreachable');
    feed.files.set(`/${PROGRAM}`, whole);
    expect(await looked(studio().updates)).toMatchObject({ kind: 'ready' });
  });

  it('is refused in words where nothing answers, or something else does', async () => {
    expect(await looked(studio().updates)).toMatchObject({ code: 'unreachable' });
    feed.publish();
    const name = listed();
    for (const words of ['', '<html>', '{}', 'null', `"${'x'.repeat(70_000)}"`]) {
      feed.files.set(name, Buffer.from(words));
      expect(await looked(studio().updates)).toMatchObject({ code: 'not_a_list' });
    }
    // An answer without an end is read up to the bound.
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 16_384;
        controller.enqueue(new Uint8Array(16_384));
      },
    });
    const { updates } = studio({ fetch: async () => new Response(endless) });
    expect(await looked(updates)).toMatchObject({ code: 'not_a_list' });
    expect(sent).toBeLessThan(200_000);
    for (const sentence of Object.values(UPDATE_REFUSALS)) expect(sentence).toMatch(/\.$/);
  });
});

describe('installing', () => {
  it('waits while the window stores something', async () => {
    feed.publish();
    const { updates } = studio({ leave: async () => false });
    await updates.look();
    expect((await updates.install()).progress).toMatchObject({ kind: 'ready', deferred: true });
    updates.beforeExit();
    expect(readFileSync(program, 'utf8')).toBe('before');
  });

  it('is asked for: an update that is ready is not installed by quitting', async () => {
    feed.publish();
    const { updates } = studio();
    await updates.look();
    updates.beforeExit();
    expect(readFileSync(program, 'utf8')).toBe('before');
  });

  it('is not done again with a version that was put back', async () => {
    feed.publish({ version: '0.3.1' });
    const { updates: first } = studio();
    await first.look();
    writeFileSync(path.join(folder, 'updates/failed'), '0.3.1');
    const { updates } = studio();
    expect(updates.failed).toBe('0.3.1');
    expect(studio().updates.failed).toBeUndefined();
    expect(await looked(updates)).toMatchObject({ code: 'did_not_start', version: '0.3.1' });
    feed.publish({ version: '0.3.2' });
    expect(await looked(updates)).toMatchObject({ kind: 'ready' });
  });
});
