import path from 'node:path';
import { restoreInto } from '../server/compose.ts';
import type { ElectronLike } from './electron-like.ts';
import { sentenceFor } from './failures.ts';
import { say } from './say.ts';
import type { Studio } from './studio.ts';

/**
 * Lets the person choose a backup, replaces the database by it, and restarts. The old database is
 * kept.
 */
export async function restoreChosenBackup(
  { app, dialog }: Pick<ElectronLike, 'app' | 'dialog'>,
  { composed, close }: Pick<Studio, 'composed' | 'close'>,
): Promise<void> {
  const { folder, deps } = composed;
  const newest = deps.backups()[0];
  const { canceled, filePaths } = await dialog.showOpenDialog({
    title: say('Restore a backup'),
    defaultPath: newest ?? folder,
    filters: [{ name: say('Backups'), extensions: ['sqlite', 'backup'] }],
    properties: ['openFile'],
  });
  const [chosen] = filePaths;
  if (canceled || chosen === undefined) return;
  const { response } = await dialog.showMessageBox({
    type: 'warning',
    message: say('Go back to {name}?', { name: path.basename(chosen) }),
    detail: say(
      'Everything recorded since then leaves the studio. The present database is kept in the folder set-aside. The application starts again.',
    ),
    buttons: [say('Cancel'), say('Restore')],
    defaultId: 0,
    cancelId: 0,
  });
  if (response !== 1) return;
  await close();
  try {
    restoreInto(folder, chosen);
  } catch (error) {
    dialog.showErrorBox(say('Nothing was restored'), sentenceFor(error));
  }
  app.relaunch();
  app.exit(0);
}
