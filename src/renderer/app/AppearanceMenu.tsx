import { LANGUAGE_NAMES, LANGUAGES, type LanguageChoice } from '../../shared/lib/languages.ts';
import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import type { SyncOverview } from '../data/sync/sync-overview.ts';
import { useServices } from '../state/services.tsx';
import { useTheme, type Theme } from '../state/theme.ts';
import { keepLanguageChoice, readLanguageChoice } from '../text/language.ts';
import { t } from '../text/t.ts';
import { Menu, MenuChoice } from '../ui/Menu.tsx';

const THEMES: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: t('As the system') },
  { value: 'light', label: t('Light') },
  { value: 'dark', label: t('Dark') },
];
const ICONS: Record<Theme, typeof Sun> = { system: Monitor, light: Sun, dark: Moon };

const CHOICES: readonly { value: LanguageChoice; label: string }[] = [
  { value: 'system', label: t('As the system') },
  ...LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] })),
];

/** Once everything that was recorded in this window is on its disk. */
function whenStored(overview: Pick<SyncOverview, 'totals' | 'subscribe'>): Promise<void> {
  return new Promise((resolve) => {
    const leave = overview.subscribe(() => look());
    const look = (): void => {
      if (overview.totals.storing > 0) return;
      leave();
      resolve();
    };
    look();
  });
}

export function AppearanceMenu() {
  const { overview } = useServices();
  const { theme, setTheme } = useTheme();
  const [language, setLanguage] = useState(readLanguageChoice);
  const choose = (choice: LanguageChoice): void => {
    setLanguage(choice);
    keepLanguageChoice(choice);
    void whenStored(overview).then(() => window.location.reload());
  };
  const Icon = ICONS[theme];
  return (
    <Menu label={t('Appearance and language')} trigger={<Icon size={16} aria-hidden="true" />}>
      <MenuChoice label={t('Appearance')} value={theme} onValue={setTheme} options={THEMES} />
      <MenuChoice label={t('Language')} value={language} onValue={choose} options={CHOICES} />
    </Menu>
  );
}
