import { expect } from '@playwright/test';
import { test } from './support/studio.ts';

test('a program that asks is let in with one click, or with less, or refused', async ({
  page,
  studio,
}) => {
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(`${studio.url}/api/v1/pairing${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Record<string, string>;
  };
  const collect = ({ pairing_id, secret }: Record<string, string>) =>
    post(`/${pairing_id}/key`, { secret });
  await studio.enter(page);
  const asks = (name: string) => page.locator('.shell-notice').filter({ hasText: `"${name}"` });

  const first = await post('', { name: 'Reader' });
  await expect(asks('Reader')).toContainText(first.code!);
  await expect(asks('Reader')).toContainText('suggest');
  await asks('Reader').getByRole('button', { name: 'Allow', exact: true }).click();
  await expect(asks('Reader')).toHaveCount(0);
  const firstKey: unknown = await collect(first);
  expect(firstKey).toMatchObject({
    state: 'allowed',
    api_key: { scopes: ['suggest'] },
  });

  const second = await post('', { name: 'Writer', scopes: ['read', 'write', 'delete'] });
  await asks('Writer').getByRole('button', { name: 'Allow less…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Let "Writer" in' });
  await dialog.getByRole('combobox', { name: 'It may' }).click();
  await page.getByRole('option', { name: 'suggest', exact: true }).click();
  await dialog.getByRole('button', { name: 'Allow' }).click();
  await expect(dialog).toHaveCount(0);
  expect(await collect(second)).toMatchObject({ api_key: { scopes: ['suggest'] } });

  const third = await post('', { name: 'Stranger' });
  await asks('Stranger').getByRole('button', { name: 'Refuse' }).click();
  await expect(asks('Stranger')).toHaveCount(0);
  expect(await collect(third)).toEqual({ state: 'refused', api_key: null });

  await page.goto(`${studio.url}/studio/agents`);
  await expect(page.getByLabel('Configuration for Claude Desktop')).toContainText('"mcp"');
  const row = page.getByRole('row', { name: /^Reader/ });
  await expect(row).toContainText('nothing recorded');
  await row.getByRole('button', { name: 'Take back the access of Reader' }).click();
  const asked = page.getByRole('alertdialog');
  await expect(asked.getByRole('checkbox', { name: 'Also take back what it wrote' })).toBeChecked();
  await asked.getByRole('button', { name: 'Take back' }).click();
  // While it is open, what is behind it is hidden.
  await expect(asked).toHaveCount(0);
  await expect(row).toHaveCount(0);
  const { key } = (firstKey as { api_key: { key: string } }).api_key;
  const answer = await fetch(`${studio.url}/api/v1/profiles`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(answer.status).toBe(401);
});
