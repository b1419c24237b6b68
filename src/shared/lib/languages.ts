/** The languages that people are spoken to in. The code says English. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];
/** Each in itself, for whoever cannot read the one that is set. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };
/** `system`: the first of the reader's languages that there is. */
export type LanguageChoice = Language | 'system';

export const isLanguage = (value: string | null): value is Language =>
  LANGUAGES.some((language) => language === value);

/** `wished`: language tags as a browser lists them, the dearest first. */
export function languageFor(choice: LanguageChoice, wished: readonly string[]): Language {
  if (choice !== 'system') return choice;
  return wished.map((tag) => tag.split('-')[0]!.toLowerCase()).find(isLanguage) ?? 'en';
}

const WEIGHT = /^q=([01](?:\.\d{0,3})?)$/;

/** The language tags of an Accept-Language header, the dearest first. */
export function acceptedLanguages(header: string | undefined): string[] {
  return (header ?? '')
    .split(',')
    .map((entry) => {
      const [tag = '', ...more] = entry.split(';').map((part) => part.trim());
      const weight = more
        .map((part) => WEIGHT.exec(part)?.[1])
        .find((found) => found !== undefined);
      return { tag, weight: Number(weight ?? 1) };
    })
    .filter(({ tag, weight }) => /^[A-Za-z]{2,8}(?:-[A-Za-z\d]{1,8})*$/.test(tag) && weight > 0)
    .sort((left, right) => right.weight - left.weight)
    .map(({ tag }) => tag);
}
