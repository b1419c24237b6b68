import { expect } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { call } from '../../support/served.ts';
import { PROFILE, RULES, test } from './support/studio.ts';

test(
  'a person limits, pauses and resumes an agent, which hears why and goes on',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    const writer = await studio.key();
    const send = async (path: string, body: unknown) => {
      const answer = await call(studio.url, writer, 'POST', `/api/v1/${path}`, body);
      expect(answer.status).toBeLessThan(300);
      return answer.body;
    };
    const { project_id } = await send('projects', { name: 'Limits' });
    await send('cases', { project_id, case_uid: 'limits' });
    await send('cases/limits/evidence', { profile_uid: PROFILE, items: [{ item_uid: 'a' }] });
    const agent = await studio.key('suggest');
    const suggest = async (...rules: string[]) => {
      const { status, body } = await call(
        studio.url,
        agent,
        'POST',
        '/api/v1/cases/limits/suggestions',
        {
          profile_uid: PROFILE,
          suggestions: rules.map((rule_uid) => ({ item_uid: 'a', rule_uid, raw_outcome: 'NA' })),
        },
      );
      return [status, body.error, body.message];
    };

    await studio.enter(page);
    await page.getByRole('link', { name: 'Account' }).click();
    // Both keys have one name; the agent's is told by what it begins with.
    const row = page
      .getByRole('table', { name: 'API keys' })
      .getByRole('row')
      .filter({ hasText: agent.slice(0, 14) });
    const dialog = page.getByRole('dialog', { name: 'Limits of "test"' });
    await row.getByRole('button', { name: 'Limits of test' }).click();
    await dialog.getByLabel('Suggestions a day').fill('many');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog.getByLabel('Suggestions a day')).toHaveAttribute('aria-invalid', 'true');
    await dialog.getByLabel('Suggestions a day').fill('3');
    await dialog.getByLabel('Suggestions that wait for a decision').fill('2');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(row).toContainText('0 of 3 suggestions today');
    await expect(row).toContainText('2 suggestions may wait');

    expect((await suggest(...RULES.slice(0, 2)))[0]).toBe(200);
    const [status, code, message] = await suggest(RULES[2]);
    expect([status, code]).toEqual([403, 'quota_exceeded']);
    expect(message).toContain('2 suggestions may wait for a decision');
    await page.reload();
    await expect(row).toContainText('2 of 3 suggestions today');

    await row.getByRole('button', { name: 'Pause test' }).click();
    await expect(row.getByRole('button', { name: 'Resume test' })).toBeVisible();
    await expect(row).toContainText('paused');
    expect((await suggest(RULES[0])).slice(0, 2)).toEqual([403, 'key_paused']);
    const { SHOTS } = process.env;
    if (SHOTS !== undefined)
      await page.screenshot({ path: `${SHOTS}/key-limits.png`, fullPage: true });

    await row.getByRole('button', { name: 'Resume test' }).click();
    await expect(row.getByRole('button', { name: 'Pause test' })).toBeVisible();
    expect((await suggest(RULES[0]))[0]).toBe(200);
  },
);
