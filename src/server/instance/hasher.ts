import { createHash } from 'node:crypto';
import type { Hasher } from '../../shared/lib/hash.ts';

/** SHA-256 of UTF-8 text by Node's own OpenSSL. */
export const nodeHasher: Hasher = {
  sha256Hex: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
  sha256Base64url: (text) => createHash('sha256').update(text, 'utf8').digest('base64url'),
};
