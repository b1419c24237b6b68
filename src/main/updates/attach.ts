import path from 'node:path';
import type { UpdateAct } from '../../shared/contract/ipc.ts';
import type { UpdateStatus } from '../../shared/contract/updates.ts';
import type { ElectronLike } from '../electron-like.ts';
import { systemFetch } from '../network.ts';
import { say } from '../say.ts';
import type { Windows } from '../windows.ts';
import { readSource } from './feed.ts';
import { markStarted } from './put-back.ts';
import { ownProgram, updatedBy, Updates } from './updates.ts';

export interface AttachPorts {
  dataFolder: string;
  platform: NodeJS.Platform;
  built: string;
  resources: string;
  log(facts: Record<string, unknown>, message: string): void;
  windows: Pick<Windows, 'leave'>;
}

/** Where this program looks: what its package brings; in development what the environment names. */
function sourceOf(isPackaged: boolean, built: string): ReturnType<typeof readSource> {
  const file = isPackaged ? path.join(built, '../../updates.json') : process.env.UPDATES_FOR_CHECKS;
  return file === undefined || file === '' ? undefined : readSource(file);
}

/** The updates of this desktop. Nothing is asked of anybody until the person switches them on. */
export function attachUpdates(
  electron: ElectronLike,
  { built, dataFolder, log, platform, resources, windows }: AttachPorts,
): Updates {
  const { app, dialog } = electron;
  const source = sourceOf(app.isPackaged, built);
  const program = ownProgram(process.env);
  const version = app.getVersion();
  const fetch = systemFetch(electron);
  const updates: Updates = new Updates({
    dataFolder,
    version,
    platform,
    arch: process.arch,
    source,
    by: updatedBy({ platform, resources, program, hasSource: source !== undefined }),
    fetch,
    updater: async ({ url }) =>
      (await import('./updater.ts')).createUpdater({
        dataFolder,
        version,
        platform,
        program,
        url,
        fetch,
        quit: () => app.quit(),
        whenReady: () => app.whenReady(),
      }),
    now: () => Date.now(),
    log,
    onReady: (newer) => void offer(dialog, newer, updates),
    leave: async () => {
      const left = await windows.leave();
      if (left) app.quit();
      return left;
    },
  });
  return updates;
}

async function offer(
  dialog: ElectronLike['dialog'],
  version: string,
  updates: Updates,
): Promise<void> {
  const { response } = await dialog.showMessageBox({
    type: 'info',
    message: say('Evidence Studio {version} can be installed.', { version }),
    detail: [
      say(
        'It was downloaded and is signed by the publisher. The studio stores what is recorded, ends and starts again.',
      ),
      ...(updates.status().puts_back
        ? [say('If the new version does not start, this one is put back.')]
        : []),
    ].join(' '),
    buttons: [say('Later'), say('Restart and Install')],
    defaultId: 0,
    cancelId: 0,
  });
  if (response === 1) await updates.install();
}

export function actOn(updates: Updates, act: UpdateAct): UpdateStatus | Promise<UpdateStatus> {
  if (act === 'on' || act === 'off') return updates.setOn(act === 'on');
  if (act === 'status') return updates.status();
  return act === 'look' ? updates.look() : updates.install();
}

/** What the person should know of updates at a start. */
export function noticesOf({ failed }: Updates): string[] {
  return failed === undefined
    ? []
    : [
        say(
          'Version {version} did not start on this computer, so this one was put back. Nothing that was recorded is lost.',
          { version: failed },
        ),
      ];
}

/** Notes that this version works once it has shown a page. */
export function markWhenShown(windows: Pick<Windows, 'current'>, dataFolder: string): void {
  windows.current()?.webContents.on('did-finish-load', () => markStarted(dataFolder));
}
