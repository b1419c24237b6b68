import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@playwright/test';
import { cell, createCase, openCase, PROFILE, RULES, sendAs, test } from './studio.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);

test('an agent’s cell appears in the open window', async ({ running: { app, page, data } }) => {
  await page.goto('app://studio/account');
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create API key' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('e2e agent');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const key =
    /evs_[0-9A-Za-z]{10}_[0-9A-Za-z]{38}/.exec(
      await page
        .getByText(/evs_[0-9A-Za-z]{10}_/)
        .first()
        .innerText(),
    )?.[0] ?? '';
  expect(key).not.toBe('');
  await page.getByRole('button', { name: 'Copy key' }).click();
  await expect.poll(() => app.evaluate(({ clipboard }) => clipboard.readText())).toBe(key);

  const items = await createCase(page, 'agent', 3);
  const grid = await openCase(page, 'agent');
  const delays: number[] = [];
  for (const [index, item] of items.entries()) {
    const outcome = index % 2 === 0 ? (['TRUE', 'T'] as const) : (['FALSE', 'F'] as const);
    await sendAs(data, key, 'evidence', {
      case_uid: 'agent',
      profile_uid: PROFILE,
      items: [{ item_uid: item, evidence: [{ rule_uid: RULES[1], raw_outcome: outcome[0] }] }],
    });
    const began = performance.now();
    await expect(cell(grid, item, RULES[1], outcome[1])).toBeVisible();
    delays.push(Math.round(performance.now() - began));
  }
  console.log(`from the answer to the agent to the cell on screen: ${delays.join(', ')} ms`);
});

test('a key made on the command line works at once in an open window; the main process stays free while an agent writes', async ({
  running: { app, page, data },
}) => {
  await createCase(page, 'load', 1);
  await openCase(page, 'load');
  const { stdout } = await run(process.execPath, [
    path.join(ROOT, 'bin/evidence-studio.js'),
    'key',
    'create',
    '--name',
    'load',
    '--scopes',
    'read,write',
    '--data',
    data,
    '--json',
  ]);
  const { key } = JSON.parse(stdout) as { key: string };
  await app.evaluate(() => {
    const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks');
    const histogram = monitorEventLoopDelay({ resolution: 5 });
    histogram.enable();
    (globalThis as unknown as { loop: typeof histogram }).loop = histogram;
  });
  for (let request = 0; request < 10; request += 1) {
    const items = Array.from({ length: 100 }, (_, index) => ({
      item_uid: `load_${request}_${index}`,
      evidence: RULES.map((rule_uid) => ({ rule_uid, raw_outcome: 'FALSE' })),
    }));
    await sendAs(data, key, 'evidence', { case_uid: 'load', profile_uid: PROFILE, items });
  }
  const delay = await app.evaluate(() => {
    const { loop } = globalThis as unknown as {
      loop: { percentile(p: number): number; max: number };
    };
    return { p50: loop.percentile(50) / 1e6, p99: loop.percentile(99) / 1e6, max: loop.max / 1e6 };
  });
  console.log(
    `event loop of the main process while 10 x 500 cells were written: ${JSON.stringify(delay)} ms`,
  );
  await expect(page.locator('.mx-shown')).toContainText(/1,?001/);
});
