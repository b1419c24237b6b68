import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildIfNeeded } from '../../../scripts/build.ts';
import { IS_LONG, lengthOf } from '../../support/length.ts';
import { command, ROOT } from '../../support/served.ts';

const LINK = /^sign in once, within ten minutes: (http:\/\/127\.0\.0\.1:\d+\/sign-in\?token=\S+)$/m;
const linux = process.platform === 'linux';

let root: string;
let made = 0;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'evidence-start-'));
  await buildIfNeeded();
}, 120_000);
afterEach(() => {
  for (const child of children)
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
  children.clear();
});
afterAll(() => rm(root, { recursive: true, force: true }));

interface Started {
  child: ChildProcess;
  folder: string;
  output(): string;
  says(words: RegExp): Promise<RegExpExecArray>;
}
/** A program in a group of its own, as a terminal would start it. */
function start(program: string, args: readonly string[], extra: NodeJS.ProcessEnv = {}): Started {
  const folder = path.join(root, `data-${(made += 1)}`);
  const env = {
    ...process.env,
    EVIDENCE_STUDIO_DATA: folder,
    EVIDENCE_STUDIO_PORT: '0',
    DISPLAY: '',
    WAYLAND_DISPLAY: '',
    ELECTRON_OVERRIDE_DIST_PATH: '',
    LOG_LEVEL: undefined,
    NODE_ENV: undefined,
    ...extra,
  };
  const child = spawn(program, args, {
    cwd: ROOT,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => (output += String(chunk)));
  const says = async (words: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = words.exec(output);
      if (found !== null) return found;
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`It ended with ${child.exitCode ?? child.signalCode}: ${output}`);
      await delay(50);
    }
  };
  return { child, folder, output: () => output, says };
}
const script = (...args: string[]): [string, string[]] => [
  process.execPath,
  ['scripts/start.ts', ...args],
];

describe.skipIf(!linux)('npm start', { timeout: 120_000 }, () => {
  it('without a display says why in one line and prints a link that opens the studio', async () => {
    const { child, folder, output, says } = start('npm', ['start', '--silent']);
    const [, link = ''] = await says(LINK);
    expect(output()).toMatch(
      /^No desktop window: there is no display\. Serving the studio for a browser\.$/m,
    );
    // Nothing but what a person needs: no log, no JSON.
    expect(
      output()
        .trim()
        .split('\n')
        .filter((line) => !line.startsWith('npm warn') && !line.startsWith('Building')),
    ).toHaveLength(3);
    const entered = await fetch(link, { redirect: 'manual' });
    expect(entered.status).toBe(303);
    const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const page = await fetch(new URL('/studio', link), { headers: { cookie } });
    expect([page.status, (await page.text()).includes('<script')]).toEqual([200, true]);
    // Only npm gets this signal; what it started goes with it.
    child.kill('SIGTERM');
    await once(child, 'exit');
    await expect
      .poll(async () => (await command(['status', '--data', folder])).code, { timeout: 20_000 })
      .toBe(1);
  });

  it.each(lengthOf<NodeJS.Signals[]>(['SIGINT'], ['SIGTERM', 'SIGINT']))(
    'in the form for a browser ends on %s with code 0',
    async (signal) => {
      const { child, folder, output, says } = start(...script('--browser'));
      await says(LINK);
      expect(output()).not.toContain('No desktop window');
      process.kill(-(child.pid ?? 0), signal);
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect((await command(['status', '--data', folder])).code).toBe(1);
    },
  );

  it.runIf(IS_LONG)(
    'with a display but no runtime asks for one only so long, and serves a browser',
    async () => {
      // An address that takes the connection and never answers.
      const silent = createServer(() => undefined).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const address = silent.address();
      const port = address !== null && typeof address === 'object' ? address.port : 0;
      const { child, output, says } = start(...script('--no-sandbox'), {
        DISPLAY: ':987',
        ELECTRON_OVERRIDE_DIST_PATH: path.join(root, 'nowhere'),
        ELECTRON_MIRROR: `http://127.0.0.1:${port}/`,
      });
      await says(LINK);
      expect(output()).toMatch(
        /^No desktop window: the Electron runtime cannot be downloaded\. Serving/m,
      );
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
      silent.close();
    },
  );
});

describe.skipIf(!linux)('npm start with a runtime', { timeout: 120_000 }, () => {
  /** A stand-in for Electron's executable. */
  async function runtime(program: string): Promise<NodeJS.ProcessEnv> {
    const dist = path.join(root, `dist-${(made += 1)}`);
    await mkdir(dist);
    await writeFile(path.join(dist, 'electron'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
    return { DISPLAY: ':987', ELECTRON_OVERRIDE_DIST_PATH: dist };
  }

  it('hands it the application, waits for it, and ends it on SIGTERM with code 0', async () => {
    const marker = path.join(root, 'ended');
    const env = await runtime(
      `trap 'echo gone > ${marker}; exit 143' TERM; echo "window $@ as-node=$ELECTRON_RUN_AS_NODE"; while :; do sleep 0.1; done`,
    );
    const { child, output, says } = start(...script('--no-sandbox'), {
      ...env,
      ELECTRON_RUN_AS_NODE: '1',
    });
    await says(new RegExp(`^window --no-sandbox ${ROOT} as-node=$`, 'm'));
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(output()).not.toContain('No desktop window');
    expect(await readFile(marker, 'utf8')).toBe('gone\n');
  });

  it('ends with code 0 when the window is closed', async () => {
    const { child, output } = start(...script('--no-sandbox'), await runtime('exit 0'));
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(output()).not.toContain('No desktop window');
  });

  it('serves a browser where no window opens', async () => {
    const { child, output, says } = start(...script('--no-sandbox'), await runtime('exit 5'));
    await says(LINK);
    expect(output()).toContain(
      'No desktop window: Electron ended with code 5 before a window opened. Serving the studio for a browser.',
    );
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
