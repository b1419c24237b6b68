import path from 'node:path';
import type {
  AppLike,
  DownloadItemLike,
  Preventable,
  SessionLike,
  WebContentsLike,
} from './electron-like.ts';
import { isOurBlob, isOurPage } from './origin.ts';

/**
 * Newer versions of Electron put the address into the event, older ones pass it as a second
 * argument.
 */
type Navigation = Preventable & { url?: string };

/**
 * Keeps every web contents on our own pages: it may not navigate to others, open a window or attach
 * a webview.
 */
export function denyNavigation(app: Pick<AppLike, 'on'>): void {
  app.on('web-contents-created', (_event: unknown, contents: WebContentsLike) => {
    for (const name of ['will-navigate', 'will-frame-navigate', 'will-redirect']) {
      contents.on(name, (event: Navigation, url?: string) => {
        if (!isOurPage(event.url ?? url ?? '')) event.preventDefault();
      });
    }
    contents.on('will-attach-webview', (event: Preventable) => event.preventDefault());
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  });
}

/**
 * The one permission that a page gets: writing plain text to the clipboard, for the button that
 * copies a key.
 */
const ALLOWED: ReadonlySet<string> = new Set(['clipboard-sanitized-write']);

/** Kinds of files that exports produce. */
const EXPORTS: ReadonlySet<string> = new Set([
  '.csv',
  '.html',
  '.json',
  '.md',
  '.pdf',
  '.png',
  '.svg',
  '.tsv',
  '.txt',
  '.xlsx',
]);

/**
 * Chromium asks its maker for the dictionaries of a session's languages, even where the spelling
 * checker is off.
 */
export function refuseDictionaries(session: SessionLike): void {
  session.setSpellCheckerEnabled(false);
  session.setSpellCheckerLanguages([]);
}

/** Answers permission requests. Without handlers Electron would grant every permission. */
export function denyPermissions(session: SessionLike): void {
  session.setPermissionRequestHandler((_contents, permission, callback) =>
    callback(ALLOWED.has(permission)),
  );
  session.setPermissionCheckHandler((_contents, permission) => ALLOWED.has(permission));
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, callback) => callback(null));
  session.setBluetoothPairingHandler((_details, callback) => callback({ confirmed: false }));
  session.setUSBProtectedClassesHandler(({ protectedClasses }) => protectedClasses);
  refuseDictionaries(session);
  session.on(
    'select-serial-port',
    (event: Preventable, _ports: unknown, _contents: unknown, callback: (port: string) => void) => {
      event.preventDefault();
      callback('');
    },
  );
  session.on('will-download', (event: Preventable, item: DownloadItemLike) => {
    const name = item.getFilename();
    // An export is a blob that our own page made; the person chooses where it is saved.
    if (!isOurBlob(item.getURL()) || !EXPORTS.has(path.extname(name).toLowerCase()))
      event.preventDefault();
    else item.setSaveDialogOptions({ title: 'Save the export', defaultPath: name });
  });
}
