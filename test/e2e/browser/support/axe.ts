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

async function faultsIn(
  page: Page,
  part: string | undefined,
  colorScheme: Scheme,
  choose: (look: AxeBuilder) => AxeBuilder,
): Promise<string[]> {
  await page.emulateMedia({ colorScheme });
  const look = choose(axe(page));
  const { violations } = await (part === undefined ? look : look.include(part)).analyze();
  await page.emulateMedia({ colorScheme: 'light' });
  return violations.map(
    ({ id, nodes }) =>
      `${colorScheme} ${id}: ${nodes.map(({ target, html }) => `${target.join(' ')} ${html.slice(0, 200)}`).join(', ')}`,
  );
}

const everyRule = (look: AxeBuilder): AxeBuilder => look;

/**
 * What axe finds on the page, or in this part of it: scheme, rule and elements. In CI the second
 * scheme is looked at for its colours alone.
 */
export async function axeFaults(
  page: Page,
  part?: string,
  schemes: readonly Scheme[] = BOTH,
): Promise<string[]> {
  const ofDark = (look: AxeBuilder): AxeBuilder => (IS_LONG ? look : look.withRules(OF_COLOURS));
  const found: string[] = [];
  for (const scheme of schemes)
    found.push(...(await faultsIn(page, part, scheme, scheme === 'dark' ? ofDark : everyRule)));
  return found;
}

/**
 * Fails where axe finds something on the page or in this part of it. In CI not by the rules of
 * colours, which take longer than all others: the pages' colours are the matter of
 * `main-job-axe.spec.ts`, the editor's of its own specs.
 */
export async function expectAccessible(page: Page, part?: string): Promise<void> {
  const found = IS_LONG
    ? await axeFaults(page, part)
    : await faultsIn(page, part, 'light', (look) => look.disableRules(OF_COLOURS));
  expect(found, page.url()).toEqual([]);
}
