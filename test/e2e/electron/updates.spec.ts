import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, type Page } from '@playwright/test';
import { findElectron } from '../../support/electron.ts';
import { IN_LONG_FORM } from '../../support/length.ts';
import { openFeed, PROGRAM } from '../../support/update-feed.ts';
import { CHECK_ENV, createCase, discovery, openCase, RULES, cell, test } from './studio.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** What an AppImage is to the system: one file that starts the studio. */
function program(data: string, name: string): string {
  return `#!/bin/sh
echo ${name} >>'${data}/ran'
export APPIMAGE='${path.join(data, PROGRAM)}'
exec '${findElectron()}' --no-sandbox '${ROOT}'
`;
}

const section = (page: Page) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: 'Updates' }) });

async function installed(page: Page): Promise<void> {
  await page.goto('app://studio/account');
  await section(page).getByRole('button', { name: 'Look now' }).click();
  await section(page).getByRole('button', { name: 'Restart and install' }).click();
}

test.skip(process.platform !== 'linux', 'The system’s own installers do the rest elsewhere.');

test(
  'an update is looked for when asked, refused in words, installed, and put back where it does not start',
  IN_LONG_FORM,
  async ({ open, data }) => {
    test.setTimeout(300_000);
    const feed = await openFeed();
    const file = path.join(data, PROGRAM);
    const source = path.join(data, 'source.json');
    writeFileSync(source, JSON.stringify(feed.source));
    writeFileSync(file, program(data, 'before'), { mode: 0o755 });
    const env = { ...CHECK_ENV, APPIMAGE: file, UPDATES_FOR_CHECKS: source };
    const ran = (): string =>
      existsSync(`${data}/ran`) ? readFileSync(`${data}/ran`, 'utf8') : '';
    let pid = 0;
    const started = async (names: string): Promise<void> => {
      await expect.poll(ran, { timeout: 60_000 }).toBe(names);
      await expect
        .poll(() => existsSync(`${data}/server.json`) && discovery(data).pid !== pid, {
          timeout: 60_000,
        })
        .toBe(true);
      ({ pid } = discovery(data));
    };
    try {
      const { app, page } = await open(env);
      pid = app.process().pid ?? 0;
      await createCase(page, 'first', 1);
      const grid = await openCase(page, 'first');
      await cell(grid, 'item_001', RULES[0], null).click();
      await page.keyboard.press('t');
      await expect(cell(grid, 'item_001', RULES[0], 'T')).toBeVisible();
      expect(feed.asked).toEqual([]);
      // While it is being stored the page stays.
      await expect(() => page.goto('app://studio/account')).toPass();
      await expect(section(page).getByRole('switch')).not.toBeChecked();
      feed.publish({ version: '0.0.1' });
      await section(page).getByRole('button', { name: 'Look now' }).click();
      await expect(section(page)).toContainText('offers version 0.0.1, which is older than');

      feed.publish({ version: '9.9.8', bytes: Buffer.from('#!/bin/sh\nexit 1\n') });
      await installed(page);
      await started('before\n');
      expect(readFileSync(file, 'utf8')).toContain('before');
      process.kill(pid, 'SIGTERM');
      await expect.poll(() => existsSync(`${data}/server.json`), { timeout: 20_000 }).toBe(false);
      const again = await open(env);
      pid = again.app.process().pid ?? 0;
      await installed(again.page).catch(() => undefined);
      await expect(section(again.page)).toContainText('Version 9.9.8 did not start');
      feed.publish({ version: '9.9.9', bytes: Buffer.from(program(data, 'after')) });
      await installed(again.page);
      await started('before\nafter\n');
      await expect.poll(() => existsSync(`${file}.previous`), { timeout: 60_000 }).toBe(false);
      expect(readFileSync(file, 'utf8')).toContain('after');
      process.kill(pid, 'SIGTERM');
      await expect.poll(() => existsSync(`${data}/server.json`), { timeout: 20_000 }).toBe(false);
      const last = await open(env);
      const kept = await openCase(last.page, 'first');
      await expect(cell(kept, 'item_001', RULES[0], 'T')).toBeVisible();
    } finally {
      await feed.close();
    }
  },
);
