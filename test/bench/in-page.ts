import type { Page } from '@playwright/test';

/** What measuring code in the page offers: it is put there before the page's own code runs. */
export interface Bench {
  /**
   * Milliseconds from `from` (default: now) until `ready` holds and the frame after it is painted.
   */
  painted(ready: () => boolean, from?: number): Promise<number>;
  /**
   * Scrolls an element by so many pixels each frame; frames a second and the longest frame in ms.
   */
  scroll(element: Element, step: number, frames: number): Promise<{ fps: number; longest: number }>;
  /** For each key from now on, the milliseconds from its event to the frame painted after it. */
  keys: number[];
  watchKeys(): void;
  /** The longest task since it was last asked, in ms. */
  longestTask(): number;
}
declare global {
  interface Window {
    bench: Bench;
  }
}

export async function installBench(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const afterPaint = (): Promise<number> =>
      new Promise((resolve) => {
        requestAnimationFrame(() => {
          const channel = new MessageChannel();
          channel.port1.onmessage = () => resolve(performance.now());
          channel.port2.postMessage(null);
        });
      });
    const tasks: number[] = [];
    new PerformanceObserver((list) =>
      tasks.push(...list.getEntries().map((entry) => entry.duration)),
    ).observe({ type: 'longtask' });
    const bench: Bench = {
      keys: [],
      painted: (ready, from = performance.now()) =>
        new Promise((resolve, reject) => {
          const look = (): void => {
            if (performance.now() - from > 60_000)
              reject(new Error(`Not painted within a minute: ${String(ready)}`));
            else if (ready()) void afterPaint().then((at) => resolve(at - from));
            else requestAnimationFrame(look);
          };
          look();
        }),
      scroll: (element, step, frames) =>
        new Promise((resolve) => {
          const times: number[] = [];
          let left = frames;
          const next = (at: number): void => {
            times.push(at);
            if (left === 0) {
              const spans = times.slice(1).map((time, index) => time - times[index]!);
              resolve({
                fps: (1_000 * spans.length) / (times.at(-1)! - times[0]!),
                longest: Math.max(...spans),
              });
              return;
            }
            left -= 1;
            element.scrollBy(0, step);
            requestAnimationFrame(next);
          };
          requestAnimationFrame(next);
        }),
      watchKeys: () => {
        bench.keys = [];
        window.addEventListener(
          'keydown',
          (event) => void afterPaint().then((at) => bench.keys.push(at - event.timeStamp)),
          { capture: true },
        );
      },
      longestTask: () => Math.max(0, ...tasks.splice(0)),
    };
    window.bench = bench;
  });
}

/** Live bytes of the page after a collection: objects and what typed arrays hold. */
export async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const usage = (await session.send('Runtime.getHeapUsage')) as {
    usedSize: number;
    backingStorageSize?: number;
  };
  await session.detach();
  return usage.usedSize + (usage.backingStorageSize ?? 0);
}
