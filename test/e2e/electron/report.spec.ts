import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from '@playwright/test';
import { createCase, fromPage, PROFILE, test } from './studio.ts';

test('a report is saved as PDF where the person says', async ({ running: { app, page, data } }) => {
  await createCase(page, 'paper', 3);
  expect(
    (
      await fromPage(page, 'POST', 'runs', {
        case_uid: 'paper',
        profile_uid: PROFILE,
        run_uid: 'run_paper',
      })
    ).status,
  ).toBe(201);
  const file = path.join(data, 'report.pdf');
  await app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = (async () => ({
      canceled: false,
      filePath,
    })) as unknown as typeof dialog.showSaveDialog;
  }, file);
  await page.goto('app://studio/studio/runs/run_paper/report?paper=letter');
  await expect(page.getByRole('article', { name: 'Report' })).toBeVisible();
  await page.getByRole('button', { name: 'Save as PDF…' }).click();
  await expect
    .poll(
      () => {
        try {
          return readFileSync(file).subarray(0, 5).toString('latin1');
        } catch {
          return '';
        }
      },
      { timeout: 30_000 },
    )
    .toBe('%PDF-');
  expect(readFileSync(file).toString('latin1')).toMatch(/\/MediaBox ?\[0 0 612 792\]/);
});
