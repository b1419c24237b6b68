import { createHash } from 'node:crypto';
import type { Hasher } from '../../src/shared/lib/hash.ts';

export const testHasher: Hasher = {
  sha256Hex: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
  sha256Base64url: (text) => createHash('sha256').update(text, 'utf8').digest('base64url'),
};
