import { aessiv } from '@noble/ciphers/aes.js';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

export const KEY_BYTES = 32;
const NONCE_BYTES = 24;
/** Names kept in both directions, since every query of a copy hides the same few. */
const MOST_NAMES = 50_000;

/**
 * Encrypts what a browser stores of one person. Synchronous, because a transaction of IndexedDB
 * ends while one waits for WebCrypto. `about` is authenticated and not encrypted: what was sealed
 * in one place does not open in another.
 */
export interface Sealer {
  seal(content: Uint8Array, about: string): Uint8Array;
  /** Undefined where it was changed, was sealed by another key or about something else. */
  open(sealed: Uint8Array, about: string): Uint8Array | undefined;
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

export function createSealer(key: Uint8Array, randomBytes: (length: number) => Uint8Array): Sealer {
  const rowKey = hkdf(sha256, key, undefined, utf8ToBytes('rows'), KEY_BYTES);
  const nameKey = hkdf(sha256, key, undefined, utf8ToBytes('names'), 2 * KEY_BYTES);
  const hidden = new Map<string, string>();
  const shown = new Map<string, string>();
  const remember = (name: string, cover: string): void => {
    if (hidden.size >= MOST_NAMES) {
      hidden.clear();
      shown.clear();
    }
    hidden.set(name, cover);
    shown.set(cover, name);
  };
  return {
    seal(content, about) {
      const nonce = randomBytes(NONCE_BYTES);
      const body = xchacha20poly1305(rowKey, nonce, utf8ToBytes(about)).encrypt(content);
      const sealed = new Uint8Array(NONCE_BYTES + body.length);
      sealed.set(nonce);
      sealed.set(body, NONCE_BYTES);
      return sealed;
    },
    open: (sealed, about) =>
      attempt(() =>
        xchacha20poly1305(rowKey, sealed.subarray(0, NONCE_BYTES), utf8ToBytes(about)).decrypt(
          sealed.subarray(NONCE_BYTES),
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
