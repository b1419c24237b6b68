import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Station } from '../../support/station.ts';
import { command, type Ended, serve, type Served } from '../../support/served.ts';

/** Each look is a command. */
const POLL = { timeout: 20_000, interval: 300 };
let hosted: Station;
let folder: string;
let served: Served | undefined;
beforeAll(async () => {
  hosted = await Station.begin('hosted');
  folder = await mkdtemp(path.join(tmpdir(), 'evidence-connect-'));
}, 60_000);
afterAll(async () => {
  await served?.kill('SIGTERM');
  await hosted.end();
  await rm(folder, { recursive: true, force: true });
});

const run = (args: string[], input = ''): Promise<Ended> =>
  command([...args, '--data', folder], {}, input);
async function json(args: string[], input = ''): Promise<any> {
  const ended = await run([...args, '--json'], input);
  expect(ended.stderr).toBe('');
  return JSON.parse(ended.stdout);
}
const start = async (): Promise<void> => void (served = await serve(folder));
const stop = async (): Promise<void> => {
  await served?.kill('SIGTERM');
  served = undefined;
};

describe.each(['without a server', 'beside a running one'])(
  'a studio connected by the command line, %s',
  { timeout: 120_000 },
  (how) => {
    beforeAll(async () => {
      if (how !== 'without a server') await start();
    });

    it('takes the key from standard input alone, and says why it takes none', async () => {
      expect(await run(['status'])).toMatchObject({ code: served === undefined ? 1 : 0 });
      expect(await run(['connect', hosted.url, hosted.studioKey])).toMatchObject({
        code: 2,
        stderr: expect.not.stringContaining(hosted.studioKey),
      });
      expect(await run(['connect', hosted.url])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('standard input'),
      });
      expect(
        await run(['connect', hosted.url], `${hosted.studioKey.slice(0, -4)}0000\n`),
      ).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/does not accept this key|Must be a key/),
      });
      expect(await run(['connect', 'http://example.org'], hosted.studioKey)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('https'),
      });
      expect((await run(['share', 'Nothing'])).code).toBe(1);
      expect((await json(['status'])).exchange).toMatchObject({ url: null, state: 'off' });
    });

    it('connects, shares and disconnects', async () => {
      const connected = await run(['connect', hosted.url], `${hosted.studioKey}\n`);
      expect(connected).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`Connected to ${hosted.url}`),
      });
      expect(connected.stdout).not.toContain(hosted.studioKey);
      const name = `Project ${how}`;
      const { project_id } = await hosted.send('POST', 'projects', { name });
      if (served === undefined) {
        expect(connected.stdout).toContain('begins with the next start');
        await start();
      }
      await expect.poll(async () => (await run(['share', name])).code, POLL).toBe(0);
      await hosted.send('POST', 'cases', { project_id, case_uid: `case-${project_id}` });
      await expect
        .poll(async () => (await json(['status'])).exchange, POLL)
        .toMatchObject({
          url: hosted.url,
          state: 'idle',
          waiting: 0,
          blocked: 0,
          problem: null,
          last_ok: expect.any(String),
        });
      expect((await run(['share', project_id, '--stop'])).code).toBe(0);
      await stop();
      expect((await json(['status'])).exchange).toMatchObject({
        url: hosted.url,
        state: 'stopped',
      });
      if (how !== 'without a server') await start();
      expect(await run(['disconnect'])).toMatchObject({
        code: 0,
        stdout: 'Not connected to a hosted server.\n',
      });
      expect((await json(['status'])).exchange).toMatchObject({ url: null });
      await stop();
    });
  },
);

it('leaves no session behind, and the trail says who connected', { timeout: 120_000 }, async () => {
  await start();
  const trail = (await run(['audit'])).stdout.split('\n');
  expect(trail.filter((line) => line.includes('uplink.connected'))).toHaveLength(2);
  expect(trail.filter((line) => line.includes('uplink.disconnected'))).toHaveLength(2);
  using store = new DatabaseSync(path.join(folder, 'evidence.sqlite'), { readOnly: true });
  expect(
    store.prepare("SELECT count(*) AS n FROM sessions WHERE browser = 'evidence-studio'").get(),
  ).toEqual({ n: 0 });
  await stop();
});
