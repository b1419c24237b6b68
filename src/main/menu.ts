import type { MenuItemConstructorOptions } from 'electron';
import { EDITOR_COMMANDS, type MenuName } from '../shared/contract/editor-commands.ts';
import type { MenuAction } from '../shared/contract/ipc.ts';
import { say, spokenLanguage } from './say.ts';
import type { WindowTheme } from './window-state.ts';

/** What the menu can do beside Electron's own roles. */
export interface MenuCommands {
  /** Sends a command to the page of the front window. */
  act(action: MenuAction): void;
  openWindow(): void;
  setTheme(theme: WindowTheme): void;
  reload(): void;
  print(): void;
  savePdf(): void;
  restoreBackup(): void;
  openManual(): void;
  openDocs(): void;
  showDataFolder(): void;
  about(): void;
  openLicences(): void;
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

/** Electron names what it does itself in English. */
function own(label: string, role: NonNullable<MenuEntry['role']>): MenuEntry {
  return spokenLanguage() === 'en' ? { role } : { role, label: say(label) };
}

const inTitleCase = (words: string): string =>
  words.replace(/(?<![\w’])(?!(?:of|or|the|to|with)\b)[a-z]/g, (letter) => letter.toUpperCase());

/** The editor's commands of one menu, with lines between its sections. */
function editorEntries(menu: MenuName, commands: MenuCommands): MenuEntry[] {
  const listed = EDITOR_COMMANDS.filter((command) => command.menu === menu);
  return listed.flatMap(({ id, label, section, chord }, index) => [
    ...(index > 0 && listed[index - 1]?.section !== section ? [LINE] : []),
    page(
      spokenLanguage() === 'en' ? inTitleCase(label) : say(label),
      id,
      commands,
      chord?.replace('Mod', 'CmdOrCtrl'),
    ),
  ]);
}

function fileMenu(commands: MenuCommands, mac: boolean): MenuEntry[] {
  return [
    page(say('New Project…'), 'new-project', commands),
    {
      label: say('New Window'),
      accelerator: 'CmdOrCtrl+N',
      click: () => commands.openWindow(),
    },
    LINE,
    { label: say('Print…'), accelerator: 'CmdOrCtrl+P', click: () => commands.print() },
    { label: say('Save Page as PDF…'), click: () => commands.savePdf() },
    LINE,
    { label: say('Restore a Backup…'), click: () => commands.restoreBackup() },
    LINE,
    own('Close Window', 'close'),
    ...(mac ? [] : [own('Quit', 'quit')]),
  ];
}

/**
 * Cut, copy and paste are Electron's roles: on a Mac their keys reach a page only through them.
 * Undo goes to the page, which hands it back for text fields.
 */
function editMenu(commands: MenuCommands, mac: boolean): MenuEntry[] {
  return [
    page(say('Undo'), 'undo', commands, 'CmdOrCtrl+Z'),
    page(say('Redo'), 'redo', commands, mac ? 'Cmd+Shift+Z' : 'Ctrl+Y'),
    LINE,
    own('Cut', 'cut'),
    own('Copy', 'copy'),
    own('Paste', 'paste'),
    { ...own('Select All', 'selectAll'), registerAccelerator: false },
    LINE,
    ...editorEntries('edit', commands),
  ];
}

function viewMenu(commands: MenuCommands, state: MenuState): MenuEntry[] {
  const themes: [WindowTheme, string][] = [
    ['system', say('As the System')],
    ['light', say('Light')],
    ['dark', say('Dark')],
  ];
  return [
    ...editorEntries('view', commands),
    LINE,
    own('Actual Size', 'resetZoom'),
    own('Zoom In', 'zoomIn'),
    {
      role: 'zoomIn',
      accelerator: 'CmdOrCtrl+=',
      visible: false,
      acceleratorWorksWhenHidden: true,
    },
    own('Zoom Out', 'zoomOut'),
    own('Toggle Full Screen', 'togglefullscreen'),
    LINE,
    {
      label: say('Colours'),
      submenu: themes.map(([theme, label]): MenuEntry => ({
        label,
        type: 'radio',
        checked: state.theme === theme,
        click: () => commands.setTheme(theme),
      })),
    },
    LINE,
    { label: say('Reload the Page'), click: () => commands.reload() },
    ...(state.isPackaged ? [] : [{ role: 'toggleDevTools' } as const]),
  ];
}

function goMenu(commands: MenuCommands): MenuEntry[] {
  return [
    page(say('Projects'), 'go-projects', commands),
    page(say('Runs'), 'go-runs', commands),
    page(say('Profiles'), 'go-profiles', commands),
    page(say('Sync'), 'go-sync', commands),
    page(say('Account and API Keys'), 'go-account', commands),
    LINE,
    ...editorEntries('go', commands),
  ];
}

function helpMenu(commands: MenuCommands, state: MenuState): MenuEntry[] {
  return [
    ...editorEntries('help', commands),
    LINE,
    { label: say('Manual'), click: () => commands.openManual() },
    { label: say('API Documentation'), click: () => commands.openDocs() },
    { label: state.address, enabled: false },
    { label: say('Open the Data Folder'), click: () => commands.showDataFolder() },
    ...(state.isPackaged ? [{ label: say('Licences'), click: () => commands.openLicences() }] : []),
    ...(state.platform === 'darwin'
      ? []
      : [LINE, { label: say('About Evidence Studio'), click: () => commands.about() }]),
  ];
}

/** The whole menu, as data. */
export function menuTemplate(commands: MenuCommands, state: MenuState): MenuEntry[] {
  const mac = state.platform === 'darwin';
  const appMenu: MenuEntry[] = [
    own('About Evidence Studio', 'about'),
    LINE,
    own('Services', 'services'),
    LINE,
    own('Hide Evidence Studio', 'hide'),
    own('Hide Others', 'hideOthers'),
    own('Show All', 'unhide'),
    LINE,
    own('Quit', 'quit'),
  ];
  return [
    ...(mac ? [{ label: 'Evidence Studio', submenu: appMenu }] : []),
    { label: say('&File'), submenu: fileMenu(commands, mac) },
    { label: say('&Edit'), submenu: editMenu(commands, mac) },
    { label: say('&View'), submenu: viewMenu(commands, state) },
    { label: say('&Item'), submenu: editorEntries('item', commands) },
    { label: say('&Go'), submenu: goMenu(commands) },
    ...(mac ? [own('Window', 'windowMenu')] : []),
    { role: 'help', label: say('&Help'), submenu: helpMenu(commands, state) },
  ];
}
