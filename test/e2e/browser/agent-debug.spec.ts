import { cellAt, createCase, focusedName, openCase, PROFILE, RULES, send, test, uids } from './support/studio.ts';
test('debug', async ({ page, studio }) => {
  const key = await studio.key();
  await createCase(studio, key, 'agent', uids(30).map((item_uid) => ({ item_uid })));
  await studio.signIn(page);
  await openCase(page, studio, 'agent');
  await cellAt(page, 'item_005', RULES[2]).click();
  await page.evaluate(() => {
    const log: string[] = []; (window as any).log = log;
    for (const kind of ['focusin', 'focusout']) document.addEventListener(kind, (e) => log.push(`${Math.round(performance.now())} ${kind} ${(e.target as Element).getAttribute('aria-label') ?? (e.target as Element).className} ${new Error('x').stack?.split('\n').slice(2, 14).map((l) => l.trim().slice(3, 60)).join(' < ')}`), true);
  });
  await send(studio, key, 'POST', 'evidence', { case_uid: 'agent', profile_uid: PROFILE, items: [{ item_uid: 'item_000', position: 0.5, evidence: [] }] });
  await page.getByRole('row', { name: /item_000/ }).waitFor();
  for (let i = 0; i < 5; i++) { console.log(await focusedName(page), await page.locator('.mx-cell[aria-selected=true]').evaluateAll((c) => c.map((e) => e.getAttribute('aria-label')))); await page.waitForTimeout(200); }
  console.log(JSON.stringify(await page.evaluate(() => (window as any).log), null, 1));
});
