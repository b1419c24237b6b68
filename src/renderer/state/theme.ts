import { create } from 'zustand';

export type Theme = 'system' | 'light' | 'dark';
const KEY = 'data-theme';

interface ThemeState {
  theme: Theme;
  setTheme: (theme: Theme) => void;
}

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system';
  }
}

/** Without a choice the tokens follow `prefers-color-scheme` by themselves. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export const useTheme = create<ThemeState>()((set) => ({
  theme: stored(),
  setTheme(theme) {
    set({ theme });
    applyTheme(theme);
    try {
      if (theme === 'system') localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, theme);
    } catch {
      // A browser that forbids storage forgets the choice at the next start.
    }
  },
}));
