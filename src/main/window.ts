import type { ElectronLike, WindowLike } from './electron-like.ts';
import { ORIGIN, START_PAGE } from './origin.ts';
import type { WindowState } from './window-state.ts';

/** Security settings of every page of this application. */
export const WEB_PREFERENCES = Object.freeze({
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webviewTag: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  navigateOnDragDrop: false,
  spellcheck: false,
});

/** `--bg` of the pages (src/renderer/ui/tokens.css). */
export const BACKGROUND = { light: '#f5f6f6', dark: '#0f1213' } as const;

export interface WindowPorts {
  preload: string;
  state: WindowState;
}

/** The one place that makes a window. It is shown when its first page has been painted. */
export function createWindow(
  electron: Pick<ElectronLike, 'BrowserWindow' | 'app' | 'nativeTheme'>,
  { preload, state }: WindowPorts,
): WindowLike {
  const window = new electron.BrowserWindow({
    ...state.bounds,
    minWidth: 640,
    minHeight: 480,
    show: false,
    title: 'Evidence Studio',
    // What is seen until the page is drawn: its own background.
    backgroundColor: electron.nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light,
    webPreferences: { ...WEB_PREFERENCES, devTools: !electron.app.isPackaged, preload },
  });
  window.once('ready-to-show', () => {
    if (state.maximized) window.maximize();
    window.show();
  });
  // If an address fails to load, Chromium shows its own error page and the crash handler offers to
  // reload.
  window.loadURL(ORIGIN + (state.page ?? START_PAGE)).catch(() => undefined);
  return window;
}

/** Brings a window back to the person. */
export function focusWindow(window: WindowLike): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

/** Leads a window to a page of ours. One that is still storing edits goes once they are stored. */
export function leadTo(
  window: WindowLike,
  page: string,
  again: { everyMs: number; tries: number },
): void {
  const address = ORIGIN + page;
  if (window.isDestroyed() || window.webContents.getURL() === address) return;
  window.loadURL(address).catch(() => {
    const { everyMs, tries } = again;
    if (tries > 0) setTimeout(() => leadTo(window, page, { everyMs, tries: tries - 1 }), everyMs);
  });
}
