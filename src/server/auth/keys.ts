import { type KeyId, known } from '../../shared/contract/ids.ts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Deps } from '../context/deps.ts';

/**
 * evs_ + 10 base62 (identifier) + _ + 32 base62 (secret, 190 bits) + 6 base62 (CRC-32 of everything
 * before it). Scanners find the prefix, a typing error fails the checksum without a look into the
 * store, and a double click selects the whole.
 */
const KEY = /^evs_([0-9A-Za-z]{10})_[0-9A-Za-z]{38}$/;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECKSUM = 6;

/** Random base62 text without bias: bytes beyond a whole multiple of 62 are thrown away. */
function base62(random: Deps['random'], length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random.bytes(2 * length)) {
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM; i += 1) {
    digits = ALPHABET[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

export interface MintedKey {
  key: string;
  key_id: KeyId;
  /** The part of the key that may be shown. */
  prefix: string;
}

export function mintKey(random: Deps['random']): MintedKey {
  const key_id = known.keyId.parse(base62(random, 10));
  const body = `evs_${key_id}_${base62(random, 32)}`;
  return { key: body + checksum(body), key_id, prefix: `evs_${key_id}` };
}

/** The identifier of a well-formed key, or undefined. */
export function parseKey(key: string): string | undefined {
  const match = KEY.exec(key);
  if (match === null || checksum(key.slice(0, -CHECKSUM)) !== key.slice(-CHECKSUM))
    return undefined;
  return match[1];
}

/**
 * What is stored of a key: a MAC, so that whoever can write to the store but does not know the
 * secret cannot make a key.
 */
export function keyMac(key: string, hmacSecret: Uint8Array): Buffer {
  return createHmac('sha256', hmacSecret).update(key).digest();
}

export function sameMac(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
