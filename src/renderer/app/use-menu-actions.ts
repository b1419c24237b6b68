import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { EDITOR_COMMAND_IDS, type EditorCommandId } from '../../shared/contract/editor-commands.ts';
import type { MenuAction } from '../../shared/contract/ipc.ts';
import { MENU_PAGES } from '../../shared/contract/page-addresses.ts';
import { openPalette, runCommand } from '../state/commands.ts';
import { getDesktop } from '../state/desktop.ts';
import { useTheme } from '../state/theme.ts';
import { useToast } from '../ui/Toast.tsx';
import { t } from '../text/t.ts';

/** Sent with the address of the projects page, to open its dialog. */
export const CREATE = { create: true } as const;

const ADDRESSES: Partial<Record<MenuAction, string>> = MENU_PAGES;
const THEMES = { 'theme-system': 'system', 'theme-light': 'light', 'theme-dark': 'dark' } as const;

const isEditorCommand = (action: MenuAction): action is EditorCommandId =>
  EDITOR_COMMAND_IDS.some((id) => id === action);

/**
 * Undo is sent as a key press to the element with the focus, so that the editor or any other part
 * with a history of its own handles it.
 */
function pressKey(action: 'undo' | 'redo', platform: string): void {
  const mac = platform === 'darwin';
  const command = { ctrlKey: !mac, metaKey: mac };
  const chord: KeyboardEventInit =
    action === 'undo'
      ? { key: 'z', code: 'KeyZ', ...command }
      : { key: 'Z', code: 'KeyZ', shiftKey: true, ...command };
  (document.activeElement ?? document.body).dispatchEvent(
    new KeyboardEvent('keydown', { ...chord, bubbles: true, cancelable: true, composed: true }),
  );
}

/** Answers the desktop's menu inside the page, without loading it again. */
export function useMenuActions(): void {
  const navigate = useNavigate();
  const setTheme = useTheme((state) => state.setTheme);
  const toast = useToast();
  useEffect(() => {
    const desktop = getDesktop();
    return desktop?.onMenuAction((action) => {
      const address = ADDRESSES[action];
      if (action === 'new-project') void navigate(MENU_PAGES[action], { state: CREATE });
      else if (address !== undefined) void navigate(address);
      else if (action === 'undo' || action === 'redo') pressKey(action, desktop.platform);
      else if (action === 'palette') openPalette();
      else if (isEditorCommand(action)) {
        if (!runCommand(action))
          toast({
            title: t('Not possible here'),
            description: t('Open a case and choose a cell first.'),
          });
      } else setTheme(THEMES[action as keyof typeof THEMES]);
    });
  }, [navigate, setTheme, toast]);
}
