import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect } from '@playwright/test';
import { verifyRun } from '../../../src/shared/domain/run.ts';
import { testHasher } from '../../support/hasher.ts';
import type { Json } from '../../support/json.ts';
import { IN_LONG_FORM, seedOf } from '../../support/length.ts';
import { seeded } from '../../support/random.ts';
import { call } from '../../support/served.ts';
import { asPerson } from './support/as-person.ts';
import { expectAccessible } from './support/axe.ts';
import { ANN, BEN, test } from './support/hosted.ts';
import { uids } from './support/studio.ts';

test.describe.configure({ timeout: 1_200_000 });

const PROFILE = 'ai_answer_verification';
const ITEMS = uids(200);
const CASE = '/api/v1/cases/reading';
const OUTCOMES = ['TRUE', 'FALSE', 'NA'] as const;

/** Percent and alpha as section 5 of the specification has them, counted out pair by pair. */
function countedOut(units: readonly (readonly string[])[]): { percent: number; alpha: number } {
  const shares: number[] = [];
  const of = { agree: 0, chance: 0 };
  const all = units.flat();
  for (const unit of units) {
    let alike = 0;
    for (const [place, one] of unit.entries())
      for (const [other, two] of unit.entries()) if (place !== other && one === two) alike += 1;
    shares.push(alike / (unit.length * (unit.length - 1)));
    of.agree += (unit.length * (unit.length - 1) - alike) / (unit.length - 1);
  }
  for (const one of OUTCOMES)
    for (const two of OUTCOMES)
      if (one !== two)
        of.chance +=
          all.filter((said) => said === one).length * all.filter((said) => said === two).length;
  return {
    percent: shares.reduce((sum, share) => sum + share, 0) / shares.length,
    alpha: 1 - ((all.length - 1) * of.agree) / of.chance,
  };
}

test(
  'two people and an agent record 200 × 12 apart; what they differ on is decided by keyboard, frozen and signed',
  IN_LONG_FORM,
  async ({ page, browser, hosted }, info) => {
    const { url } = hosted;
    await hosted.setUp(page);
    const ben = await (await browser.newContext()).newPage();
    await hosted.join(page, ben, BEN);
    const made = (
      await asPerson(page, url, 'POST', '/api/v1/keys', {
        name: 'Reader',
        scopes: ['read', 'write'],
      })
    ).body;
    const { project_id } = (await asPerson(page, url, 'POST', '/api/v1/projects', { name: 'P' }))
      .body;
    const profile = (await asPerson(page, url, 'GET', `/api/v1/profiles/${PROFILE}`)).body;
    const rules: string[] = profile.rules.map(({ ruleUid }: Json) => ruleUid);
    expect(rules).toHaveLength(12);
    await asPerson(page, url, 'POST', '/api/v1/cases', {
      project_id,
      case_uid: 'reading',
      profile_uid: PROFILE,
    });
    await asPerson(page, url, 'POST', `${CASE}/evidence`, {
      profile_uid: PROFILE,
      items: ITEMS.map((item_uid) => ({ item_uid })),
    });
    const ids = await Promise.all(
      [page, ben].map(
        async (one) =>
          (await asPerson(one, url, 'GET', '/api/v1/session')).body.user.user_id as string,
      ),
    );
    const { round_id } = (
      await asPerson(page, url, 'POST', `${CASE}/rounds`, {
        title: 'First reading',
        recorders: [...ids, made.key_id],
        profile_uid: PROFILE,
      })
    ).body;

    // Each says something else in about one cell of sixty.
    const random = seeded(seedOf());
    const cells = ITEMS.flatMap((item_uid) => rules.map((rule_uid) => ({ item_uid, rule_uid })));
    const truth = cells.map(() => random.pick(OUTCOMES));
    const said = [0, 1, 2].map(() =>
      truth.map((outcome) => (random.int(60) === 0 ? random.pick(OUTCOMES) : outcome)),
    );
    const rounds = `${CASE}/rounds/${round_id}`;
    for (const [place, of] of said.entries()) {
      const outcomes = cells.map((cell, at) => ({
        ...cell,
        raw_outcome: of[at],
        source_value: `answer ${at}`,
        notes: `by ${place}`,
      }));
      if (place < 2) {
        const who = place === 0 ? page : ben;
        await asPerson(who, url, 'POST', `${rounds}/evidence`, { outcomes });
        await asPerson(who, url, 'POST', `${rounds}/done`, {});
      } else
        for (const [path, body] of [
          ['evidence', { outcomes }],
          ['done', {}],
        ] as const)
          expect((await call(url, made.key, 'POST', `${rounds}/${path}`, body)).status).toBe(200);
    }
    const before = await asPerson(page, url, 'GET', `${rounds}/agreement`);
    const { all } = before.body.figures;
    const reckoned = countedOut(cells.map((_, at) => said.map((of) => of[at] ?? '')));
    expect(Math.abs(all.percent - reckoned.percent)).toBeLessThan(1e-12);
    expect(Math.abs(all.alpha - reckoned.alpha)).toBeLessThan(1e-12);
    const differing = cells.flatMap((_, at) =>
      new Set(said.map((of) => of[at])).size > 1 ? [at] : [],
    );
    expect(before.body.differ).toBe(differing.length);

    // From the figures by keyboard into the cells that differ.
    await page.goto(`${url}/studio/cases/reading/rounds/${round_id}`);
    await page.getByRole('link', { name: 'Decide where they differ…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Decide where independent recorders differ' });
    const progress = (decided: number) =>
      dialog.getByText(`${decided} of ${differing.length} cells decided`);
    await expect(progress(0)).toBeVisible({ timeout: 60_000 });
    await expect(dialog.getByText('Recorder A')).toBeVisible();
    await expect(dialog.getByText(ANN.name)).toHaveCount(0);
    await expectAccessible(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: info.outputPath(`deciding-${colorScheme}.png`) });
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await dialog.getByRole('checkbox', { name: 'Show who recorded what' }).press('Space');
    await expect(dialog.getByText(BEN.name)).toBeVisible();
    await dialog.getByRole('checkbox', { name: 'Show who recorded what' }).press('Space');

    const list = dialog.getByRole('listbox', { name: 'Cells to decide' });
    const reason = dialog.getByRole('textbox', { name: 'Reason' });
    await list.focus();
    const keys = ['1', '2', '3', 't', 'f', 'n'];
    for (const [count] of differing.entries()) {
      await expect(list).toBeFocused();
      await page.keyboard.press(keys[count % keys.length] ?? '1');
      await page.keyboard.press(count === 0 ? 'r' : 's');
      await expect(reason).toBeFocused();
      if (count === 0) await page.keyboard.type('read again together');
      await page.keyboard.press('Enter');
      await expect(progress(count + 1)).toBeVisible({ timeout: 20_000 });
    }
    await expect(list).toBeFocused();

    await page.keyboard.press('b');
    const take = dialog.getByRole('button', {
      name: `Take over ${(cells.length - differing.length).toLocaleString('en')} cells`,
    });
    await expect(take).toBeVisible({ timeout: 60_000 });
    await expectAccessible(page);
    await page.screenshot({ path: info.outputPath('taking-over.png') });
    await take.press('Enter');
    await expect(dialog.getByText(/cells taken over$/)).toBeVisible({ timeout: 60_000 });
    await page.keyboard.press('Escape');
    await expect(page.getByText('All changes saved').first()).toBeVisible({ timeout: 60_000 });

    // No figure has changed by it, and a run has it all.
    expect((await asPerson(page, url, 'GET', `${rounds}/agreement`)).text).toBe(before.text);
    const run = (
      await asPerson(page, url, 'POST', '/api/v1/runs', {
        case_uid: 'reading',
        profile_uid: PROFILE,
        round_id,
      })
    ).body;
    const kinds = Map.groupBy(run.frozen.round.settled as Json[], ({ kind }) => kind as string);
    expect([kinds.get('adjudicated')?.length, kinds.get('agreed')?.length]).toEqual([
      differing.length,
      cells.length - differing.length,
    ]);
    expect(run.frozen.round.figures).toEqual(before.body.figures);
    expect(verifyRun(run, testHasher)).toMatchObject({
      content_hash: { ok: true },
      recomputed: { ok: true },
    });

    const signatures = `/api/v1/runs/${run.run_uid}/signatures`;
    for (const [who, person, meaning] of [
      [page, ANN, 'review'],
      [ben, BEN, 'approval'],
    ] as const)
      await asPerson(who, url, 'POST', signatures, {
        content_hash: run.content_hash,
        meaning,
        password: person.password,
      });
    const { data } = (await asPerson(page, url, 'GET', signatures)).body;
    expect(data).toHaveLength(2);
    for (const { statement, minisig, public_key, checks } of data) {
      expect(checks).toMatchObject({ signature: 'valid', content: 'matches' });
      const file = info.outputPath('statement.json');
      await writeFile(file, statement);
      await writeFile(`${file}.minisig`, minisig);
      const told = await promisify(execFile)('minisign', ['-V', '-m', file, '-P', public_key]);
      expect(told.stdout).toContain('Signature and comment signature verified');
    }
    await ben.context().close();
  },
);
