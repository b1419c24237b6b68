import { acceptedLanguages, type Language, languageFor } from '../../../shared/lib/languages.ts';
import { type Say, sayFrom } from '../../../shared/lib/say.ts';
import type { RequestContext } from '../../context/request.ts';
import german from './de.json' with { type: 'json' };

/** The language of a page, and how a text is said in it. */
export interface Speech {
  language: Language;
  say: Say;
}

const SPEECHES: Record<Language, Speech> = {
  en: { language: 'en', say: sayFrom({}) },
  de: { language: 'de', say: sayFrom(german) },
};

/** Of a request, what tells the language. */
export interface AskingBrowser {
  req: Pick<RequestContext['req'], 'headers'>;
}

/** In the language that the reader's browser asks for. */
export const speechFor = ({ req }: AskingBrowser): Speech =>
  SPEECHES[languageFor('system', acceptedLanguages(req.headers['accept-language']))];
