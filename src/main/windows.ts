import path from 'node:path';
import { MENU_CHANNEL, type MenuAction } from '../shared/contract/ipc.ts';
import { type CrashPorts, watchPage } from './crashes.ts';
import type { ElectronLike, WindowLike } from './electron-like.ts';
import { createWindow, focusWindow, leadTo } from './window.ts';
import {
  pageOf,
  readWindowState,
  type WindowState,
  type WindowTheme,
  writeWindowState,
} from './window-state.ts';

export interface WindowsPorts extends CrashPorts {
  dataFolder: string;
  preload: string;
}

/** The application's windows. The first is where and as large as the last one was. */
export interface Windows {
  /** Brings the window that had the focus last to the front, or opens the first. */
  show(): void;
  /** Opens one more, on the page of the window that had the focus last. */
  openAnother(): void;
  /** The window that had the focus last. */
  current(): WindowLike | undefined;
  /** Leads it to a page; one that is still storing edits goes once they are stored. */
  goTo(page: string): void;
  /** Closes every window; false if a page still stores edits after ten seconds, and stays open. */
  leave(): Promise<boolean>;
  /** Saves size, position and page of the window that had the focus last. */
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
/** How far a window opens from the one before, so that both are seen. Pixels. */
const ASIDE = 30;

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

interface Opened {
  window: WindowLike;
  leave(): Promise<boolean>;
}

/** How the windows look and where they are, kept in a file. */
function rememberIn(file: string, electron: ElectronLike) {
  let state = readWindowState(
    file,
    electron.screen.getAllDisplays().map((display) => display.workArea),
  );
  const set = (changed: Partial<WindowState>): void => {
    state = { ...state, ...changed };
    writeWindowState(file, state);
  };
  return {
    state: () => state,
    setTheme: (theme: WindowTheme) => set({ theme }),
    save(window: WindowLike) {
      const { x, y, width, height } = window.getNormalBounds();
      set({
        bounds: { x, y, width, height },
        maximized: window.isMaximized(),
        page: pageOf(window.webContents.getURL()),
      });
    },
  };
}

/** Beside where a window is, in its size. */
const aside = ({ bounds: { x = 0, y = 0, ...size }, ...rest }: WindowState): WindowState => ({
  ...rest,
  bounds: { x: x + ASIDE, y: y + ASIDE, ...size },
  maximized: false,
});

export function createWindows(electron: ElectronLike, ports: WindowsPorts): Windows {
  const { state, setTheme, save } = rememberIn(
    path.join(ports.dataFolder, 'window.json'),
    electron,
  );
  /** In the order in which they had the focus. */
  let opened: Opened[] = [];
  electron.nativeTheme.themeSource = state().theme;

  const present = (): Opened[] => opened.filter(({ window }) => !window.isDestroyed());
  const current = (): WindowLike | undefined => present().at(-1)?.window;
  const open = (as: WindowState): void => {
    const window = createWindow(electron, { preload: ports.preload, state: as });
    const one = { window, ...closeWhenStored(window) };
    opened.push(one);
    window.on('focus', () => (opened = [...opened.filter((other) => other !== one), one]));
    window.on('close', () => save(window));
    window.on('closed', () => (opened = opened.filter((other) => other !== one)));
    whenSettled(window, save);
    // Also where no close event comes, as with a restart from the menu or the end of the power.
    for (const name of ['did-navigate', 'did-navigate-in-page'])
      window.webContents.on(name, () => save(window));
    // When Windows ends the session there is no before-quit event.
    window.on('session-end', () => ports.quit());
    watchPage(window, ports);
  };
  const withCurrent = (act: (window: WindowLike) => void, otherwise?: () => void): void => {
    const window = current();
    if (window === undefined) otherwise?.();
    else act(window);
  };
  return {
    show: () => withCurrent(focusWindow, () => open(state())),
    openAnother() {
      withCurrent(save);
      open(current() === undefined ? state() : aside(state()));
    },
    current,
    goTo: (page) =>
      withCurrent((window) => leadTo(window, page, { everyMs: AGAIN_MS, tries: TRIES })),
    leave: async () => (await Promise.all(present().map(({ leave }) => leave()))).every(Boolean),
    save: () => withCurrent(save),
    isOurs: (id) => present().some(({ window }) => window.webContents.id === id),
    act: (action) => withCurrent(({ webContents }) => webContents.send(MENU_CHANNEL, action)),
    theme: () => state().theme,
    setTheme(theme) {
      electron.nativeTheme.themeSource = theme;
      setTheme(theme);
      for (const { window } of present())
        window.webContents.send(MENU_CHANNEL, `theme-${theme}` satisfies MenuAction);
    },
  };
}
