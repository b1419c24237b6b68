import type { RawOutcome } from './outcome.ts';

export interface WordReading {
  state: RawOutcome;
  /**
   * Whose spreadsheet writes the word so; null: a word of every locale, which needs no second look.
   */
  language: string | null;
}

const EVERYWHERE: Readonly<Record<string, RawOutcome>> = {
  TRUE: 'TRUE',
  T: 'TRUE',
  FALSE: 'FALSE',
  F: 'FALSE',
  NA: 'NA',
  'N/A': 'NA',
  '#N/A': 'NA',
};

/**
 * What Excel and Calc write for TRUE, FALSE and #N/A under other locales (booleans: Calc 7.4's
 * locale data; where Excel differs, both).
 */
const LOCALISED: readonly (readonly [
  language: string,
  yes: readonly string[],
  no: readonly string[],
  missing: readonly string[],
])[] = [
  ['Basque', ['EGIAZKOA'], ['FALTSUA'], []],
  ['Bulgarian', ['ВЯРНО'], ['НЕВЯРНО'], []],
  ['Catalan', ['CERT', 'VERITAT'], ['FALS'], []],
  ['Croatian', ['TOČNO'], ['NETOČNO'], []],
  ['Czech or Slovak', ['PRAVDA'], ['NEPRAVDA'], ['#NENÍ_K_DISPOZICI']],
  ['Danish', ['SAND'], ['FALSK'], ['#I/T']],
  ['Dutch', ['WAAR'], ['ONWAAR'], ['#N/B']],
  ['Estonian', ['TÕENE'], ['VÄÄR'], []],
  ['Finnish', ['TOSI'], ['EPÄTOSI'], ['#PUUTTUU!', '#PUUTTUU']],
  ['French', ['VRAI'], ['FAUX'], []],
  ['German', ['WAHR'], ['FALSCH'], ['#NV']],
  ['Greek', ['ΑΛΗΘΗΣ', 'ΣΩΣΤΌ'], ['ΨΕΥΔΗΣ', 'ΛΆΘΟΣ'], ['#Δ/Υ']],
  ['Hungarian', ['IGAZ'], ['HAMIS'], ['#HIÁNYZIK']],
  ['Icelandic', ['RÉTT'], ['RANGT'], []],
  ['Italian', ['VERO'], ['FALSO'], ['#N/D']],
  ['Korean', ['참'], ['거짓'], []],
  ['Latvian', ['PATIESS'], ['APLAMS'], []],
  ['Lithuanian', ['TEISINGAI'], ['NETEISINGAI'], []],
  ['Norwegian', ['SANN'], ['USANN'], []],
  ['Polish', ['PRAWDA'], ['FAŁSZ'], ['#N/D!']],
  ['Portuguese', ['VERDADEIRO'], ['FALSO'], ['#N/D']],
  ['Romanian', ['ADEVĂRAT'], ['FALS'], []],
  ['Russian', ['ИСТИНА'], ['ЛОЖЬ'], ['#Н/Д']],
  ['Serbian', ['TAČNO', 'ТАЧНО'], ['NETAČNO', 'НЕТАЧНО'], []],
  ['Spanish', ['VERDADERO'], ['FALSO'], ['#N/D']],
  ['Swedish', ['SANT'], ['FALSKT'], ['#SAKNAS!', '#SAKNAS']],
  ['Turkish', ['DOĞRU'], ['YANLIŞ'], ['#YOK']],
  ['Ukrainian', ['ІСТИНА'], ['ХИБНІСТЬ', 'БРЕХНЯ'], ['#Н/Д']],
];

function readings(): Map<string, WordReading> {
  const words = new Map<string, WordReading>();
  const add = (language: string, list: readonly string[], state: RawOutcome): void => {
    for (const word of list) {
      const known = words.get(word);
      if (known !== undefined && known.state !== state)
        throw new Error(
          `${word} is ${known.state} in ${known.language} and ${state} in ${language}`,
        );
      words.set(word, {
        state,
        language: known === undefined ? language : `${known.language}, ${language}`,
      });
    }
  };
  for (const [language, yes, no, missing] of LOCALISED) {
    add(language, yes, 'TRUE');
    add(language, no, 'FALSE');
    add(language, missing, 'NA');
  }
  for (const [word, state] of Object.entries(EVERYWHERE))
    words.set(word, { state, language: null });
  return words;
}

const READINGS = readings();

/**
 * What a word says; case and surrounding white space do not matter. Undefined for every ambiguous
 * word: "yes", "1", "+" and "present" are not read as outcomes, because TRUE here means that a
 * problem was found.
 */
export function readOutcomeWord(word: string): WordReading | undefined {
  return READINGS.get(word.trim().normalize('NFC').toUpperCase());
}
