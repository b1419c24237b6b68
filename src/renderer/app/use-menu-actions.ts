import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import type { MenuAction } from '../../shared/contract/ipc.ts';
import { getDesktop } from '../state/desktop.ts';
import { useTheme } from '../state/theme.ts';

/** Sent with the address of the projects page, to open its dialog. */
export const CREATE = { create: true } as const;

const ADDRESSES: Partial<Record<MenuAction, string>> = { 'go-projects': '/studio', 'go-runs': '/studio/runs', 'go-profiles': '/studio/profiles', 'go-account': '/account' };
const THEMES = { 'theme-system': 'system', 'theme-light': 'light', 'theme-dark': 'dark' } as const;

/** The page's commands have keys of their own: the menu presses them where the focus is. */
function pressKey(action: 'undo' | 'redo' | 'shortcuts', platform: string): void {
  const mac = platform === 'darwin';
  const command = { ctrlKey: !mac, metaKey: mac };
  const chord: KeyboardEventInit = action === 'undo' ? { key: 'z', code: 'KeyZ', ...command } : action === 'redo' ? { key: 'Z', code: 'KeyZ', shiftKey: true, ...command } : { key: '?', code: 'Slash', shiftKey: true };
  (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', { ...chord, bubbles: true, cancelable: true, composed: true }));
}

/** Answers the desktop's menu inside the page, without loading it anew. */
export function useMenuActions(): void {
  const navigate = useNavigate();
  const setTheme = useTheme((state) => state.setTheme);
  useEffect(() => {
    const desktop = getDesktop();
    return desktop?.onMenuAction((action) => {
      const address = ADDRESSES[action];
      if (address !== undefined) void navigate(address);
      else if (action === 'new-project') void navigate('/studio', { state: CREATE });
      else if (action === 'undo' || action === 'redo' || action === 'shortcuts') pressKey(action, desktop.platform);
      else setTheme(THEMES[action as keyof typeof THEMES]);
    });
  }, [navigate, setTheme]);
}
