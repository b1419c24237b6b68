import { type Language, languageFor } from '../shared/lib/languages.ts';
import { type Say, sayFrom } from '../shared/lib/say.ts';
import german from './de.json' with { type: 'json' };

let language: Language = 'en';
let speech: Say = sayFrom({});

/** The system's language, once Electron knows it. Dialogs before that are in English. */
export function speakAs(locale: string): void {
  language = languageFor('system', [locale]);
  speech = sayFrom(language === 'de' ? german : {});
}

/** What the menu and the dialogs of the system say. */
export const say: Say = (message, values) => speech(message, values);

export const spokenLanguage = (): Language => language;
