import path from 'node:path';
import type { AppLike, DownloadItemLike, SessionLike, WebContentsLike } from './electron-like.ts';
import { isOurBlob, isStudioPage } from './origin.ts';

interface Preventable {
  preventDefault(): void;
}
/** Newer events carry the address themselves, older ones hand it over beside. */
type Navigation = Preventable & { url?: string };

/** No web contents, of whatever kind, goes anywhere but to our own pages, opens a window or attaches a webview. */
export function denyNavigation(app: Pick<AppLike, 'on'>): void {
  app.on('web-contents-created', (_event: unknown, contents: WebContentsLike) => {
    for (const name of ['will-navigate', 'will-frame-navigate', 'will-redirect']) {
      contents.on(name, (event: Navigation, url?: string) => {
        if (!isStudioPage(event.url ?? url ?? '')) event.preventDefault();
      });
    }
    contents.on('will-attach-webview', (event: Preventable) => event.preventDefault());
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  });
}

/** The one permission a page gets: writing plain text to the clipboard, for the button that copies a key. */
const ALLOWED: ReadonlySet<string> = new Set(['clipboard-sanitized-write']);

/** Kinds of files the exports make. */
const EXPORTS: ReadonlySet<string> = new Set(['.csv', '.html', '.json', '.md', '.pdf', '.png', '.svg', '.tsv', '.txt', '.xlsx']);

/** Without handlers Electron approves every permission. */
export function denyPermissions(session: SessionLike): void {
  session.setPermissionRequestHandler((_contents, permission, callback) => callback(ALLOWED.has(permission)));
  session.setPermissionCheckHandler((_contents, permission) => ALLOWED.has(permission));
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, callback) => callback(null));
  session.setBluetoothPairingHandler((_details, callback) => callback({ confirmed: false }));
  session.setUSBProtectedClassesHandler(({ protectedClasses }) => protectedClasses);
  session.setSpellCheckerEnabled(false);
  session.on('select-serial-port', (event: Preventable, _ports: unknown, _contents: unknown, callback: (port: string) => void) => {
    event.preventDefault();
    callback('');
  });
  session.on('will-download', (event: Preventable, item: DownloadItemLike) => {
    const name = item.getFilename();
    // An export is a blob that our own page made; the person says where it goes.
    if (!isOurBlob(item.getURL()) || !EXPORTS.has(path.extname(name).toLowerCase())) event.preventDefault();
    else item.setSaveDialogOptions({ title: 'Save the export', defaultPath: name });
  });
}
