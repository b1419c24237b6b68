import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { IS_LONG } from '../../../support/length.ts';

const BOTH = ['light', 'dark'] as const;
type Scheme = (typeof BOTH)[number];

/** Rows that are built like those above them. */
const ROWS_ALIKE = ['.ag-row:nth-child(n+7)', 'tbody > tr:nth-child(n+7)'];
/** The rules that another colour scheme can break. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * Looks at the page alone: no page here has a frame of another origin, for which it would open a
 * second window for each look. Only what is wrong is told in full, since the place of every element
 * that is right is most of the work. In CI the first rows of a table stand for all.
 */
export function axe(page: Page): AxeBuilder {
  const look = new AxeBuilder({ page })
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'] });
  if (!IS_LONG) for (const rows of ROWS_ALIKE) look.exclude(rows);
  return look;
}

/**
 * What axe finds on the page, or in this part of it: scheme, rule and elements. In CI the second
 * scheme is looked at for its colours alone.
 */
export async function axeFaults(
  page: Page,
  part?: string,
  schemes: readonly Scheme[] = BOTH,
): Promise<string[]> {
  const found: string[] = [];
  for (const [index, colorScheme] of schemes.entries()) {
    await page.emulateMedia({ colorScheme });
    const look = axe(page);
    if (index > 0 && !IS_LONG) look.withRules(OF_COLOURS);
    const { violations } = await (part === undefined ? look : look.include(part)).analyze();
    for (const { id, nodes } of violations)
      found.push(
        `${colorScheme} ${id}: ${nodes.map(({ target, html }) => `${target.join(' ')} ${html.slice(0, 200)}`).join(', ')}`,
      );
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

/**
 * Fails where axe finds something on the page or in this part of it. In CI in light: a page's
 * colours in dark are the matter of `main-job-axe.spec.ts`, the editor's of its own specs.
 */
export async function expectAccessible(page: Page, part?: string): Promise<void> {
  const found = await axeFaults(page, part, IS_LONG ? BOTH : ['light']);
  expect(found, page.url()).toEqual([]);
}
