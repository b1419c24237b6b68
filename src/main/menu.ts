import type { MenuItemConstructorOptions } from 'electron';
import { EDITOR_COMMANDS, type MenuName } from '../shared/contract/editor-commands.ts';
import type { MenuAction } from '../shared/contract/ipc.ts';
import type { WindowTheme } from './window-state.ts';

/** What the menu can do beside Electron's own roles. */
export interface MenuCommands {
  /** Sends a command to the page of the front window. */
  act(action: MenuAction): void;
  setTheme(theme: WindowTheme): void;
  reload(): void;
  print(): void;
  savePdf(): void;
  restoreBackup(): void;
  openDocs(): void;
  showDataFolder(): void;
  about(): void;
}

export interface MenuState {
  platform: NodeJS.Platform;
  theme: WindowTheme;
  isPackaged: boolean;
  /** The address at which agents reach the studio, in words. */
  address: string;
}

type MenuEntry = MenuItemConstructorOptions;
const LINE: MenuEntry = { type: 'separator' };

/**
 * Keys that the page handles itself, as it does in a browser. The menu shows them and only acts on
 * a click. (On a Mac it also acts on keys that the page leaves alone.)
 */
function page(
  label: string,
  action: MenuAction,
  commands: MenuCommands,
  accelerator?: string,
): MenuEntry {
  return {
    label,
    click: () => commands.act(action),
    ...(accelerator === undefined ? {} : { accelerator, registerAccelerator: false }),
  };
}

const inTitleCase = (words: string): string =>
  words.replace(/(?<![\w’])(?!(?:of|or|the|to|with)\b)[a-z]/g, (letter) => letter.toUpperCase());

/** The editor's commands of one menu, with lines between its sections. */
function editorEntries(menu: MenuName, commands: MenuCommands): MenuEntry[] {
  const own = EDITOR_COMMANDS.filter((command) => command.menu === menu);
  return own.flatMap(({ id, label, section, chord }, index) => [
    ...(index > 0 && own[index - 1]?.section !== section ? [LINE] : []),
    page(inTitleCase(label), id, commands, chord?.replace('Mod', 'CmdOrCtrl')),
  ]);
}

function fileMenu(commands: MenuCommands, mac: boolean): MenuEntry[] {
  return [
    page('New Project…', 'new-project', commands),
    LINE,
    { label: 'Print…', accelerator: 'CmdOrCtrl+P', click: () => commands.print() },
    { label: 'Save Page as PDF…', click: () => commands.savePdf() },
    LINE,
    { label: 'Restore a Backup…', click: () => commands.restoreBackup() },
    LINE,
    { role: mac ? 'close' : 'quit' },
  ];
}

/**
 * Cut, copy and paste are Electron's roles: on a Mac their keys reach a page only through them.
 * Undo goes to the page, which hands it back for text fields.
 */
function editMenu(commands: MenuCommands, mac: boolean): MenuEntry[] {
  return [
    page('Undo', 'undo', commands, 'CmdOrCtrl+Z'),
    page('Redo', 'redo', commands, mac ? 'Cmd+Shift+Z' : 'Ctrl+Y'),
    LINE,
    { role: 'cut' },
    { role: 'copy' },
    { role: 'paste' },
    { role: 'selectAll', registerAccelerator: false },
    LINE,
    ...editorEntries('edit', commands),
  ];
}

function viewMenu(commands: MenuCommands, state: MenuState): MenuEntry[] {
  const themes: [WindowTheme, string][] = [
    ['system', 'As the System'],
    ['light', 'Light'],
    ['dark', 'Dark'],
  ];
  return [
    ...editorEntries('view', commands),
    LINE,
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    {
      role: 'zoomIn',
      accelerator: 'CmdOrCtrl+=',
      visible: false,
      acceleratorWorksWhenHidden: true,
    },
    { role: 'zoomOut' },
    { role: 'togglefullscreen' },
    LINE,
    {
      label: 'Colours',
      submenu: themes.map(([theme, label]): MenuEntry => ({
        label,
        type: 'radio',
        checked: state.theme === theme,
        click: () => commands.setTheme(theme),
      })),
    },
    LINE,
    { label: 'Reload the Page', click: () => commands.reload() },
    ...(state.isPackaged ? [] : [{ role: 'toggleDevTools' } as const]),
  ];
}

function goMenu(commands: MenuCommands): MenuEntry[] {
  return [
    page('Projects', 'go-projects', commands),
    page('Runs', 'go-runs', commands),
    page('Profiles', 'go-profiles', commands),
    page('Sync', 'go-sync', commands),
    page('Account and API Keys', 'go-account', commands),
    LINE,
    ...editorEntries('go', commands),
  ];
}

function helpMenu(commands: MenuCommands, state: MenuState): MenuEntry[] {
  return [
    ...editorEntries('help', commands),
    LINE,
    { label: 'API Documentation', click: () => commands.openDocs() },
    { label: state.address, enabled: false },
    { label: 'Open the Data Folder', click: () => commands.showDataFolder() },
    ...(state.platform === 'darwin'
      ? []
      : [LINE, { label: 'About Evidence Studio', click: () => commands.about() }]),
  ];
}

/** The whole menu, as data. */
export function menuTemplate(commands: MenuCommands, state: MenuState): MenuEntry[] {
  const mac = state.platform === 'darwin';
  const appMenu: MenuEntry[] = [
    { role: 'about' },
    LINE,
    { role: 'services' },
    LINE,
    { role: 'hide' },
    { role: 'hideOthers' },
    { role: 'unhide' },
    LINE,
    { role: 'quit' },
  ];
  return [
    ...(mac ? [{ label: 'Evidence Studio', submenu: appMenu }] : []),
    { label: '&File', submenu: fileMenu(commands, mac) },
    { label: '&Edit', submenu: editMenu(commands, mac) },
    { label: '&View', submenu: viewMenu(commands, state) },
    { label: '&Item', submenu: editorEntries('item', commands) },
    { label: '&Go', submenu: goMenu(commands) },
    ...(mac ? [{ role: 'windowMenu' } as const] : []),
    { role: 'help', label: '&Help', submenu: helpMenu(commands, state) },
  ];
}
