import path from 'node:path';
import { expect, test } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { createSignInLink } from '../../../src/server/auth/sign-in.ts';
import { freePort } from '../../support/postgres.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { expectAccessible } from './support/axe.ts';
import { EVERY_ACCOUNT } from '../../../src/server/storage/db/session.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
let server: TestServer;
test.describe.configure({ timeout: 90_000 });

async function boot(operatorOnly: TestServer['deps']['operatorOnly']): Promise<void> {
  const port = await freePort();
  server = await bootServer({
    deps: { rendererRoot: path.join(ROOT, 'out/renderer'), home: 'hosted', operatorOnly },
    server: { port, publicUrl: new URL(`http://127.0.0.1:${port}`) },
  });
}
test.afterEach(() => server.close());

for (const isReserved of [true, false]) {
  test(
    `where ${isReserved ? 'whoever runs the server' : 'everybody'} opens accounts and publishes, the pages offer ${isReserved ? 'neither, and say who does' : 'both'}`,
    IN_LONG_FORM,
    async ({ page }) => {
      await boot({ accounts: isReserved, publishing: isReserved });
      await page.goto(await createSignInLink(server.deps, server.url));
      await page.goto(`${server.url}/account`);
      await expect(page.getByRole('heading', { name: 'Accounts' })).toBeVisible();
      await expect(page.getByRole('button', { name: 'New account' })).toHaveCount(
        isReserved ? 0 : 1,
      );
      await expect(page.getByText('Whoever runs this server creates new ones.')).toHaveCount(
        isReserved ? 1 : 0,
      );

      await page.goto(`${server.url}/studio/profiles`);
      await page.getByRole('button', { name: 'New profile' }).click();
      await expect(
        page.getByText('Whoever runs this server publishes to the community'),
      ).toHaveCount(isReserved ? 1 : 0);
      await page.getByRole('combobox', { name: 'Visibility' }).click();
      await expect(page.getByRole('option')).toHaveCount(isReserved ? 1 : 2);
    },
  );
}

test(
  'wrong passwords that others tried are told on the next page, and dismissed for good; an account without an owner says so',
  IN_LONG_FORM,
  async ({ page }) => {
    await boot({ accounts: true, publishing: true });
    const { account_id, user_id } = server.deps.store.local;
    const at = new Date().toISOString();
    const tried = ['a', 'b'].map((subject) => ({
      user_id,
      subject,
      wrong: 10,
      refused: 60,
      first_at: at,
      last_at: at,
    }));
    await server.deps.store.transact(
      (writer) => writer.signInLimits.countTried(tried),
      EVERY_ACCOUNT,
    );
    await page.goto(await createSignInLink(server.deps, server.url));
    const notice = page.getByText('Somebody tried passwords for your name');
    await expect(notice).toBeVisible();
    await expect(
      page.getByText(/20 wrong passwords from 2 addresses, and 120 more tries that went unread/),
    ).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await expect(notice).toHaveCount(0);
    await page.reload();
    await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible();
    await expect(notice).toHaveCount(0);

    await server.deps.store.transact(async (writer) => {
      const other = await writer.teamWrites.createPerson({ name: 'Ben', email: 'ben@lab.example' });
      await writer.teamWrites.add(account_id, other, 'owner');
      await writer.teamWrites.changeRole(account_id, user_id, 'member');
      await writer.teamWrites.disable(other);
    }, EVERY_ACCOUNT);
    await page.reload();
    await expect(page.getByText('No owner: reads only, ask whoever runs the server')).toBeVisible();
    await expect(page.getByRole('button', { name: 'New project' })).toHaveCount(0);
  },
);
