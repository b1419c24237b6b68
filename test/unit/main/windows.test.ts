import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { MenuItemConstructorOptions } from 'electron';
import { describe, expect, it } from 'vitest';
import { createWindows } from '../../../src/main/windows.ts';
import { createFakeElectron, type FakeWindow } from './fake-electron.ts';
import { newFolder, start } from './start.ts';

type Started = Awaited<ReturnType<typeof start>>;

/** Clicks an entry of the menu, whichever submenu has it. */
function choose({ menus }: Started, label: string): void {
  const find = (entries: MenuItemConstructorOptions[]): MenuItemConstructorOptions | undefined =>
    entries
      .flatMap((entry) => [entry, find(Array.isArray(entry.submenu) ? entry.submenu : [])])
      .find((entry) => entry?.label === label);
  const entry = find(menus.at(-1) as MenuItemConstructorOptions[]);
  if (entry === undefined) throw new Error(`The menu has no ${label}.`);
  (entry.click as () => void)();
}
/**
 * The application with a window of a run and one of the same page beside it, which has the focus.
 */
async function startTwo(): Promise<Started & { first: FakeWindow; second: FakeWindow }> {
  const started = await start();
  const [first] = started.windows;
  await first!.loadURL('app://studio/studio/runs');
  choose(started, 'New Window');
  const [, second] = started.windows;
  return { ...started, first: first!, second: second! };
}
function end(window: FakeWindow): void {
  window.emit('close');
  window.destroyed = true;
  window.emit('closed');
}
const stateOf = ({ folder }: Started): unknown =>
  JSON.parse(readFileSync(path.join(folder, 'window.json'), 'utf8'));

describe('a second window', () => {
  it('opens on the page of the first, a little aside, with the same preferences', async () => {
    const { first, second, windows } = await startTwo();
    expect(windows).toHaveLength(2);
    expect(second.options).toMatchObject({ x: 40, y: 50, width: 900, height: 700 });
    expect(second.options.webPreferences).toEqual(first.options.webPreferences);
    expect(second.calls).toContain('load app://studio/studio/runs');
  });

  it('may ask the desktop as the first may, and no longer once it is closed', async () => {
    const { first, second, ipc } = await startTwo();
    const ask = ({ webContents }: FakeWindow): Promise<unknown> =>
      ipc.get('desktop:status')!({ sender: webContents, senderFrame: webContents.mainFrame }, {});
    expect([await ask(first), await ask(second)]).toMatchObject([{ ok: true }, { ok: true }]);
    end(second);
    expect([await ask(first), await ask(second)]).toMatchObject([
      { ok: true },
      { ok: false, code: 'not_allowed' },
    ]);
  });

  it('takes the commands of the menu while it has the focus; colours are for both', async () => {
    const started = await startTwo();
    const { first, second, app } = started;
    const sent = (): number[] =>
      [first, second].map(({ webContents }) => webContents.sent.splice(0).length);
    choose(started, 'Runs');
    expect(sent()).toEqual([0, 1]);
    first.emit('focus');
    choose(started, 'Runs');
    choose(started, 'Reload the Page');
    expect(sent()).toEqual([1, 0]);
    expect([first.webContents.calls, second.webContents.calls]).toEqual([['reload'], []]);
    choose(started, 'Dark');
    expect(sent()).toEqual([1, 1]);
    // Another start of the application, and a link, come to the one with the focus.
    app.emit('second-instance', {}, ['evidence-studio://cases/c'], '/');
    expect([first, second].map(({ calls }) => calls.at(-1))).toEqual([
      'load app://studio/studio/cases/c',
      'load app://studio/studio/runs',
    ]);
  });

  it('when it closes, the first is the one that is asked, remembered and shown', async () => {
    const started = await startTwo();
    const { first, second, app, windows, log } = started;
    end(second);
    expect(log).not.toContain('quit');
    app.emit('activate');
    expect(first.calls.slice(-2)).toEqual(['show', 'focus']);
    await first.loadURL('app://studio/studio/profiles');
    await started.quit();
    expect(stateOf(started)).toMatchObject({ page: '/studio/profiles' });
    expect(windows).toHaveLength(2);
  });

  it('is left with the first, and keeps the application where its page still stores', async () => {
    const { electron, windows: made } = createFakeElectron();
    const windows = createWindows(electron, {
      dialog: electron.dialog,
      dataFolder: newFolder(),
      preload: '',
      elapsed: () => 0,
      log: () => undefined,
      quit: () => undefined,
    });
    windows.show();
    windows.openAnother();
    const [first, second] = made as [FakeWindow, FakeWindow];
    const left = windows.leave();
    expect(made.map(({ calls }) => calls.at(-1))).toEqual(['close', 'close']);
    end(first);
    // As often as a page may ask for a moment more, and once more.
    for (let asked = 0; asked <= 50; asked += 1)
      second.webContents.emit('will-prevent-unload', { preventDefault: () => undefined });
    expect(await left).toBe(false);
    expect(windows.current()).toBe(second);
    const again = windows.leave();
    end(second);
    expect(await again).toBe(true);
    expect(windows.current()).toBe(undefined);
  });
});
