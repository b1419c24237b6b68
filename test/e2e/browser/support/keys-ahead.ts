import type { Page } from '@playwright/test';

/** What is open and where the next key goes; which entry of a menu depends on how fast one types. */
export const whereKeysGo = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const focus = document.activeElement;
    const name = focus?.getAttribute('aria-label') ?? focus?.getAttribute('name') ?? '';
    return [
      ...[...document.querySelectorAll('[role=dialog], [role=alertdialog], [role=menu]')].map(
        (open) => open.getAttribute('aria-label') ?? open.querySelector('h2')?.textContent ?? '',
      ),
      focus?.closest('[role=menu]') === null
        ? `${focus.tagName} ${name.replace(/^_r_.*/, '')}`
        : 'a menu',
    ];
  });

/** So long, and then until what was drawn is on the screen. */
export const waitFrames = (page: Page, milliseconds: number): Promise<void> =>
  page.evaluate(
    (wait) =>
      new Promise<void>((resolve) => {
        setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => resolve())), wait);
      }),
    milliseconds,
  );
