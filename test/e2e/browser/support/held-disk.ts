import type { Page } from '@playwright/test';

interface Held {
  letGo?: () => void;
}

/** A transaction that is kept open holds up every other, as a disk that is busy does. */
export const holdDisk = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.open('evidence-studio');
        request.addEventListener('error', () => reject(request.error ?? new Error('not opened')));
        request.addEventListener('success', () => {
          const database = request.result;
          const store = database
            .transaction([...database.objectStoreNames], 'readwrite')
            .objectStore('meta');
          let held = true;
          const hold = (): void => {
            if (held) store.get('hlc').addEventListener('success', hold);
            else database.close();
          };
          hold();
          (window as Held).letGo = () => {
            held = false;
          };
          resolve();
        });
      }),
  );

export const letGoOfDisk = (page: Page): Promise<void> =>
  page.evaluate(() => (window as Held).letGo?.());
