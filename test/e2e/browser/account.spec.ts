import path from 'node:path';
import { expect, test } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { createPasswords } from '../../../src/server/auth/passwords.ts';
import { createSignInLink } from '../../../src/server/auth/sign-in.ts';
import { freePort } from '../../support/postgres.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { ROOT } from '../../support/served.ts';
import { expectAccessible } from './support/axe.ts';
import { goOffline, goOnline } from './support/studio.ts';

test.describe.configure({ timeout: 90_000 });

const PASSWORD = 'violet harbour 71 spoons';
let server: TestServer;

/** A hosted server with a team of two and a further account of its owner. */
test.beforeEach(async () => {
  const port = await freePort();
  server = await bootServer({
    deps: { rendererRoot: path.join(ROOT, 'out/renderer'), home: 'hosted' },
    server: { port, publicUrl: new URL(`http://127.0.0.1:${port}`) },
  });
  const { account_id, user_id } = server.deps.store.local;
  const password = await createPasswords(server.deps.random).hash(PASSWORD);
  await server.deps.store.transact(async (writer) => {
    await writer.teamWrites.add(
      account_id,
      await writer.teamWrites.createPerson({ name: 'Ben Okafor', email: 'ben@lab.example' }),
      'member',
    );
    await writer.teamWrites.setPassword(user_id, password);
    await writer.teamWrites.createAccount('Trial group', user_id);
  });
});
test.afterEach(() => server.close());

test(
  'a while after signing in the password is asked for, in the form that needs it; changing it is checked at its fields',
  IN_LONG_FORM,
  async ({ page }) => {
    await page.goto(await createSignInLink(server.deps, server.url));
    await page.goto(`${server.url}/account`);
    server.advance(16 * 60_000);
    await page.getByRole('button', { name: 'Invite' }).click();
    const invite = page.getByRole('dialog', { name: 'Invite to this account' });
    await invite.getByLabel('Who it is for').fill('Dora');
    await page.keyboard.press('Enter');
    const password = invite.getByLabel('Your password');
    await expect(password).toBeFocused();
    await expect(password).toHaveAttribute('autocomplete', 'current-password');
    await expectAccessible(page);
    await password.fill('granite 5 lanterns uphill');
    await page.keyboard.press('Enter');
    await expect(password).toHaveAccessibleDescription('The password is not right.');
    await password.fill(PASSWORD);
    await page.keyboard.press('Enter');
    await expect(page.getByLabel('Invitation link')).toHaveValue(
      new RegExp(`^${server.url}/join#`),
    );
    await page.getByRole('button', { name: 'I have copied the link' }).click();
    await page.getByRole('button', { name: 'Withdraw the invitation for Dora' }).click();
    await expect(page.getByRole('table', { name: 'Open invitations' })).toHaveCount(0);

    // The last owner stays.
    const members = page.getByRole('table', { name: 'Members' });
    await expect(
      members.getByRole('row', { name: new RegExp(server.deps.store.local.user_name) }),
    ).toContainText('the only owner stays');
    await expect(members.getByRole('button', { name: /^Remove/ })).toHaveCount(1);

    await page.getByRole('button', { name: 'Change password' }).click();
    const change = page.getByRole('dialog', { name: 'Change password' });
    await change.getByLabel('Current password').fill('granite 5 lanterns uphill');
    await change.getByLabel('New password', { exact: true }).fill('copper owls over 9 rivers');
    await change.getByLabel('New password again').fill('copper owls');
    await page.keyboard.press('Enter');
    await expect(change.getByLabel('New password again')).toHaveAccessibleDescription(
      'Is not the same as the new password.',
    );
    await change.getByLabel('New password again').fill('copper owls over 9 rivers');
    await page.keyboard.press('Enter');
    await expect(change.getByLabel('Current password')).toHaveAccessibleDescription(
      'The password is not right.',
    );
    await expectAccessible(page);
    await change.getByLabel('Current password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await expect(page.getByText('Your password is changed.')).toBeVisible();

    // Away, with what was loaded before, and then with little of it: said once, above all of it.
    const away = page.getByText('The server cannot be reached');
    await goOffline(page.context());
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('link', { name: 'Account', exact: true }).click();
    await expect(page.getByRole('table', { name: 'Where you are signed in' })).toBeVisible();
    await expect(away).toHaveCount(1);
    await page.reload();
    await expect(page.getByText('Not available offline: members.')).toBeVisible();
    await expect(page.getByText('Shown is the copy stored on this computer')).toHaveCount(1);
    await expect(away).toHaveCount(1);
    await expectAccessible(page);
    await goOnline(page.context());
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(members).toBeVisible();
    await expect(page.getByText('Not available offline')).toHaveCount(0);
    await expect(away).toHaveCount(0);
  },
);

test(
  'another account opens in every tab; what a tab was about to write lands in no other',
  IN_LONG_FORM,
  async ({ page, context }) => {
    await page.goto(await createSignInLink(server.deps, server.url));
    const { account_name } = server.deps.store.local;
    const other = await context.newPage();
    await other.goto(`${server.url}/studio`);
    await expect(other.getByRole('link', { name: `Account ${account_name}` })).toBeVisible();
    await other.getByRole('button', { name: 'New project' }).click();
    await other.getByLabel('Name').fill('Meant for the first account');

    await page.goto(`${server.url}/account`);
    await page.getByRole('button', { name: 'Open Trial group' }).click();
    await expect(page).toHaveURL(`${server.url}/studio`);
    await expect(page.getByRole('link', { name: 'Account Trial group' })).toBeVisible();

    // As a tab that has not heard of it yet.
    const answer = await other.evaluate(
      async (owner) =>
        (
          await fetch('/api/v1/projects', {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'sync-user': owner },
            body: '{"name":"Late"}',
          })
        ).json(),
      `${server.deps.store.local.user_id}@${server.deps.store.local.account_id}`,
    );
    expect(answer).toMatchObject({ error: 'other_user' });
    await expect(other.getByText('Trial group').first()).toBeAttached();
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Start with a project' })).toBeVisible();
    expect((await server.call('GET', '/api/v1/projects')).body.data).toEqual([]);

    await page.goto(`${server.url}/account`);
    await page.getByRole('button', { name: 'New account' }).click();
    await page.getByLabel('Name').fill('Third');
    await page.getByRole('button', { name: 'Create account' }).click();
    await expect(page.getByRole('link', { name: 'Account Third' })).toBeVisible();
    await page.goto(`${server.url}/account`);
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Third team');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('row', { name: /^Third team Owner open/ })).toBeVisible();
  },
);
