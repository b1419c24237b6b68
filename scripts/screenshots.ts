/**
 * `node scripts/screenshots.ts`: every page of a studio with the sample case, light and dark, into
 * test-results/screenshots; the README's picture and the way from a sheet to a run into
 * docs/images. `-- way`: that way alone.
 */
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from '@playwright/test';
import { CHROMIUM_ARGS, findChromium } from '../test/support/chromium.ts';
import { call, cli, makeKey, ROOT, serve } from '../test/support/served.ts';
import { buildIfNeeded } from './build.ts';
import { shootTheWay } from './screenshots-way.ts';

const CASE = 'sample-demo1-knockout';
const PROFILE = 'crispr_edit_evidence';
const target = path.join(ROOT, 'test-results/screenshots');

await buildIfNeeded();
const data = await mkdtemp(path.join(tmpdir(), 'evidence-look-'));
const key = await makeKey(data);
const server = await serve(data);
const browser = await chromium.launch({
  executablePath: findChromium(),
  args: [...CHROMIUM_ARGS],
  ignoreDefaultArgs: ['--hide-scrollbars'],
});
await mkdir(target, { recursive: true });
await mkdir(path.join(ROOT, 'docs/images'), { recursive: true });
try {
  await shootTheWay(browser, { server, data, key, folder: path.join(ROOT, 'docs/images') });
  if (!process.argv.includes('way')) await shootPages();
} finally {
  await browser.close();
  await server.kill('SIGTERM');
  await rm(data, { recursive: true, force: true });
}

async function shootPages(): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto((await cli(['sign-in', '--data', data])).trim());
  const shoot = async (name: string): Promise<void> => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.waitForTimeout(1_000);
      await page.screenshot({ path: path.join(target, `${name}-${colorScheme}.png`) });
    }
  };
  await page.getByRole('button', { name: /open the sample project/i }).waitFor();
  await shoot('start');
  await page.getByRole('button', { name: /open the sample project/i }).click();
  await page.getByRole('grid', { name: 'Evidence matrix' }).waitFor();
  await shoot('tour');
  await page.getByRole('button', { name: 'Skip' }).click();
  await page
    .getByRole('gridcell', { name: /zygosity.*TRUE|TRUE/ })
    .first()
    .click();
  await page.waitForTimeout(1_000);
  await shoot('matrix');
  await call(server.url, key, 'POST', '/api/v1/runs', {
    case_uid: CASE,
    profile_uid: PROFILE,
    run_uid: 'sample-run',
  });
  const projects = await call(server.url, key, 'GET', '/api/v1/projects');
  const pages: Record<string, string> = {
    projects: '/studio',
    project: `/studio/projects/${projects.body.data[0].project_id}`,
    runs: '/studio/runs',
    run: '/studio/runs/sample-run',
    profiles: '/studio/profiles',
    profile: `/studio/profiles/${PROFILE}`,
    account: '/account',
    'not-found': '/studio/nowhere',
    docs: '/docs',
  };
  for (const [name, address] of Object.entries(pages)) {
    await page.goto(server.url + address);
    await page.waitForTimeout(1_200);
    await shoot(name);
  }
  await copyFile(
    path.join(target, 'matrix-light.png'),
    path.join(ROOT, 'docs/images/matrix-light.png'),
  );
}
