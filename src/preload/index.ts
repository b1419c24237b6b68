import { contextBridge, ipcRenderer } from 'electron';
import type {
  Channel,
  Desktop,
  Input,
  MENU_CHANNEL,
  MenuAction,
  Output,
  Reply,
} from '../shared/contract/ipc.ts';
import { MENU_PAGES } from '../shared/contract/page-addresses.ts';

const MENU: typeof MENU_CHANNEL = 'desktop:menu-action';
const listeners = new Set<(action: MenuAction) => void>();

async function call<C extends Channel>(channel: C, input: Input<C>): Promise<Output<C>> {
  const reply: Reply<Output<C>> = await ipcRenderer.invoke(channel, input);
  if (!reply.ok) throw new Error(`The desktop refused: ${reply.code}`);
  return reply.value;
}

/** Used while the page does not listen: addresses, and keys that mean the same in a browser. */
const ADDRESSES: Partial<Record<MenuAction, string>> = MENU_PAGES;
const KEYS: Partial<
  Record<MenuAction, { key: string; code: string; command?: boolean; shiftKey?: boolean }>
> = {
  undo: { key: 'z', code: 'KeyZ', command: true },
  redo: { key: 'Z', code: 'KeyZ', command: true, shiftKey: true },
  help: { key: 'F1', code: 'F1' },
};

function withoutListener(action: MenuAction): void {
  const address = ADDRESSES[action];
  if (address !== undefined) location.assign(address);
  const chord = KEYS[action];
  if (chord === undefined) return;
  const { command = false, ...key } = chord;
  const mac = process.platform === 'darwin';
  (document.activeElement ?? document.body).dispatchEvent(
    new KeyboardEvent('keydown', {
      ...key,
      ctrlKey: command && !mac,
      metaKey: command && mac,
      bubbles: true,
      cancelable: true,
      composed: true,
    }),
  );
}

function isTextField(element: Element | null): boolean {
  return (
    (element instanceof HTMLInputElement &&
      !/^(button|checkbox|color|file|image|radio|range|reset|submit)$/.test(element.type)) ||
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLElement && element.isContentEditable)
  );
}

ipcRenderer.on(MENU, (_event, action: MenuAction) => {
  // Text fields have their own undo, which is Chromium's.
  if ((action === 'undo' || action === 'redo') && isTextField(document.activeElement))
    void call('desktop:edit-text', { command: action });
  else if (listeners.size === 0) withoutListener(action);
  else for (const listener of listeners) listener(action);
});

const desktop: Desktop = {
  platform: process.platform,
  status: () => call('desktop:status', {}),
  openExternal: (link) => call('desktop:open-external', { link }),
  savePdf: () => call('desktop:save-pdf', {}),
  examine: () => call('desktop:examine', {}),
  updates: (act) => call('desktop:updates', { act }),
  onMenuAction(listener) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
contextBridge.exposeInMainWorld('desktop', desktop);
