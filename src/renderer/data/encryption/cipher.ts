import { aessiv } from '@noble/ciphers/aes.js';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

export const KEY_BYTES = 32;
const NONCE_BYTES = 24;
/** Names kept in both directions, since every query of a copy hides the same few. */
const MAX_NAMES = 50_000;

/**
 * Encrypts what a browser stores of one person. Synchronous, because a transaction of IndexedDB
 * ends while one waits for WebCrypto. `about` is authenticated and not encrypted: what was
 * encrypted in one place does not open in another.
 */
export interface RowCipher {
  encrypt(content: Uint8Array, about: string): Uint8Array;
  /** Undefined where it was changed, was encrypted by another key or about something else. */
  decrypt(encrypted: Uint8Array, about: string): Uint8Array | undefined;
  /** A name that has to be found again: the same name is always hidden in the same way. */
  hide(name: string): string;
  /** Undefined where it is not what `hide` gave. */
  show(hidden: string): string | undefined;
}

const toBase64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const fromBase64url = (text: string): Uint8Array =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
    char.charCodeAt(0),
  );

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

export function createRowCipher(
  key: Uint8Array,
  randomBytes: (length: number) => Uint8Array,
): RowCipher {
  const rowKey = hkdf(sha256, key, undefined, utf8ToBytes('rows'), KEY_BYTES);
  const nameKey = hkdf(sha256, key, undefined, utf8ToBytes('names'), 2 * KEY_BYTES);
  const hidden = new Map<string, string>();
  const shown = new Map<string, string>();
  const remember = (name: string, cover: string): void => {
    if (hidden.size >= MAX_NAMES) {
      hidden.clear();
      shown.clear();
    }
    hidden.set(name, cover);
    shown.set(cover, name);
  };
  return {
    encrypt(content, about) {
      const nonce = randomBytes(NONCE_BYTES);
      const body = xchacha20poly1305(rowKey, nonce, utf8ToBytes(about)).encrypt(content);
      const encrypted = new Uint8Array(NONCE_BYTES + body.length);
      encrypted.set(nonce);
      encrypted.set(body, NONCE_BYTES);
      return encrypted;
    },
    decrypt: (encrypted, about) =>
      attempt(() =>
        xchacha20poly1305(rowKey, encrypted.subarray(0, NONCE_BYTES), utf8ToBytes(about)).decrypt(
          encrypted.subarray(NONCE_BYTES),
        ),
      ),
    hide(name) {
      const known = hidden.get(name);
      if (known !== undefined) return known;
      // As JSON, since UTF-8 has no half of a surrogate pair.
      const cover = toBase64url(aessiv(nameKey).encrypt(utf8ToBytes(JSON.stringify(name))));
      remember(name, cover);
      return cover;
    },
    show(cover) {
      const known = shown.get(cover);
      if (known !== undefined) return known;
      const name = attempt((): unknown =>
        JSON.parse(new TextDecoder().decode(aessiv(nameKey).decrypt(fromBase64url(cover)))),
      );
      if (typeof name !== 'string') return undefined;
      remember(name, cover);
      return name;
    },
  };
}
