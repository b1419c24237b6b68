import { EventEmitter } from 'node:events';
import type {
  ElectronLike,
  FrameLike,
  IpcEventLike,
  MessageBox,
  SessionLike,
  WebContentsLike,
  WindowLike,
} from '../../../src/main/electron-like.ts';

type Handlers = Record<string, (...args: never[]) => unknown>;

export class FakeSession extends EventEmitter implements SessionLike {
  handlers: Handlers = {};
  spellchecker = true;
  languages = ['en-US'];
  setPermissionRequestHandler(
    handler: Parameters<SessionLike['setPermissionRequestHandler']>[0],
  ): void {
    this.handlers.request = handler;
  }
  setPermissionCheckHandler(
    handler: Parameters<SessionLike['setPermissionCheckHandler']>[0],
  ): void {
    this.handlers.check = handler;
  }
  setDevicePermissionHandler(handler: () => boolean): void {
    this.handlers.device = handler;
  }
  setDisplayMediaRequestHandler(
    handler: Parameters<SessionLike['setDisplayMediaRequestHandler']>[0],
  ): void {
    this.handlers.display = handler;
  }
  setBluetoothPairingHandler(
    handler: Parameters<SessionLike['setBluetoothPairingHandler']>[0],
  ): void {
    this.handlers.bluetooth = handler;
  }
  setUSBProtectedClassesHandler(
    handler: Parameters<SessionLike['setUSBProtectedClassesHandler']>[0],
  ): void {
    this.handlers.usb = handler;
  }
  setSpellCheckerEnabled(enable: boolean): void {
    this.spellchecker = enable;
  }
  setSpellCheckerLanguages(languages: string[]): void {
    this.languages = languages;
  }
  fetch(input: string, init?: RequestInit): Promise<Response> {
    return fetch(input, init);
  }
}

export class FakeContents extends EventEmitter implements WebContentsLike {
  static next = 1;
  readonly id = FakeContents.next++;
  readonly session = new FakeSession();
  mainFrame: FrameLike = { origin: 'app://studio', url: 'app://studio/studio' };
  windowOpen: ((details: { url: string }) => { action: string }) | undefined;
  calls: string[] = [];
  sent: unknown[][] = [];
  setWindowOpenHandler(handler: (details: { url: string }) => { action: 'deny' }): void {
    this.windowOpen = handler;
  }
  send(...args: unknown[]): void {
    this.sent.push(args);
  }
  reload(): void {
    this.calls.push('reload');
  }
  undo(): void {
    this.calls.push('undo');
  }
  redo(): void {
    this.calls.push('redo');
  }
  print(): void {
    this.calls.push('print');
  }
  async printToPDF(): Promise<Uint8Array> {
    return new Uint8Array([37, 80, 68, 70]);
  }
  getTitle(): string {
    return 'Case ../../etc "x"';
  }
  getURL(): string {
    return this.mainFrame.url;
  }
  isDestroyed(): boolean {
    return false;
  }
}

export class FakeWindow extends EventEmitter implements WindowLike {
  readonly webContents = new FakeContents();
  calls: string[] = [];
  destroyed = false;
  minimized = false;
  options: Record<string, unknown>;
  constructor(options: Record<string, unknown>) {
    super();
    this.options = options;
  }
  async loadURL(url: string): Promise<void> {
    this.calls.push(`load ${url}`);
    this.webContents.mainFrame = { origin: 'app://studio', url };
  }
  show(): void {
    this.calls.push('show');
  }
  focus(): void {
    this.calls.push('focus');
  }
  restore(): void {
    this.calls.push('restore');
  }
  maximize(): void {
    this.calls.push('maximize');
  }
  close(): void {
    this.calls.push('close');
  }
  isMinimized(): boolean {
    return this.minimized;
  }
  isMaximized(): boolean {
    return false;
  }
  isDestroyed(): boolean {
    return this.destroyed;
  }
  getNormalBounds() {
    return { x: 10, y: 20, width: 900, height: 700 };
  }
}

export interface FakeOptions {
  lock?: boolean;
  packaged?: boolean;
  /** Answers of message boxes, in turn: the index of a button. */
  answers?: number[];
  /** Chromium switches of the command line. */
  switches?: string[];
  /** The system's colours are dark. */
  dark?: boolean;
}

/**
 * Enough of Electron to run the application without one. `log` holds the calls whose order matters.
 */
export function createFakeElectron({
  lock = true,
  packaged = false,
  answers = [],
  switches = [],
  dark = false,
}: FakeOptions = {}) {
  const log: string[] = [];
  const windows: FakeWindow[] = [];
  const ipc = new Map<string, (event: IpcEventLike, ...args: unknown[]) => Promise<unknown>>();
  const schemes: { scheme: string; privileges: Record<string, boolean> }[] = [];
  const protocols = new Map<string, (request: Request) => Response | Promise<Response>>();
  const boxes: MessageBox[] = [];
  const errors: string[] = [];
  const opened: string[] = [];
  const menus: unknown[] = [];
  const session = new FakeSession();
  const appEvents = new EventEmitter();
  const app = Object.assign(appEvents, {
    isPackaged: packaged,
    commandLine: {
      appendSwitch: (name: string) => void log.push(`switch ${name}`),
      hasSwitch: (name: string) => switches.includes(name),
    },
    whenReady: async () => void log.push('ready'),
    quit: () => void log.push('quit'),
    exit: (code = 0) => void log.push(`exit ${code}`),
    relaunch: () => void log.push('relaunch'),
    requestSingleInstanceLock: () => (log.push('lock'), lock),
    enableSandbox: () => void log.push('sandbox'),
    setPath: (name: string) => void log.push(`path ${name}`),
    getVersion: () => '0.1.0',
    getLocale: () => 'en-GB',
    setAboutPanelOptions: () => undefined,
    showAboutPanel: () => undefined,
  });
  const electron: ElectronLike = {
    app,
    BrowserWindow: class extends FakeWindow {
      constructor(options: Record<string, unknown>) {
        super(options);
        windows.push(this);
        log.push('window');
        app.emit('web-contents-created', {}, this.webContents);
      }
    },
    Menu: {
      buildFromTemplate: (template) => template,
      setApplicationMenu: (menu) => void menus.push(menu),
    },
    dialog: {
      showMessageBox: async (options) => (boxes.push(options), { response: answers.shift() ?? 0 }),
      showErrorBox: (_title, content) => void errors.push(content),
      showOpenDialog: async () => ({ canceled: true, filePaths: [] }),
      showSaveDialog: async () => ({ canceled: true, filePath: '' }),
    },
    ipcMain: { handle: (channel, listener) => void ipc.set(channel, listener) },
    nativeTheme: { themeSource: 'system', shouldUseDarkColors: dark },
    protocol: {
      registerSchemesAsPrivileged: (list) => (log.push('scheme'), void schemes.push(...list)),
      handle: (scheme, handler) => void protocols.set(scheme, handler),
    },
    safeStorage: {
      isEncryptionAvailable: () => false,
      encryptString: (text) => Buffer.from(text),
      decryptString: (sealed) => sealed.toString(),
    },
    screen: { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }] },
    session: { defaultSession: session, fromPartition: () => new FakeSession() },
    shell: { openExternal: async (url) => void opened.push(url), openPath: async () => '' },
  };
  return {
    electron,
    app,
    log,
    windows,
    ipc,
    schemes,
    protocols,
    boxes,
    errors,
    opened,
    session,
    menus,
  };
}
