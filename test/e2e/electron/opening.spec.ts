import { expect } from '@playwright/test';
import { createCase, test } from './studio.ts';

test('a link leads to its page, also from a second start; the account page examines the studio', async ({
  open,
  data,
}) => {
  const { app, page } = await open({}, data, ['evidence-studio://profiles/trio_rare_disease']);
  const at = (address: string): Promise<void> =>
    expect.poll(() => new URL(page.url()).pathname).toBe(address);
  await at('/studio/profiles/trio_rare_disease');
  await createCase(page, 'linked', 1);
  // What a second start tells the first.
  await app.evaluate(
    ({ app: first }, argv) => void first.emit('second-instance', {}, argv, '/'),
    ['--inspect', 'evidence-studio://cases/linked'],
  );
  await at('/studio/cases/linked');
  await expect(page.getByRole('grid', { name: 'Evidence matrix' })).toBeVisible();

  await page.goto('app://studio/account');
  await page.getByRole('button', { name: 'Examine' }).click();
  for (const words of [
    /The database \([\d.]+ MB\) is whole\./,
    'follow from each other without a gap.',
    'The studio answers at http://127.0.0.1:',
  ])
    await expect(page.getByRole('listitem').filter({ hasText: words })).toBeVisible();
});
