import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { IS_LONG } from '../../../support/length.ts';

const BOTH = ['light', 'dark'] as const;
type Scheme = (typeof BOTH)[number];

/** Rows that are built like those above them. */
const ROWS_ALIKE = ['.ag-row:nth-child(n+7)', 'tbody > tr:nth-child(n+7)'];
/** Base UI's ends of a focus trap: hidden, and left at once. */
const GUARDS = '[data-base-ui-focus-guard]';
/** The rules that another colour scheme can break. */
export const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * Looks at the page alone: no page here has a frame of another origin, for which it would open a
 * second window for each look. Only what is wrong is told in full, since the place of every element
 * that is right is most of the work. In CI the first rows of a table stand for all.
 */
export function axe(page: Page): AxeBuilder {
  const look = new AxeBuilder({ page })
    .setLegacyMode(true)
    .exclude(GUARDS)
    .options({
      resultTypes: ['violations'],
      ...(IS_LONG && { rules: { 'target-size': { enabled: true } } }),
    });
  if (!IS_LONG) for (const rows of ROWS_ALIKE) look.exclude(rows);
  return look;
}

interface Looks {
  schemes?: readonly Scheme[];
  /** In CI without the rules of colours, which take longer than all others. */
  withoutColours?: boolean;
}

/**
 * What axe finds on the page, or in this part of it: scheme, rule and elements. In CI the second
 * scheme is looked at for its colours alone.
 */
export async function axeFaults(
  page: Page,
  part?: string,
  { schemes = BOTH, withoutColours = false }: Looks = {},
): Promise<string[]> {
  const found: string[] = [];
  for (const scheme of schemes) {
    await page.emulateMedia({ colorScheme: scheme });
    const look = axe(page);
    if (!IS_LONG && scheme === 'dark') look.withRules(OF_COLOURS);
    else if (!IS_LONG && withoutColours) look.disableRules(OF_COLOURS);
    const { violations } = await (part === undefined ? look : look.include(part)).analyze();
    for (const { id, nodes } of violations)
      found.push(
        `${scheme} ${id}: ${nodes.map(({ target, html }) => `${target.join(' ')} ${html.slice(0, 200)}`).join(', ')}`,
      );
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

/**
 * In the long form fails where axe finds something on the page or in this part of it: in CI
 * `screens` and `main-job-axe` look at the pages, `matrix-harness` at the editor.
 */
export async function expectAccessible(page: Page, part?: string): Promise<void> {
  if (IS_LONG) expect(await axeFaults(page, part), page.url()).toEqual([]);
}
