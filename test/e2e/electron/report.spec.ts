import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from '@playwright/test';
import { createCase, fromPage, PROFILE, test } from './studio.ts';

test('a report is saved as PDF where the person says, and a reference is opened only when they agree', async ({ open }) => {
  const { app, page, data } = await open();
  await createCase(page, 'paper', 3);
  expect((await fromPage(page, 'POST', 'runs', { case_uid: 'paper', profile_uid: PROFILE, run_uid: 'run_paper' })).status).toBe(201);
  const file = path.join(data, 'report.pdf');
  await app.evaluate(({ dialog, shell }, filePath) => {
    const seen: unknown[] = [];
    let answer = 1;
    Object.assign(globalThis, { seen });
    dialog.showSaveDialog = (async () => ({ canceled: false, filePath })) as unknown as typeof dialog.showSaveDialog;
    dialog.showMessageBox = (async (options: { message: string; detail: string }) => {
      seen.push([options.message, options.detail]);
      answer = 1 - answer;
      return { response: answer };
    }) as unknown as typeof dialog.showMessageBox;
    shell.openExternal = async (url: string) => void seen.push(url);
  }, file);
  await page.goto('app://studio/studio/runs/run_paper/report?paper=letter');
  await expect(page.getByRole('article', { name: 'Report' })).toBeVisible();
  await page.getByRole('button', { name: 'Save as PDF…' }).click();
  await expect.poll(() => { try { return readFileSync(file).subarray(0, 5).toString('latin1'); } catch { return ''; } }, { timeout: 30_000 }).toBe('%PDF-');
  expect(readFileSync(file).toString('latin1')).toMatch(/\/MediaBox ?\[0 0 612 792\]/);

  type Host = { desktop: { openReference(address: string): Promise<{ opened: boolean }> } };
  const lead = (address: string) => page.evaluate((to) => (globalThis as unknown as Host).desktop.openReference(to).then(({ opened }) => String(opened), (error: Error) => error.message), address);
  expect(await lead('https://doi.org/10.1000/182')).toBe('true');
  expect(await lead('https://example.org/no')).toBe('false');
  expect(await lead('file:///etc/passwd')).toContain('invalid_request');
  expect(await lead('https://a:b@example.org/')).toBe('false');
  expect(await app.evaluate(() => (globalThis as unknown as { seen: unknown[] }).seen)).toEqual([
    ['Open doi.org in the browser?', 'https://doi.org/10.1000/182'], 'https://doi.org/10.1000/182', ['Open example.org in the browser?', 'https://example.org/no'],
  ]);
});
