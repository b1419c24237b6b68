import type {
  MenuItemConstructorOptions,
  OpenDialogOptions,
  Rectangle,
  SaveDialogOptions,
} from 'electron';

/**
 * The parts of Electron that this application uses, as interfaces: the composition root passes the
 * real module, tests pass a fake. Listeners are loosely typed on purpose, since what they receive
 * is checked where it is used.
 */

export interface Preventable {
  preventDefault(): void;
}
export interface FrameLike {
  readonly origin: string;
  readonly url: string;
}

export interface WebContentsLike {
  readonly id: number;
  readonly mainFrame: FrameLike;
  readonly session: SessionLike;
  getURL(): string;
  on<A extends unknown[]>(event: string, listener: (...args: A) => void): unknown;
  setWindowOpenHandler(handler: (details: { url: string }) => { action: 'deny' }): void;
  send(channel: string, ...args: unknown[]): void;
  reload(): void;
  undo(): void;
  redo(): void;
  print(): void;
  printToPDF(options: Record<string, unknown>): Promise<Uint8Array>;
  getTitle(): string;
  isDestroyed(): boolean;
}

export interface WindowLike {
  readonly webContents: WebContentsLike;
  on<A extends unknown[]>(event: string, listener: (...args: A) => void): unknown;
  once<A extends unknown[]>(event: string, listener: (...args: A) => void): unknown;
  loadURL(url: string): Promise<void>;
  show(): void;
  focus(): void;
  restore(): void;
  maximize(): void;
  close(): void;
  isMinimized(): boolean;
  isMaximized(): boolean;
  isDestroyed(): boolean;
  getNormalBounds(): Rectangle;
}

export interface DownloadItemLike {
  getURL(): string;
  getFilename(): string;
  setSaveDialogOptions(options: SaveDialogOptions): void;
}

export interface SessionLike {
  setPermissionRequestHandler(
    handler: (contents: unknown, permission: string, callback: (granted: boolean) => void) => void,
  ): void;
  setPermissionCheckHandler(handler: (contents: unknown, permission: string) => boolean): void;
  setDevicePermissionHandler(handler: () => boolean): void;
  setDisplayMediaRequestHandler(
    handler: (request: unknown, callback: (streams: null) => void) => void,
  ): void;
  setBluetoothPairingHandler(
    handler: (details: unknown, callback: (response: { confirmed: boolean }) => void) => void,
  ): void;
  setUSBProtectedClassesHandler(
    handler: (details: { protectedClasses: string[] }) => string[],
  ): void;
  setSpellCheckerEnabled(enable: boolean): void;
  setSpellCheckerLanguages(languages: string[]): void;
  fetch(input: string, init?: RequestInit): Promise<Response>;
  on<A extends unknown[]>(event: string, listener: (...args: A) => void): unknown;
}

export interface AppLike {
  readonly isPackaged: boolean;
  readonly commandLine: {
    appendSwitch(name: string, value?: string): void;
    hasSwitch(name: string): boolean;
  };
  on<A extends unknown[]>(event: string, listener: (...args: A) => void): unknown;
  whenReady(): Promise<unknown>;
  quit(): void;
  exit(code?: number): void;
  relaunch(): void;
  requestSingleInstanceLock(): boolean;
  enableSandbox(): void;
  setPath(name: string, path: string): void;
  getVersion(): string;
  /** The system's language, once the application is ready. */
  getLocale(): string;
  setAboutPanelOptions(options: Record<string, unknown>): void;
  showAboutPanel(): void;
}

export interface ProtocolLike {
  registerSchemesAsPrivileged(
    schemes: { scheme: string; privileges: Record<string, boolean> }[],
  ): void;
  handle(scheme: string, handler: (request: Request) => Response | Promise<Response>): void;
}

export interface IpcEventLike {
  readonly sender: WebContentsLike;
  readonly senderFrame: FrameLike | null;
}

export interface MessageBox {
  type: 'info' | 'warning' | 'error' | 'question';
  message: string;
  detail?: string;
  buttons?: string[];
  defaultId?: number;
  cancelId?: number;
}

/** The async members exist from Electron 43 on; the others are their predecessors. */
export interface SafeStorageLike {
  isEncryptionAvailable(): boolean;
  encryptString(text: string): Buffer;
  decryptString(sealed: Buffer): string;
  getSelectedStorageBackend?(): string;
  isAsyncEncryptionAvailable?(): Promise<boolean>;
  encryptStringAsync?(text: string): Promise<Buffer>;
  decryptStringAsync?(sealed: Buffer): Promise<{ result: string; shouldReEncrypt: boolean }>;
}

export interface ElectronLike {
  app: AppLike;
  BrowserWindow: new (options: Record<string, unknown>) => WindowLike;
  Menu: {
    buildFromTemplate(template: MenuItemConstructorOptions[]): unknown;
    setApplicationMenu(menu: never): void;
  };
  dialog: {
    showMessageBox(options: MessageBox): Promise<{ response: number }>;
    showErrorBox(title: string, content: string): void;
    showOpenDialog(options: OpenDialogOptions): Promise<{ canceled: boolean; filePaths: string[] }>;
    showSaveDialog(options: SaveDialogOptions): Promise<{ canceled: boolean; filePath: string }>;
  };
  ipcMain: {
    handle(
      channel: string,
      listener: (event: IpcEventLike, ...args: unknown[]) => Promise<unknown>,
    ): void;
  };
  nativeTheme: {
    themeSource: 'system' | 'light' | 'dark';
    readonly shouldUseDarkColors: boolean;
  };
  protocol: ProtocolLike;
  safeStorage: SafeStorageLike;
  screen: { getAllDisplays(): { workArea: Rectangle }[] };
  session: {
    readonly defaultSession: SessionLike;
    fromPartition(partition: string, options: { cache: boolean }): SessionLike;
  };
  shell: { openExternal(url: string): Promise<void>; openPath(path: string): Promise<string> };
}
