/** Words that people commonly build passwords from, in general and in this product. */
const WORDS = ['password', 'passwort', 'passphrase', 'letmein', 'welcome', 'changeme', 'administrator', 'admin', 'qwertyuiop', 'qwerty', 'asdfghjkl', 'zxcvbnm', 'iloveyou', 'football', 'baseball', 'superman', 'princess', 'sunshine', 'trustno1', 'evidence', 'studio', 'secret', 'login', 'access', 'laboratory', 'hospital'];
const RUNS = ['abcdefghijklmnopqrstuvwxyz', '01234567890', 'qwertyuiop', 'qwertzuiop', 'asdfghjkl', 'yxcvbnm', 'zxcvbnm'];
const LEAST_LEFT = 6;
const LEAST_DIFFERENT = 6;
const LOOKALIKES: readonly (readonly [string, string])[] = [['0', 'o'], ['1', 'l'], ['3', 'e'], ['4', 'a'], ['5', 's'], ['7', 't'], ['$', 's'], ['@', 'a'], ['!', 'i']];

/** Removes runs of four or more along the alphabet, the digits or the keyboard, in either direction. */
function withoutRuns(text: string): string {
  let rest = text;
  for (const run of RUNS.flatMap((line) => [line, [...line].toReversed().join('')])) {
    for (let length = run.length; length >= 4; length -= 1) {
      for (let at = 0; at + length <= run.length; at += 1) rest = rest.replaceAll(run.slice(at, at + length), '');
    }
  }
  return rest;
}

/**
 * Why a password would be guessed, or undefined. Passwords that are long enough but still guessed early consist of a few known words, of runs, of repeated
 * characters, or of the person's own names; what remains without those has to be long enough.
 */
export function whyGuessable(password: string, names: readonly string[]): string | undefined {
  const plain = password.normalize('NFKC').toLowerCase();
  if (new Set(plain).size < LEAST_DIFFERENT) return 'It has too few different characters.';
  const own = names.flatMap((name) => name.toLowerCase().split(/[^\p{L}\p{N}]+/u)).filter((word) => word.length >= 3);
  const known = [...own, ...WORDS].toSorted((a, b) => b.length - a.length);
  const spelled = LOOKALIKES.reduce((text, [sign, letter]) => text.replaceAll(sign, letter), plain);
  const left = [plain, spelled].map((text) => withoutRuns(known.reduce((rest, word) => rest.replaceAll(word, ''), text)).replaceAll(/(.)\1{2,}/gu, '$1').replaceAll(/[^\p{L}\p{N}]/gu, ''));
  return left.some((rest) => [...rest].length < LEAST_LEFT) ? 'It is made of words and runs that are tried first.' : undefined;
}
