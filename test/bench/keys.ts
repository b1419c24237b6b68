import type { Page } from '@playwright/test';

/**
 * From now on the page notes, for each key, the milliseconds from its event to the frame painted
 * after it.
 */
export async function watchKeys(page: Page): Promise<void> {
  await page.evaluate(() => {
    const times: number[] = [];
    Object.assign(window, { keyTimes: times });
    window.addEventListener(
      'keydown',
      (event) => {
        const began = event.timeStamp;
        requestAnimationFrame(() => {
          const channel = new MessageChannel();
          channel.port1.onmessage = () => times.push(performance.now() - began);
          channel.port2.postMessage(null);
        });
      },
      { capture: true },
    );
  });
}

/** The times noted so far, which are then forgotten. */
export function takeKeyTimes(page: Page): Promise<number[]> {
  return page.evaluate(() => (window as unknown as { keyTimes: number[] }).keyTimes.splice(0));
}
