import path from 'node:path';
import { MENU_CHANNEL, type MenuAction } from '../shared/contract/ipc.ts';
import { type CrashPorts, watchPage } from './crashes.ts';
import type { ElectronLike, WindowLike } from './electron-like.ts';
import { createWindow, focusWindow, leadTo } from './window.ts';
import { pageOf, readWindowState, type WindowTheme, writeWindowState } from './window-state.ts';

export interface WindowsPorts extends CrashPorts {
  dataFolder: string;
  preload: string;
}

/** The application's window: one at a time, where and as large as it was. */
export interface Windows {
  /** Opens it, or brings it to the front. */
  show(): void;
  current(): WindowLike | undefined;
  /** Leads the window to a page; one that is still storing edits goes once they are stored. */
  goTo(page: string): void;
  /** Closes the window; false if its page still stores edits after ten seconds, and stays open. */
  leave(): Promise<boolean>;
  /** Saves size and position. */
  save(): void;
  isOurs(webContentsId: number): boolean;
  act(action: MenuAction): void;
  theme(): WindowTheme;
  setTheme(theme: WindowTheme): void;
}

/**
 * A page that is still storing edits asks to wait; closing is then tried again this often (ms), for
 * ten seconds.
 */
const AGAIN_MS = 200;
const TRIES = 50;
/** A window that has not moved for so long is where it stays. */
const SETTLED_MS = 1_000;

/**
 * Tries again to close a window whose page asked to wait; otherwise the person would have to close
 * it twice. `leave` closes it too, but not against a page that keeps asking: false then.
 */
export function closeWhenStored(window: WindowLike): { leave(): Promise<boolean> } {
  let closing = false;
  let tries = 0;
  let stay: (() => void) | undefined;
  window.on('close', () => (closing = true));
  window.webContents.on('will-prevent-unload', (event: { preventDefault(): void }) => {
    tries += 1;
    if (tries > TRIES && stay !== undefined) stay();
    else if (tries > TRIES) event.preventDefault();
    else if (closing) setTimeout(() => window.isDestroyed() || window.close(), AGAIN_MS);
  });
  return {
    leave: () =>
      new Promise((resolve) => {
        tries = 0;
        stay = () => {
          [closing, tries, stay] = [false, 0, undefined];
          resolve(false);
        };
        window.once('closed', () => resolve(true));
        window.close();
      }),
  };
}

function whenSettled(window: WindowLike, save: (shown: WindowLike) => void): void {
  let settling: NodeJS.Timeout | undefined;
  for (const name of ['move', 'resize'])
    window.on(name, () => {
      clearTimeout(settling);
      settling = setTimeout(() => window.isDestroyed() || save(window), SETTLED_MS);
    });
}

export function createWindows(electron: ElectronLike, ports: WindowsPorts): Windows {
  const file = path.join(ports.dataFolder, 'window.json');
  let state = readWindowState(
    file,
    electron.screen.getAllDisplays().map((display) => display.workArea),
  );
  let window: WindowLike | undefined;
  let leave = (): Promise<boolean> => Promise.resolve(true);
  electron.nativeTheme.themeSource = state.theme;

  const current = (): WindowLike | undefined =>
    window?.isDestroyed() === false ? window : undefined;
  const save = (shown: WindowLike): void => {
    const { x, y, width, height } = shown.getNormalBounds();
    state = {
      ...state,
      bounds: { x, y, width, height },
      maximized: shown.isMaximized(),
      page: pageOf(shown.webContents.getURL()),
    };
    writeWindowState(file, state);
  };
  const open = (): WindowLike => {
    const opened = createWindow(electron, { preload: ports.preload, state });
    opened.on('close', () => save(opened));
    whenSettled(opened, save);
    // Also where no close event comes, as with a restart from the menu or the end of the power.
    for (const name of ['did-navigate', 'did-navigate-in-page'])
      opened.webContents.on(name, () => save(opened));
    ({ leave } = closeWhenStored(opened));
    // When Windows ends the session there is no before-quit event.
    opened.on('session-end', () => ports.quit());
    watchPage(opened, ports);
    return opened;
  };
  return {
    show() {
      const present = current();
      if (present === undefined) window = open();
      else focusWindow(present);
    },
    current,
    goTo(page) {
      const present = current();
      if (present !== undefined) leadTo(present, page, { everyMs: AGAIN_MS, tries: TRIES });
    },
    leave: () => (current() === undefined ? Promise.resolve(true) : leave()),
    save() {
      const present = current();
      if (present !== undefined) save(present);
    },
    isOurs: (webContentsId) => current()?.webContents.id === webContentsId,
    act: (action) => current()?.webContents.send(MENU_CHANNEL, action),
    theme: () => state.theme,
    setTheme(theme) {
      electron.nativeTheme.themeSource = theme;
      state = { ...state, theme };
      writeWindowState(file, state);
      current()?.webContents.send(MENU_CHANNEL, `theme-${theme}` satisfies MenuAction);
    },
  };
}
