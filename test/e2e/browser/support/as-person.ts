import { expect, type Page } from '@playwright/test';
import type { Json } from '../../../support/json.ts';

/** A request of the person who is signed in at a page. */
export async function asPerson(
  page: Page,
  url: string,
  method: string,
  path: string,
  data?: object,
): Promise<{ body: Json; text: string }> {
  const answer = await page.context().request.fetch(url + path, {
    method,
    headers: { origin: url },
    ...(data !== undefined && { data }),
  });
  const text = await answer.text();
  expect(answer.status(), `${method} ${path}: ${text}`).toBeLessThan(300);
  return { body: JSON.parse(text), text };
}
