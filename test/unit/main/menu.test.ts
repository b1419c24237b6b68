import type { MenuItemConstructorOptions } from 'electron';
import { afterEach, describe, expect, it } from 'vitest';
import { openLink } from '../../../src/main/links.ts';
import { type MenuCommands, menuTemplate } from '../../../src/main/menu.ts';
import { speakAs } from '../../../src/main/say.ts';
import { EDITOR_COMMANDS } from '../../../src/shared/contract/editor-commands.ts';
import { MENU_ACTIONS } from '../../../src/shared/contract/ipc.ts';
import { createFakeElectron } from './fake-electron.ts';

function setUp(platform: NodeJS.Platform, isPackaged = false) {
  const calls: string[] = [];
  const commands = new Proxy({} as MenuCommands, {
    get: (_target, name) => (argument?: string) =>
      void calls.push([String(name), argument].filter((word) => word !== undefined).join(' ')),
  });
  const flat = (entries: MenuItemConstructorOptions[]): MenuItemConstructorOptions[] =>
    entries.flatMap((entry) => [entry, ...flat(Array.isArray(entry.submenu) ? entry.submenu : [])]);
  const items = flat(
    menuTemplate(commands, {
      platform,
      theme: 'dark',
      isPackaged,
      address: 'API: http://127.0.0.1:4610',
    }),
  );
  return { calls, items, find: (label: string) => items.find((item) => item.label === label) };
}

describe('the menu', () => {
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    it(`${platform}: every command does something, and clipboard commands are Electron's own`, () => {
      const { items, calls } = setUp(platform);
      for (const item of items) {
        if (item.click === undefined) continue;
        const before = calls.length;
        (item.click as () => void)();
        expect([item.label, calls.length - before]).toEqual([item.label, 1]);
      }
      for (const role of ['cut', 'copy', 'paste'])
        expect(items.some((item) => item.role === role)).toBe(true);
      for (const role of ['undo', 'redo'])
        expect(items.some((item) => item.role === role)).toBe(false);
      const roles = items.map((item) => item.role).filter((role) => role !== undefined);
      expect(roles.length).toBeGreaterThan(5);
    });

    it(`${platform}: the keys of the editor stay the page's`, () => {
      const { items, find } = setUp(platform);
      expect(find('Undo')).toMatchObject({
        accelerator: 'CmdOrCtrl+Z',
        registerAccelerator: false,
      });
      expect(find('Redo')).toMatchObject({ registerAccelerator: false });
      const taken = items
        .filter((item) => item.accelerator !== undefined && item.registerAccelerator !== false)
        .map((item) => item.accelerator);
      // Ctrl+D, R, A, F, K, Enter and every single letter mean something in the matrix.
      expect(taken.filter((keys) => /^(CmdOrCtrl\+[DRAFKZY]|.)$/.test(String(keys)))).toEqual([]);
    });
  }

  it('sends only actions of the contract', () => {
    const { items, calls } = setUp('linux');
    for (const item of items) (item.click as (() => void) | undefined)?.();
    const sent = calls.filter((call) => call.startsWith('act ')).map((call) => call.slice(4));
    expect(sent.filter((action) => !(MENU_ACTIONS as readonly string[]).includes(action))).toEqual(
      [],
    );
    expect(sent).toContain('undo');
    expect(calls).toContain('setTheme dark');
  });

  it('offers every command of the editor that it shares with the page, once, and leaves its keys to the page', () => {
    const { items, calls } = setUp('darwin');
    for (const item of items) (item.click as (() => void) | undefined)?.();
    for (const { id, label, chord } of EDITOR_COMMANDS) {
      expect(calls.filter((call) => call === `act ${id}`)).toHaveLength(1);
      const entry = items.find((item) => item.label?.toLowerCase() === label.toLowerCase());
      expect(entry).toMatchObject(
        chord === null
          ? {}
          : { accelerator: chord.replace('Mod', 'CmdOrCtrl'), registerAccelerator: false },
      );
      // On a Mac an accelerator acts wherever the page leaves the key alone, also in a text field.
      expect(String(entry?.accelerator ?? 'F0')).toMatch(
        /^(CmdOrCtrl\+(Shift\+)?[A-Z]|(Shift\+)?F\d+)$/,
      );
    }
  });

  it('E2 has no developer tools in a packaged application', () => {
    expect(setUp('linux', true).items.some((item) => item.role === 'toggleDevTools')).toBe(false);
    expect(setUp('linux', false).items.some((item) => item.role === 'toggleDevTools')).toBe(true);
  });

  it('says where agents reach the studio', () => {
    expect(setUp('linux').find('API: http://127.0.0.1:4610')).toMatchObject({ enabled: false });
  });
});

describe('in German', () => {
  afterEach(() => speakAs('en-GB'));

  it.each(['linux', 'darwin'] as const)(
    '%s: names every entry, Electron’s own as well',
    (platform) => {
      const english = setUp(platform);
      speakAs('de-AT');
      const german = setUp(platform);
      expect(german.find('&Datei')).toBeDefined();
      expect(german.find('Nach unten ausfüllen')).toBeDefined();
      expect(german.items.find(({ role }) => role === 'paste')?.label).toBe('Einfügen');
      expect(german.items.length).toBe(english.items.length);
      const left = german.items.filter(
        ({ label }) => label !== undefined && english.find(label) !== undefined,
      );
      expect(left.map(({ label }) => label)).toEqual([
        ...(platform === 'darwin' ? ['Evidence Studio'] : []),
        'Sync',
        'API: http://127.0.0.1:4610',
      ]);
    },
  );
});

describe('E5 links', () => {
  it('E5 a link is a name; its address is made here, of our own server', async () => {
    const { electron, opened } = createFakeElectron();
    expect(await openLink(electron.shell, 'api-docs', 'http://127.0.0.1:4610')).toBe(true);
    expect(await openLink(electron.shell, 'api-docs', null)).toBe(false);
    expect(opened).toEqual(['http://127.0.0.1:4610/docs']);
  });
});
