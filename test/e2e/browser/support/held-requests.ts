import type { Page, Route } from '@playwright/test';

/** Keeps what is asked under an address waiting, by this method or any, until it is let through. */
export async function holdRequests(page: Page, address: string, method?: string) {
  const waiting: Route[] = [];
  let isHeld = true;
  await page.route(address, async (route) => {
    if (method !== undefined && route.request().method() !== method) await route.fallback();
    else if (isHeld) waiting.push(route);
    else await route.continue();
  });
  return {
    waits: () => waiting.length,
    /** Ends once the answer is there. */
    letOneThrough: async (): Promise<void> => {
      const [route] = waiting.splice(0, 1);
      if (route === undefined) throw new Error(`nothing waits at ${address}`);
      const request = route.request();
      const answered = page.waitForResponse((response) => response.request() === request);
      await route.continue();
      await answered;
    },
    hold: (): void => {
      isHeld = true;
    },
    end: async (): Promise<void> => {
      isHeld = false;
      await Promise.all(waiting.splice(0).map((route) => route.continue()));
    },
  };
}
