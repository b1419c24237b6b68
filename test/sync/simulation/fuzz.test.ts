import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/served.ts';

const fuzz = (environment: Record<string, string>) =>
  spawnSync('npm', ['run', '--silent', 'test:fuzz', '25'], {
    cwd: ROOT,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    env: { ...process.env, ...environment },
  });

it(
  'npm run test:fuzz says its seed and what held, and fails where a rule does not hold',
  { timeout: 60_000 },
  () => {
    const sound = fuzz({ SEED: '7' });
    expect([sound.status, sound.stderr.replaceAll(/^npm warn.*\n/gm, '')]).toEqual([0, '']);
    expect(sound.stdout).toContain('25 runs, seed 7');
    expect(sound.stdout).toContain('Held for 25 runs of seed 7');
    const broken = fuzz({ SEED: '7', BUG: 'no-dedupe' });
    expect(broken.status).toBe(1);
    expect(broken.stderr).toMatch(/^Failed at run \d+ of seed 7: /m);
  },
);
