import { expect } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { expectAccessible } from './support/axe.ts';
import { test } from './support/hosted.ts';

test(
  'a person asks for e-mails, and an owner for a webhook whose secret is shown once',
  IN_LONG_FORM,
  async ({ page, startHosted }, info) => {
    test.setTimeout(120_000);
    const hosted = await startHosted({
      EVIDENCE_STUDIO_WEBHOOKS: 'any',
      EVIDENCE_STUDIO_MAIL: 'smtp://127.0.0.1:9',
      EVIDENCE_STUDIO_MAIL_FROM: 'studio@lab.example',
    });
    await hosted.setUp(page);
    await page.goto(`${hosted.url}/account`);
    const notices = page.locator('section', {
      has: page.getByRole('heading', { name: 'Notices', exact: true }),
    });
    await notices.getByRole('button', { name: 'Send me e-mails' }).click();
    await expect(notices.getByText('E-mails to you')).toBeVisible();
    const address = notices.getByLabel('Address of a program');
    await address.fill('http://127.0.0.1:9/hook');
    await address.press('Enter');
    await expect(notices.getByText(/^whsec_/)).toBeVisible();
    await expect(notices.getByText('Nothing was sent yet.')).toHaveCount(2);
    await expectAccessible(page);
    await notices.screenshot({ path: info.outputPath('notices.png') });
    await page.reload();
    await expect(notices.getByText('http://127.0.0.1:9/hook')).toBeVisible();
    await expect(notices.getByText(/^whsec_/)).toHaveCount(0);
    await notices.getByRole('button', { name: 'End notices: E-mails to you' }).click();
    await expect(notices.getByRole('button', { name: 'Send me e-mails' })).toBeVisible();
  },
);
