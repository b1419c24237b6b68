import { z } from 'zod';
import { languageFor, type Language } from '../../shared/lib/languages.ts';
import { readLanguageChoice } from './language.ts';
import { speak, type Catalogue } from './t.ts';

interface LanguageFile {
  catalogue: Catalogue;
  schemaWords: () => Pick<z.core.$ZodConfig, 'localeError'>;
}

const FILES: Record<Exclude<Language, 'en'>, () => Promise<LanguageFile>> = {
  de: () => import('./de/index.ts'),
};

/** Loads the catalogue of the reader's language. English is said where it cannot be loaded. */
export async function loadTexts(): Promise<void> {
  const language = languageFor(readLanguageChoice(), navigator.languages);
  if (language === 'en') return;
  try {
    const { catalogue, schemaWords } = await FILES[language]();
    speak(language, catalogue);
    z.config(schemaWords());
    document.documentElement.lang = language;
  } catch {
    // The files of the page are not all here; the code itself says English.
  }
}
