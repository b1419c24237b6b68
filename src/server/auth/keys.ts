import { type KeyId, known } from '../../shared/contract/ids.ts';
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Deps } from '../context/deps.ts';
import { base62Digits, randomBase62 } from './base62.ts';

/**
 * evs_ + 10 base62 (identifier, which begins with the label of the key's account) + _ + 32 base62
 * (secret, 190 bits) + 6 base62 (CRC-32 of everything before it). Scanners find the prefix, a
 * typing error fails the checksum without a look into the store, and a double click selects the
 * whole.
 */
const KEY = /^evs_([0-9A-Za-z]{10})_[0-9A-Za-z]{38}$/;
const ID = 10;
const CHECKSUM = 6;

const checksum = (text: string): string => base62Digits(crc32(text), CHECKSUM);

export interface MintedKey {
  key: string;
  key_id: KeyId;
  /** The part of the key that may be shown. */
  prefix: string;
}

/** `shard`: the label of the account (see shard.ts). */
export function mintKey(random: Deps['random'], shard = ''): MintedKey {
  const key_id = known.keyId.parse(shard + randomBase62(random, ID - shard.length));
  const body = `evs_${key_id}_${randomBase62(random, 32)}`;
  return { key: body + checksum(body), key_id, prefix: `evs_${key_id}` };
}

/** The identifier of a well-formed key, or undefined. */
export function parseKey(key: string): string | undefined {
  const match = KEY.exec(key);
  if (match === null || checksum(key.slice(0, -CHECKSUM)) !== key.slice(-CHECKSUM))
    return undefined;
  return match[1];
}

/** Making the key of a MAC costs six times the MAC. */
const secrets = new WeakMap<Uint8Array, KeyObject>();

/**
 * What is stored of a key: a MAC, so that whoever can write to the store but does not know the
 * secret cannot make a key.
 */
export function keyMac(key: string, hmacSecret: Uint8Array): Buffer {
  let secret = secrets.get(hmacSecret);
  if (secret === undefined) secrets.set(hmacSecret, (secret = createSecretKey(hmacSecret)));
  return createHmac('sha256', secret).update(key).digest();
}

export function sameMac(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
