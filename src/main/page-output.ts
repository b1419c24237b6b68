import { writeFile } from 'node:fs/promises';
import type { ElectronLike, WebContentsLike } from './electron-like.ts';
import { say } from './say.ts';

/** A file name from a page's title, without characters that have a meaning to a file system. */
function fileName(title: string): string {
  const plain = title
    .replaceAll(/[^\p{L}\p{N} ._-]+/gu, ' ')
    .trim()
    .replaceAll(/^\.+|\.+$/g, '')
    .slice(0, 80)
    .trim();
  return `${plain === '' ? 'Evidence Studio' : plain}.pdf`;
}

/**
 * Saves the page as it would print, as a PDF where the person chooses; false where they chose
 * nothing.
 */
export async function savePdf(
  contents: WebContentsLike,
  dialog: ElectronLike['dialog'],
): Promise<boolean> {
  const { canceled, filePath } = await dialog.showSaveDialog({
    title: say('Save the page as PDF'),
    defaultPath: fileName(contents.getTitle()),
    filters: [{ name: 'PDF', extensions: ['pdf'] }],
  });
  if (canceled || filePath === '') return false;
  await writeFile(
    filePath,
    await contents.printToPDF({
      printBackground: true,
      preferCSSPageSize: true,
      generateDocumentOutline: true,
      // Read aloud, headings and tables are what they are.
      generateTaggedPDF: true,
    }),
  );
  return true;
}
