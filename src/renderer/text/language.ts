import { isLanguage, type LanguageChoice } from '../../shared/lib/languages.ts';

const KEY = 'data-language';

export function readLanguageChoice(): LanguageChoice {
  try {
    const value = localStorage.getItem(KEY);
    return isLanguage(value) ? value : 'system';
  } catch {
    return 'system';
  }
}

/** Texts are made as a page loads, so the page has to be loaded again. */
export function keepLanguageChoice(choice: LanguageChoice): void {
  try {
    if (choice === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, choice);
  } catch {
    // A browser that forbids storage forgets the choice at the next start.
  }
}
