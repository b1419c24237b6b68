import { expect } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { call } from '../../support/served.ts';
import { test } from './support/studio.ts';

test(
  'a key from the page: shown once, works over HTTP, is counted, and stops with its revocation',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    await studio.enter(page);
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('night batch');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Key "night batch"' });
    const key = await dialog.getByLabel('API key').inputValue();
    expect(key).toMatch(/^evs_[0-9A-Za-z]{10}_[0-9A-Za-z]{38}$/);
    await expect(dialog.getByText(`${studio.url}/api/v1/projects`)).toBeVisible();
    await dialog.getByRole('button', { name: 'I have copied the key' }).click();
    await page.reload();
    await expect(page.getByRole('row', { name: /night batch evs_/ })).toContainText('active');
    const secret = key.slice('evs_'.length + 11);
    const kept = await page.evaluate(async () => {
      const texts = [
        document.documentElement.outerHTML,
        JSON.stringify({ ...localStorage }),
        JSON.stringify({ ...sessionStorage }),
      ];
      for (const { name = '' } of await indexedDB.databases()) {
        const db = await new Promise<IDBDatabase>((resolve) => {
          const request = indexedDB.open(name);
          request.addEventListener('success', () => resolve(request.result));
        });
        for (const store of db.objectStoreNames) {
          texts.push(
            await new Promise<string>((resolve) => {
              const request = db.transaction(store).objectStore(store).getAll();
              request.addEventListener('success', () => resolve(JSON.stringify(request.result)));
            }),
          );
        }
        db.close();
      }
      return texts.join('\n');
    });
    expect(kept).toContain('Evidence Studio');
    expect(kept).not.toContain(secret);

    const project = await call(studio.url, key, 'POST', '/api/v1/projects', { name: 'Batches' });
    expect(project.status).toBe(201);
    for (let request = 0; request < 3; request += 1)
      expect((await call(studio.url, key, 'GET', '/api/v1/projects')).status).toBe(200);
    const usage = (await call(studio.url, key, 'GET', '/api/v1/usage')).body;
    expect(usage.api_keys).toHaveLength(1);
    expect(usage.api_keys[0]).toMatchObject({ name: 'night batch', revoked_at: null });
    expect(usage.monthly_totals[0].requests).toBeGreaterThanOrEqual(4);

    await page.reload();
    await expect(page.getByRole('row', { name: /night batch evs_/ }).first()).not.toContainText(
      'never used',
    );
    await expect(page.getByText(/^Over 1 month: \d+ requests/)).toBeVisible();
    const shown = Number(
      /(\d+) requests/.exec((await page.getByText(/^Over 1 month: /).textContent()) ?? '')?.[1],
    );
    expect(shown).toBeGreaterThanOrEqual(usage.monthly_totals[0].requests);
    const events = page.getByRole('table', { name: 'Recent events' });
    await expect(events.getByRole('row', { name: /night batch/ }).first()).toBeVisible();

    await page.getByRole('button', { name: 'Revoke night batch' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).click();
    await expect(
      page.getByRole('table', { name: 'API keys' }).getByRole('row', { name: /night batch evs_/ }),
    ).toContainText('revoked');
    const refused = await call(studio.url, key, 'GET', '/api/v1/projects');
    expect([refused.status, refused.body.error]).toEqual([401, 'key_revoked']);
  },
);
