import type { Page } from '@playwright/test';

/** Pastes a text where the focus is, as the browser's own key does. */
export async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((words) => {
    const clipboard = new DataTransfer();
    clipboard.setData('text/plain', words);
    document.activeElement!.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: clipboard, bubbles: true, cancelable: true }),
    );
  }, text);
}
