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

/** Random base62 text without bias: bytes beyond a whole multiple of 62 are thrown away. */
export function randomBase62(
  random: { bytes(length: number): Uint8Array },
  length: number,
): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random.bytes(2 * length)) {
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}
