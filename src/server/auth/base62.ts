const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The last `length` base62 digits of a whole number. */
export function base62Digits(number: number, length: number): string {
  let rest = number;
  let digits = '';
  for (let i = 0; i < length; i += 1) {
    digits = ALPHABET[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/**
 * Random text of an alphabet without bias: bytes beyond a whole multiple of its length are thrown
 * away.
 */
export function randomText(
  random: { bytes(length: number): Uint8Array },
  length: number,
  alphabet: string,
): string {
  const below = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of random.bytes(2 * length)) {
      if (byte < below && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

export const randomBase62 = (
  random: { bytes(length: number): Uint8Array },
  length: number,
): string => randomText(random, length, ALPHABET);
