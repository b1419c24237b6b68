import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  sign,
  verify,
} from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { blake2b } from '@noble/hashes/blake2.js';

/**
 * Signatures in the format of Minisign (https://jedisct1.github.io/minisign/), prehashed: what they
 * are over is checked by `minisign -V` without us. BLAKE2b is not in Electron's OpenSSL.
 */

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_ID = 8;
const SIGNATURE = 64;

/** A person's key pair: the private half, its public half, and the number that names both. */
export interface SigningKey {
  secret: KeyObject;
  publicBytes: Buffer;
  id: Buffer;
}

/**
 * The key by which a person signs on this server. It follows from the server's secret, which the
 * system's key store keeps where there is one: so there is no file with it.
 */
export const signingKeyOf = (hmacSecret: Uint8Array, userId: string): SigningKey =>
  keyFrom(hmacSecret, `person's signing key 1 ${userId}`);

function keyFrom(hmacSecret: Uint8Array, label: string): SigningKey {
  const seed = createHmac('sha256', hmacSecret).update(label).digest();
  const secret = createPrivateKey({
    key: Buffer.concat([PKCS8, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicBytes = createPublicKey(secret)
    .export({ format: 'der', type: 'spki' })
    .subarray(SPKI.length);
  const id = createHash('sha256').update(publicBytes).digest().subarray(0, KEY_ID);
  return { secret, publicBytes, id };
}

/** The key by which this server signs what it hands out, no person's. */
export const serverKeyOf = (hmacSecret: Uint8Array): SigningKey =>
  keyFrom(hmacSecret, "server's signing key 1");

/** A `.pub` file, as `minisign -p` takes it. */
export const publicKeyFile = (publicKey: string): string =>
  `untrusted comment: key of Evidence Studio\n${publicKey}\n`;

/** What `minisign -P` takes. */
export const publicKeyText = ({ id, publicBytes }: SigningKey): string =>
  Buffer.concat([Buffer.from('Ed'), id, publicBytes]).toString('base64');

/** The `.minisig` file over these bytes. The comment is of one line, and signed as well. */
export function signFile(key: SigningKey, bytes: Uint8Array, trusted: string): string {
  const comment = trusted.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  const signature = sign(null, blake2b(bytes), key.secret);
  const global = sign(null, Buffer.concat([signature, Buffer.from(comment)]), key.secret);
  const line = Buffer.concat([Buffer.from('ED'), key.id, signature]).toString('base64');
  return [
    'untrusted comment: signature from Evidence Studio',
    line,
    `trusted comment: ${comment}`,
    global.toString('base64'),
    '',
  ].join('\n');
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Whether a `.minisig` file is over these bytes and its comment, by the key of this text. */
export function isSignedBy(publicKey: string, bytes: Uint8Array, minisig: string): boolean {
  const [untrusted = '', line = '', trusted = '', global = '', ...rest] = minisig.split('\n');
  const isFile =
    untrusted.startsWith('untrusted comment: ') &&
    trusted.startsWith('trusted comment: ') &&
    BASE64.test(line) &&
    BASE64.test(global) &&
    rest.join('') === '';
  const key = Buffer.from(publicKey, 'base64');
  const signed = Buffer.from(line, 'base64');
  if (
    !isFile ||
    key.length !== 2 + KEY_ID + 32 ||
    signed.length !== 2 + KEY_ID + SIGNATURE ||
    key.toString('latin1', 0, 2) !== 'Ed' ||
    signed.toString('latin1', 0, 2) !== 'ED' ||
    !key.subarray(2, 2 + KEY_ID).equals(signed.subarray(2, 2 + KEY_ID))
  )
    return false;
  const person = createPublicKey({
    key: Buffer.concat([SPKI, key.subarray(2 + KEY_ID)]),
    format: 'der',
    type: 'spki',
  });
  const signature = signed.subarray(2 + KEY_ID);
  const comment = Buffer.from(trusted.slice('trusted comment: '.length));
  return (
    verify(null, blake2b(bytes), person, signature) &&
    verify(null, Buffer.concat([signature, comment]), person, Buffer.from(global, 'base64'))
  );
}
