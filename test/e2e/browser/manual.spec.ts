import path from 'node:path';
import { expect, test } from '@playwright/test';
import { SERVER_PAGES } from '../../../src/shared/contract/page-addresses.ts';
import { bootServer, type TestServer } from '../../support/server.ts';

const RENDERER = path.resolve(import.meta.dirname, '../../../out/renderer');
let server: TestServer;
test.beforeAll(async () => {
  server = await bootServer({ deps: { rendererRoot: RENDERER } });
});
test.afterAll(() => server.close());

test('the manual is read by whoever has the studio, with its pictures, under the content policy', async ({
  page,
}) => {
  const refused: string[] = [];
  page.on('console', (message) => message.type() === 'error' && refused.push(message.text()));
  page.on('requestfailed', (request) => refused.push(request.url()));
  await page.goto(server.url + SERVER_PAGES.manual);
  await expect(page.getByRole('heading', { level: 1, name: 'Evidence Studio' })).toBeVisible();
  const contents = page.getByRole('navigation', { name: 'Contents' });
  await contents.getByRole('link', { name: 'The matrix editor' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'The matrix editor' })).toBeVisible();
  await expect(contents.locator('[aria-current]')).toHaveText('The matrix editor');
  const picture = page.getByRole('img').first();
  await expect(picture).toHaveJSProperty('complete', true);
  expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(
    0,
  );
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'To the text' })).toBeFocused();
  expect(refused).toEqual([]);
});
