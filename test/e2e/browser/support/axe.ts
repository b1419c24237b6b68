import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { IS_LONG } from '../../../support/length.ts';

/**
 * Looks at the page alone: no page here has a frame of another origin, for which it would open a
 * second window for each look. Only what is wrong is told in full, since the place of every element
 * that is right is most of the work.
 */
export const axe = (page: Page): AxeBuilder =>
  new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });

/** The rules that another colour scheme can break. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * What axe finds on the page, or in this part of it, in light and in dark: scheme, rule and
 * elements.
 */
export async function axeFaults(page: Page, part?: string): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const look = (colorScheme === 'light' ? axe : axeOfColours)(page);
    const { violations } = await (part === undefined ? look : look.include(part)).analyze();
    for (const { id, nodes } of violations)
      found.push(`${colorScheme} ${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(', ')}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

/** Looks at a page that was looked at in the other scheme: whole again in the long form. */
export const axeOfColours = (page: Page): AxeBuilder =>
  IS_LONG ? axe(page) : axe(page).withRules(OF_COLOURS);
