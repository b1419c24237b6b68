import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/**
 * Looks at the page alone: no page here has a frame of another origin, for which it would open a
 * second window for each look. Only what is wrong is told in full, since the place of every element
 * that is right is most of the work.
 */
export const axe = (page: Page): AxeBuilder =>
  new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });
