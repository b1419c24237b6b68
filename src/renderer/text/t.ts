/**
 * What the pages say. A message is written in English where it is said, in the syntax of ICU
 * MessageFormat, and looked up in the catalogue of the reader's language by that English text.
 */
import { IntlMessageFormat } from 'intl-messageformat';
import type { Language } from '../../shared/lib/languages.ts';

export type Catalogue = Readonly<Record<string, string>>;

type Values = Readonly<Record<string, string | number | Date>>;

const LOCALES: Record<Language, string> = { en: 'en-GB', de: 'de-DE' };

let language: Language = 'en';
let catalogue: Catalogue = {};
const made = new Map<string, IntlMessageFormat>();

/** Before anything says a word: texts that are constants of a module are made once. */
export function speak(of: Language, messages: Catalogue): void {
  language = of;
  catalogue = messages;
  made.clear();
}

/** For numbers and dates: `en-GB`. */
export const locale = (): string => LOCALES[language];

export const spokenLanguage = (): Language => language;

/** A heading or a label within a sentence: a German noun keeps its capital. */
export const inSentence = (words: string): string =>
  language === 'de' ? words : words.toLowerCase();

/** The message in the reader's language, ready to take its values. */
export function formatOf(message: string): IntlMessageFormat {
  let format = made.get(message);
  if (format === undefined) {
    format = new IntlMessageFormat(catalogue[message] ?? message, locale());
    made.set(message, format);
  }
  return format;
}

/** A message without values is plain text: braces and apostrophes stand for themselves. */
export function t(message: string, values?: Values): string {
  if (values === undefined) return catalogue[message] ?? message;
  return String(formatOf(message).format<string>(values));
}

/** A word that is translated in more than one way: `tAs('verb', 'Run')`. */
export function tAs(meaning: string, message: string, values?: Values): string {
  const key = `${message} [${meaning}]`;
  if (catalogue[key] !== undefined) return t(key, values);
  return t(message, values);
}

/** Texts of other rooms that hold values, as the catalogue has them. */
const TEMPLATES = [
  'Must have at most {most} characters.',
  'Has {rows} rows for {items} items.',
  'Does not agree with {place}.',
  'Not JSON: {code}.',
  'There is no author {author} in the list.',
  'Must name an author for each of the {count} recorded cells of the run.',
].map((message) => ({
  message,
  pattern: new RegExp(
    `^${message.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>.+)')}$`,
    's',
  ),
}));

/** A text that other rooms made, in English; the catalogue has it under `shared`. */
export function tOf(text: string): string {
  const translated = catalogue[text];
  if (translated !== undefined || language === 'en') return translated ?? text;
  for (const { message, pattern } of TEMPLATES) {
    const values = pattern.exec(text)?.groups;
    if (values !== undefined) return t(message, values);
  }
  return text;
}
