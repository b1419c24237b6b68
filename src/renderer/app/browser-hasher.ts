import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Hasher } from '../../shared/lib/hash.ts';

export function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/**
 * SHA-256 as a synchronous function. WebCrypto's is asynchronous, but a change needs its id at
 * once.
 */
export const browserHasher: Hasher = {
  sha256Hex: (text) => bytesToHex(sha256(utf8ToBytes(text))),
  sha256Base64url: (text) => base64url(sha256(utf8ToBytes(text))),
};
